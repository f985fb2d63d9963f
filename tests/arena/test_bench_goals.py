"""The goals of speed: each is some game's, and what has none is measured without."""

from almunia.arena.bench.goals import BATCH, STEPS, goal, table
from almunia.catalog import packages


def test_goals_are_of_games_there_are() -> None:
    assert table().keys() == {BATCH, STEPS}
    for goals in table().values():
        assert goals.keys() <= {*packages()}
        assert all(number >= 1e5 for number in goals.values())


def test_a_game_without_a_goal() -> None:
    assert goal(BATCH, "oregon") == 1.2e6
    assert goal(STEPS, "lantern") is None
