"""Every game keeps its contract, at every seat count and with every option."""

from collections.abc import Iterator
from typing import Any

import pytest

from almunia.conformance import Case, Skipped, cases
from almunia.core.registry import packages

DEVICES = "compiles_for_gpus"  # takes longer than all other checks of a game's basic case


def checks() -> Iterator[Any]:
    """Every check with every case; what is quick does the case that stands for its game, but for devices."""
    for case in (case for name in packages() for case in cases(name)):
        for title in case.checks:
            quick = case.basic and title != DEVICES
            yield pytest.param(case, title, id=f"{case}-{title}", marks=() if quick else pytest.mark.slow)


@pytest.mark.parametrize(("case", "title"), [*checks()])
def test_contract(case: Case, title: str) -> None:
    try:
        case.checks[title](case)
    except Skipped as reason:
        pytest.skip(str(reason))
