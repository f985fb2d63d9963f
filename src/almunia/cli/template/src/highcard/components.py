"""What is in the box, as tables."""

from collections.abc import Iterator

import numpy as np

from almunia.core.component_data import Data, read

SEATS = 3  # the most who can play


def faults(data: Data) -> Iterator[str]:
    """What cannot be: more cards in the hands than there are."""
    cards = data["cards"]
    if SEATS * max(cards["hands"]) > cards["highest"]:
        yield f"{cards['highest']} cards do not suffice for {SEATS} hands of {max(cards['hands'])}"


DATA = read(__file__, faults)
TABLES = ("cards",)  # what the rules depend on: records keep a hash of it

CARDS = int(DATA["cards"]["highest"])  # numbered from 1 [1.1]
HANDS = np.array(DATA["cards"]["hands"], np.int8)  # by the option `hand` [2.1]
