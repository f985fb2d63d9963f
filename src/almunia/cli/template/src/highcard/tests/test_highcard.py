"""The scenarios, and tests that no scenario can express."""

from pathlib import Path

import pytest

import almunia
from almunia import scenario

HERE = Path(__file__).parent
GAME = "highcard"


@pytest.mark.parametrize("path", sorted(HERE.glob("scenarios/*.txt")), ids=lambda path: path.stem)
@pytest.mark.parametrize("build", ["plain", "compiled"])
def test_scenario(path: Path, build: str) -> None:
    scenario.run(path, build)


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("hand", ["3", "4", "5"])
def test_every_card_is_somewhere(seats: int, hand: str) -> None:
    """Every seat's count equals the number of its cards, and every round has a winner [1.1, 3.2]."""
    play = almunia.game(GAME, "plain").new(seats, seed=5, hand=hand)
    while not play.over:
        play.apply(play.legal_actions[-1])
        for seat in range(seats):
            held = sum(play.state.where[number] == seat for number in range(1, 16))
            assert held == play.state.seat[seat].cards
    assert play.score_table()[:, 0].sum() == len(play.actions) // seats
    assert play.score_table()[:, 1].sum() == 1
