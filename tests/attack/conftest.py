"""Rounds of the attacks on the site: one in the usual tests, and in `make attack` as many as the time allows."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic
from typing import NamedTuple

import pytest


class Round(NamedTuple):
    """The random numbers of a round, and the folder of its site."""

    rng: Random
    folder: Path


@pytest.fixture
def rounds(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Round]:
    """Return an iterator over rounds, until this test's share of the time is over.

    Each round has another seed, and prints its seed.
    """
    options = request.config.option
    attacks = sum("rounds" in getattr(item, "fixturenames", ()) for item in request.session.items)
    end = monotonic() + 60 * options.attack_minutes / attacks

    def going() -> Iterator[Round]:
        for seed in count(options.attack_seed):
            print(f"To begin with this round: --attack-seed {seed}")
            with TemporaryDirectory(dir=tmp_path) as folder:
                yield Round(Random(seed), Path(folder))
            if monotonic() >= end:
                return

    return going()
