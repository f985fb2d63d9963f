"""Every game keeps its contract, at every seat count and with every option."""

import pytest

from almunia.conformance import CHECKS, Case, Skipped, cases
from almunia.core.registry import packages


@pytest.mark.parametrize("title", CHECKS)
@pytest.mark.parametrize("case", [case for name in packages() for case in cases(name)], ids=str)
def test_contract(case: Case, title: str) -> None:
    try:
        CHECKS[title](case)
    except Skipped as reason:
        pytest.skip(str(reason))
