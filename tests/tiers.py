"""Parameters of tests: some for `make test`, and all for `make test-all`."""

from collections.abc import Iterable
from typing import Any

import pytest

from almunia.catalog import game_packages


def rest(values: Iterable[Any], first: Any) -> list[Any]:
    """Return all values as parameters of a test; all but the first choice are exhaustive."""
    return [value if value == first else pytest.param(value, marks=pytest.mark.exhaustive) for value in values]


def games(first: str = "orchard") -> list[Any]:
    """Return all games as parameters of a test; all but one are exhaustive."""
    return rest(game_packages(), first)
