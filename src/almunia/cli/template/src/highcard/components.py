"""The components, as tables."""

from collections.abc import Iterator

import numpy as np

from almunia.core.component_data import Data, read

SEATS = 3  # maximum number of players


def faults(data: Data) -> Iterator[str]:
    """Yield an error if the hands need more cards than there are."""
    cards = data["cards"]
    if SEATS * max(cards["hands"]) > cards["highest"]:
        yield f"{cards['highest']} cards do not suffice for {SEATS} hands of {max(cards['hands'])}"


DATA = read(__file__, faults)
TABLES = ("cards",)  # the tables that the rules depend on: records keep a hash of them

CARDS = int(DATA["cards"]["highest"])  # numbered from 1 [1.1]
HANDS = np.array(DATA["cards"]["hands"], np.int8)  # by the option `hand` [2.1]
