"""Rewards: the values of each convention, and that none reveals hidden information to a seat."""

import numpy as np
import pytest

import almunia
from almunia.batch.rewards import Rewards
from almunia.catalog import game_packages

SMALL = almunia.game("oregon", "plain")


def worths(reward, *points):
    """Return the values of an end with these points, by seat, counted by hand."""
    ranks = [1 + sum(other > own for other in points) for own in points]
    if reward == "win":
        return [(1 / ranks.count(1)) * (rank == 1) for rank in ranks]
    places = [rank + (ranks.count(rank) - 1) / 2 for rank in ranks]
    return [1 - 2 * (place - 1) / (len(points) - 1) for place in places]


def over(seats, points):
    """Return a finished play of Oregon with these points by seat, and no tie-breaks."""
    play = SMALL.new(seats, seed=0)
    play.array["over"] = 1
    for seat in range(seats):
        play.array["seat"]["score"][0, seat] = points[seat]
        play.array["seat"]["farmers"][0, seat] = 0
    return play


@pytest.mark.parametrize("points", [(3, 7), (5, 5), (1, 9, 4), (9, 9, 1), (2, 8, 8, 8), (4, 3, 2, 1), (6, 6, 6, 6)])
@pytest.mark.parametrize("reward", ["rank", "win"])
def test_returns_at_the_end_follow_the_convention(reward, points):
    found = Rewards(SMALL, len(points), reward).returns(over(len(points), points))
    assert found == pytest.approx(worths(reward, *points))
    assert found.sum() == pytest.approx({"rank": 0, "win": 1}[reward])
    low, high = Rewards(SMALL, len(points), reward).bounds
    assert low <= found.min() <= found.max() <= high


def test_points_and_the_lead():
    play = over(3, (4, 9, 7))
    base = play.score_table()[:, 0]
    assert Rewards(SMALL, 3, "points").returns(play).tolist() == base.tolist()
    assert Rewards(SMALL, 3, "lead").returns(play).tolist() == [base[0] - base[1], base[1] - base[2], base[2] - base[1]]
    assert Rewards(SMALL, 3, "points").bounds == SMALL.meta.points == (0, 1000)
    assert Rewards(SMALL, 3, "lead").bounds == (-1000, 1000)
    assert Rewards(almunia.game("orchard", "plain"), 1, "lead").bounds == (-6, 150)


def test_returns_are_zero_before_the_end():
    play = SMALL.new(2, seed=1)
    assert Rewards(SMALL, 2).reward == "rank"
    assert Rewards(SMALL, 2, "rank").returns(play).tolist() == Rewards(SMALL, 2, "win").returns(play).tolist() == [0, 0]


@pytest.mark.parametrize("points", [(3, 7), (5, 5), (9, 9, 1), (4, 3, 2, 1)])
def test_a_play_has_the_returns_of_the_default_convention(points):
    play = over(len(points), points)
    assert play.returns().tolist() == Rewards(SMALL, len(points)).returns(play).tolist()
    assert play.observe(0).returns().tolist() == play.returns().tolist()
    play.array["over"] = 0
    assert play.returns().tolist() == [0.0] * len(points)


def test_the_return_of_one_player_is_the_points():
    play = almunia.game("orchard", "plain").new(1, seed=3)
    while not play.over:
        assert play.returns().tolist() == [0.0]
        play.apply(play.legal_actions[0])
    assert play.returns().tolist() == [play.points[0]] != [0.0]


def test_points_are_the_default_convention_for_one_player():
    orchard = almunia.game("orchard", "plain")
    assert Rewards(orchard).reward == "points"
    play = orchard.new(seed=1)
    assert Rewards(orchard, 1, "lead").returns(play).tolist() == play.score_table()[:, 0].tolist()
    with pytest.raises(almunia.SetupError, match="'rank' compares seats, and there is only one; choose 'points' or"):
        Rewards(orchard, 1, "rank")


def test_an_unknown_convention_is_refused():
    with pytest.raises(almunia.SetupError, match=r"no reward 'point'\. There are: .*Did you mean 'points'\?"):
        Rewards(SMALL, 2, "point")


@pytest.mark.compiled
@pytest.mark.parametrize("name", game_packages())
def test_a_seat_sees_its_own_points(name):
    """So rewards computed from the masked state include all points that the seat has won."""
    game = almunia.game(name)
    seats = max(2, game.meta.seats[0])
    play, rewards = game.new(seats, seed=3), Rewards(game, seats, "points")
    lot = np.random.default_rng(0)
    while not play.over:
        seat = int(lot.integers(seats))
        assert rewards.potential(play.observe(seat), seat) == rewards.potential(play, seat)
        play.apply(int(lot.choice(play.legal_actions)))
