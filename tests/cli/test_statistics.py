"""The command statistics."""

import json
from pathlib import Path

import pytest

from almunia.cli import Exit
from almunia.statistics import GameStatistics

pytestmark = pytest.mark.compiled


def test_statistics_are_printed_and_written(almunia) -> None:
    done = almunia("statistics", "orchard", "--games", 40, "--seats", 2, 1, "--out", "found.json")
    assert done.code == Exit.OK
    found = GameStatistics.from_json(Path("found.json").read_text("utf-8"))
    assert [(seats, table.games) for seats, table in found.tables.items()] == [(1, 40), (2, 40)]
    assert found.tables[1].sources[0].winners is None
    head, _, seat, *_ = done.out.splitlines()
    assert head == "1 seat, 40 games"
    assert seat.split()[:2] == ["1", f"{found.tables[1].seats[0].points.value:.1f}"]
    facts = json.loads(almunia("statistics", "orchard", "--games", 40, "--seats", 1, 2, "--json").out)
    assert facts == json.loads(found.to_json())
    few = almunia("statistics", "orchard", "--games", 1)
    assert few.code == Exit.BAD_INPUT
    assert "Intervals need at least 2 games." in few.err
