"""Levels for people: their specs in every game, and the order of their strengths."""

from pathlib import Path

import pytest

import almunia
from almunia import bots, catalog
from almunia.bots.levels import DEFAULT_SPECS, spec_for_level


@pytest.mark.parametrize("name", catalog.game_packages())
def test_every_level_is_a_bot_in_every_game(name):
    game = almunia.game(name, "plain")
    for level in bots.LEVELS:
        assert bots.parse_spec(spec_for_level(level, game)).kind in ("greedy", "turn", "search")
        assert bots.make(level, game, seed=1).spec == level


def test_a_game_may_set_its_levels(monkeypatch):
    orchard = almunia.game("orchard", "plain")
    monkeypatch.setattr(orchard.bots, "LEVELS", {"hard": "search:7"}, raising=False)
    assert bots.parse_spec("hard", orchard) == bots.parse_spec("search:7")
    assert bots.parse_spec("easy", orchard) == bots.parse_spec(DEFAULT_SPECS["easy"])


@pytest.mark.parametrize("name", [*catalog.game_packages(), "kuhn"])
def test_only_beginners_misjudge_choices(name):
    game = almunia.game(name, "plain")
    noises = {level: bots.parse_spec(spec_for_level(level, game)).settings.get("noise", 0) for level in bots.LEVELS}
    assert {level for level, noise in noises.items() if noise} == {"beginner"}


@pytest.mark.compiled
def test_slips_and_noise_make_a_bot_weaker():
    orchard = almunia.game("orchard")
    beginner, easy, medium = (
        almunia.simulate(orchard, 60, bots=level, seed=2)["scores"].mean() for level in ("beginner", "easy", "medium")
    )
    assert medium - easy > 3
    assert easy - beginner > 3
    play = orchard.new(seed=5)
    always = bots.make("greedy,epsilon=1", orchard, seed=4)
    assert len({always.choose(play.observe(0)) for _ in range(30)}) > 15


def test_the_levels_are_documented_as_they_are():
    for name in catalog.game_packages():
        page = (Path(__file__).parents[2] / "docs" / "games" / f"{name}.md").read_text("utf-8")
        for level in bots.LEVELS:
            assert f"| `{level}` | `{spec_for_level(level, almunia.game(name, 'plain'))}` |" in page
