"""Beams in games in which players cannot affect one another."""

from random import Random

import pytest

import almunia
from almunia import bots


@pytest.mark.compiled
def test_other_seats_do_not_affect_legal_actions_in_orchard():
    """Orchard declares this by `SEATS_INDEPENDENT`."""
    orchard = almunia.game("orchard")
    for seed in range(3):
        plays = [orchard.new(seats=3, seed=seed) for _ in range(2)]
        mine, others = Random(seed), [Random(number) for number in range(2)]
        while not plays[0].over:
            assert plays[0].turn == plays[1].turn or plays[0].turn * plays[1].turn
            own = [play.turn == 0 for play in plays]
            if own == [True, True]:
                assert plays[0].legal_actions == plays[1].legal_actions
                action = mine.choice(plays[0].legal_actions)
                for play in plays:
                    play.apply(action)
                continue
            for play, lot, is_own in zip(plays, others, own, strict=True):
                if not is_own and not play.over:
                    play.apply(lot.choice(play.legal_actions))
        assert plays[0].score_table()[0].tolist() == plays[1].score_table()[0].tolist()


@pytest.mark.compiled
@pytest.mark.parametrize("seats", [2, 4])
def test_a_search_reports_expected_scores_of_all_seats(seats):
    orchard = almunia.game("orchard")
    play = orchard.new(seats=seats, seed=3)
    for _ in range(seats + 1):
        play.apply(play.legal_actions[0])
    seat = play.turn
    assert seat == 1
    found = bots.make("search:300", orchard, 1).analyse(play.observe(seat))
    assert all(len(choice.scores) == seats and 0 < choice.value < 1 for choice in found)
    assert max(choice.scores[seat] for choice in found) > max(found[0].scores[p] for p in range(seats) if p != seat) - 5
