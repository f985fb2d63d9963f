"""The tools that measure: what they write of what they found."""

import sys
from importlib import import_module
from math import inf
from pathlib import Path

import pytest

from almunia.cli.verbs.bench import machine

TOOLS = Path(__file__).parents[1] / "tools"
FOUND = {
    "plays": 2, "win_rate": 0.5, "low": 0.1, "high": 0.9, "fair": 0.5, "seconds": 0.25,
    "points": [41.0, 40.0, 42.0], "ahead": [3.0, -1.0, 7.0],
}  # fmt: skip


@pytest.fixture
def tool(monkeypatch):
    """A tool, by its name."""
    monkeypatch.syspath_prepend(str(TOOLS))
    yield import_module
    for name in ("page", "ladder", "results"):
        sys.modules.pop(name, None)


def test_the_page_of_results_is_rewritten_part_by_part(tool, tmp_path, monkeypatch):
    page = tool("page")
    before = page.read()
    assert list(before) == ["Ladder", "Play", "Search", "Speed"]
    copy = tmp_path / "results.md"
    copy.write_text(page.PAGE.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(page, "PAGE", copy)
    page.write("Play", "as good as new", " in use")
    after = page.read()
    assert after.keys() == before.keys()
    assert [name for name in before if after[name] != before[name]] == ["Play"]
    assert machine()["processor"] in after["Play"]
    assert after["Play"].endswith("as good as new\n")


def test_a_pairing_is_a_row_with_the_command_that_plays_it(tool, monkeypatch):
    ladder, asked = tool("ladder"), []

    def almunia(*words):
        asked.append(words)
        return {"pairings": [FOUND]}

    monkeypatch.setattr(ladder, "almunia", almunia)
    row = ladder.row("oregon", "2", ("hard", "medium", (200, 120)), 5)
    assert "`almunia match oregon --seats 2 --bot hard --against medium --deals 100`" in row
    assert "| 2 | 50.0% | 10.0% to 90.0% | 50.0% | +3.0 (-1.0 to +7.0) | 0.250 |" in row
    assert "--minutes 5" in " ".join(asked[0])
    assert "--deals 30`" in ladder.row("oregon", "4", ("hard", "medium", (200, 120)), inf)
    assert "--minutes" not in asked[1]
    assert "mean 41.00 (40.00 to 42.00) of 2 plays" in ladder.alone(5)


def test_of_one_deal_no_interval_is_known(tool, monkeypatch):
    ladder = tool("ladder")
    once = FOUND | {"points": [41.0, None, None], "ahead": [3.0, None, None]}
    monkeypatch.setattr(ladder, "almunia", lambda *_: {"pairings": [once]})
    assert "+3.0 (? to ?)" in ladder.row("oregon", "2", ("hard", "medium", (200, 120)), 5)
    assert "mean 41.00 (? to ?)" in ladder.alone(5)
