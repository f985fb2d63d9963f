"""Every game keeps its contract, at every seat count and with every option."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from almunia.catalog import game_packages, toy_packages
from almunia.conformance import CHECKS, Case, Skipped, cases

FOR_GPUS = "compiles_for_gpus"  # takes longer than all other checks of a case
SMALLEST = "oregon"  # the game that compiles for GPUs in the shortest time


def of_all_games() -> Iterator[Any]:
    """Return a parameter for each case. Without the mark `exhaustive`: the fewest and most seats, and one option.

    All cases of toy games are exhaustive.
    """
    for name in (*game_packages(), *toy_packages()):
        found = cases(name)
        plain = [case for case in found if not case.options]
        usual = {str(plain[0]), str(plain[-1]), *(str(case) for case in found[len(plain) : len(plain) + 1])}
        usual -= {str(case) for case in found if name in toy_packages()}
        for case in found:
            yield pytest.param(case, id=str(case), marks=() if str(case) in usual else pytest.mark.exhaustive)


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize("case", [*of_all_games()])
def test_contract(case: Case, subtests: pytest.Subtests, pytestconfig: pytest.Config) -> None:
    case = replace(case, sparse=not pytestconfig.option.thorough)
    for title, check in case.checks.items():
        if title != FOR_GPUS:
            with subtests.test(title):
                checked(check, case)


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == SMALLEST else pytest.mark.exhaustive)
        for name in (*game_packages(), *toy_packages())
    ],
)
def test_compiles_for_gpus(name: str) -> None:
    checked(CHECKS[FOR_GPUS], cases(name)[0])


def checked(check: Any, case: Case) -> None:
    """Run a check, and skip the test if the check cannot run here."""
    try:
        check(case)
    except Skipped as reason:
        pytest.skip(str(reason))
