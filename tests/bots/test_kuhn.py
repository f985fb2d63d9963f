"""Searches, simulations and batches in Kuhn poker, whose values are known exactly."""

from fractions import Fraction

import numpy as np
import pytest

import almunia
from almunia import bots
from almunia.toy_games.kuhn.rules import BET, PASS
from benchmarks.exploitability import GameTree

pytestmark = pytest.mark.compiled

GAME = almunia.game("kuhn")
JACK, QUEEN, KING = 1, 2, 3
SEEDS = range(8)


def facing(card, *words):
    """Return the observation of the seat to move, which has this card, after these actions."""
    for seed in range(6):
        play = GAME.new(seed=seed)
        for word in words:
            play.apply(play.string_to_action(word))
        if play.state.seat[play.turn].card == card:
            return play.observe(play.turn)
    raise AssertionError


@pytest.mark.parametrize("words", [["bet"], ["pass", "bet"]])
def test_a_search_never_folds_the_king_and_never_calls_with_the_jack(words):
    for seed in SEEDS:
        search = bots.make("search:2000", GAME, seed)
        assert search.choose(facing(KING, *words)) == BET
        assert search.choose(facing(JACK, *words)) == PASS


def test_a_search_bets_with_the_king_after_a_pass():
    """A bet wins one chip or two, and a pass wins one."""
    assert {bots.make("search:2000", GAME, seed).choose(facing(KING, "pass")) for seed in SEEDS} == {BET}


@pytest.mark.parametrize(("card", "called"), [(JACK, -2.0), (QUEEN, 0.0), (KING, 2.0)])
@pytest.mark.parametrize("words", [["bet"], ["pass", "bet"]])
def test_a_search_knows_the_exact_value_of_an_answer(card, called, words):
    """A pass costs a chip. A call wins or loses two, and with the queen wins half of the time."""
    view = facing(card, *words)
    by_action = {one.action: one for one in almunia.analyse(view, "4000", seed=1)}
    folded = by_action[PASS].scores
    assert (folded[view.seat], folded[1 - view.seat]) == (-1, 1)
    scores = by_action[BET].scores
    assert scores[view.seat] == -scores[1 - view.seat]
    assert scores[view.seat] == pytest.approx(called, abs=0 if card != QUEEN else 0.2)


def test_simulations_have_the_exact_mean_of_random_policies():
    tree = GameTree.of(GAME)
    even = {name: dict.fromkeys(seen.legal_actions, Fraction(1, 2)) for name, seen in tree.observations.items()}
    games = 40_000
    points = almunia.simulate(GAME, games, seats=2, bots="random", seed=1)["scores"]
    assert (points.sum(axis=1) == 0).all()
    assert set(np.unique(points)) == {-2, -1, 1, 2}
    mean, error = points[:, 0].mean(), points[:, 0].std() / games**0.5
    assert abs(mean - float(tree.value((even, even)))) < 4 * error


def test_a_batch_pays_the_exact_mean_in_chips():
    """A first player who bets wins 1 of a player who folds at random, and 2 or -2 in the other half of the games."""
    rows = 20_000
    batch = GAME.batch(rows, seed=3, reward="points", opponents="random", seat=0)
    batch.step(np.full(rows, BET))
    assert batch.done.all()
    rewards = batch.rewards[:, 0]
    assert set(rewards.tolist()) == {-2, 1, 2}
    assert abs(rewards.mean() - 0.5) < 4 * rewards.std() / rows**0.5
