"""Beams, and the turns that they plan, on a game of coins."""

import numpy as np
import pytest

from almunia.bots.search.kernels import beam, turn_beam
from almunia.bots.search.workers import BeamWorker
from almunia.core.workspaces import allocate, wrap_all

from .coins import COINS, play_coins, position, viewed

beams, plans = COINS.kernel(beam), COINS.kernel(turn_beam)


class Bench:
    """A position and a workspace, with candidates and a plan."""

    def __init__(self, width=4, **fields):
        self.paper, self.candidates, self.plan = (
            allocate(beam.Workspace, COINS, width=width),
            allocate(beam.Candidates, COINS),
            allocate(turn_beam.Plan, COINS, width=width),
        )
        self.paper.states[:] = position(**fields)[0]
        self.paper.rng[:] = 1, 2, 3, 4
        self.work, self._candidates, self._plan = (
            wrap_all(COINS, one) for one in (self.paper, self.candidates, self.plan)
        )

    def rank_candidates(self):
        return beams.rank_candidates(0, self._candidates, self.work)

    def evaluate_candidates(self, first):
        beams.evaluate_candidates(first, 0, self._candidates, self.work)

    def choose(self, determinizations=1):
        return plans.choose(0, determinizations, self._plan, self.work)


def listed(candidates, count):
    return [array[:count].tolist() for array in candidates[:3]]


def test_a_beam_keeps_the_best_steps_in_order():
    bench, found = Bench(width=3), 0
    for parent, (value, step) in enumerate([(5, 0), (9, 1), (7, 2), (6, 3), (8, 4), (1, 5)]):
        found = beams.insert_step(value, parent, step, found, bench.work)
    assert found == 3
    assert [bench.paper.step_value.tolist(), bench.paper.step_parent.tolist(), bench.paper.step_action.tolist()] == [
        [9, 8, 7],
        [1, 4, 2],
        [1, 4, 2],
    ]


def test_candidates_are_ranked_by_their_one_ply_evaluation():
    bench = Bench(shift=(1, 0, 0))
    bench.candidates.greedy_sum[:] = bench.candidates.rounds[:] = bench.candidates.determinizations[:] = 7
    assert bench.rank_candidates() == 4
    assert listed(bench.candidates, 4) == [[2, 1, 0, 3], [0] * 4, [0] * 4]
    assert not bench.candidates.greedy_sum.any()
    assert not bench.candidates.rounds.any()


def test_candidates_are_sorted_by_the_value_of_their_beam():
    """The coin of value 3 can be picked once more, so the last candidate scores 3 and the first scores 6."""
    bench = Bench(seats=1, stop=2)
    bench.rank_candidates()
    bench.evaluate_candidates(3)
    assert listed(bench.candidates, 4) == [[3, 2, 1, 0], [6, 5, 4, 0], [1, 1, 1, 0]]
    bench.candidates.value_sum[:3] = 6, 9, 20
    bench.evaluate_candidates(2)
    assert listed(bench.candidates, 3) == [[2, 3, 1], [14, 12, 20], [2, 2, 1]]
    bench.evaluate_candidates(3)
    assert listed(bench.candidates, 3) == [[1, 2, 3], [24, 19, 18], [2, 3, 3]]
    assert bench.candidates.rounds[0] == 3


def test_others_are_expected_to_play_greedily():
    bench = Bench(coins=(0b1111, 0b0011, 0), stop=4)
    bench.paper.clairvoyant[0] = 1
    bench.rank_candidates()
    for _ in range(2):
        bench.evaluate_candidates(1)
    assert bench.candidates.greedy_sum.tolist() == [12, 4, 0]
    assert listed(bench.candidates, 1) == [[3], [12], [2]]  # the others do anything in the beam


@pytest.mark.parametrize("width", [1, 2, 4])
def test_a_turn_is_planned_to_its_end(width):
    bench = Bench(width, coins=(0b1011, 0b1111, 0), steps=3)
    assert bench.choose() == 3
    assert bench.plan.value_sum[3] == 9
    assert max(bench.plan.value_sum[:3]) <= 8 if width == 4 else max(bench.plan.value_sum[:3]) < 9


def test_a_plan_sums_values_over_determinizations():
    bench = Bench(coins=(0b0011, 0b0011, 0), points=(0, 4, 0), steps=2)
    assert bench.choose(determinizations=5) == 1
    assert bench.plan.value_sum[:2].tolist() == [5 * (1 - 4), 5 * (2 - 4)]


def test_each_guess_serves_fewer_candidates_as_the_budget_is_used_up(monkeypatch):
    play_coins(monkeypatch)
    settings = {"candidates": 3.0, "beam_width": 2.0, "lead_scale": 20.0}
    one = BeamWorker(COINS, settings, 1, 5)
    one.set_root(viewed(seats=1, stop=2))
    assert [one.simulate(1, used) for used in (0.0, 0.0, 0.3, 0.9, 0.99)] == [3, 3, 2, 2, 2]
    found = one.results()
    assert {action: (what.visits, what.utility_sum) for action, what in found.items()} == {
        3: (5, 30.0),
        2: (5, 25.0),
        1: (2, 8.0),
    }
    other = BeamWorker(COINS, settings, 2, 5)
    other.set_root(viewed(coins=(0b1100, 0b0011, 0), stop=2))
    other.simulate(1, 0.0)
    best = other.results()[3]
    assert best.score_sum[0] == 3.0
    assert best.utility_sum == pytest.approx(1 / (1 + np.exp(-(3 - best.score_sum[1]) / 20)))
