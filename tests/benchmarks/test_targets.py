"""Target speeds belong to games. A game without targets is measured without a comparison."""

from almunia.catalog import game_packages
from benchmarks.targets import BATCH, STEPS, target, targets


def test_targets_belong_to_games() -> None:
    assert targets().keys() == {BATCH, STEPS}
    for speeds in targets().values():
        assert speeds.keys() <= {*game_packages()}
        assert all(number >= 1e5 for number in speeds.values())


def test_a_game_without_a_target() -> None:
    assert target(BATCH, "oregon") == 1.2e6
    assert target(STEPS, "lantern") is None
