"""The search with an evaluator: PUCT, batches of leaves and their values, in games that are solved by hand."""

import copy
import importlib
import pickle
import sys
from collections import Counter
from math import exp, sqrt
from types import ModuleType

import numpy as np
import pytest

import almunia
from almunia import bots
from almunia.arena.runner import reveal_all
from almunia.bots.search import SearchBot, workers
from almunia.bots.search.kernels import ismcts, mlp, puct
from almunia.bots.search.kernels.tree import NO_NODE, ROOT
from almunia.bots.search.puct import PythonEvaluatorWorker
from almunia.bots.search.settings import SEARCH_DEFAULTS, puct_settings
from almunia.bots.spec import Budget
from almunia.errors import SetupError

from .coins import COINS, play_coins, viewed
from .nim import NIM, View

ORCHARD, OREGON = almunia.game("orchard"), almunia.game("oregon")
MIDDLE = 0.5  # the chance to win of two equal seats
BAD_NUMBERS = [np.nan, np.inf, -np.inf]


class Constant:
    """An evaluator with the same values everywhere, and a policy by code: even if none is given.

    It stores the observations and masks of each call.
    """

    def __init__(self, values=(MIDDLE, MIDDLE), policy=None):
        self.values, self.policy, self.calls = values, policy, []

    def evaluate(self, observations, masks):
        self.calls.append((observations.copy(), masks.copy()))
        policies = masks.astype(np.float32) if self.policy is None else np.tile(self.policy, (len(masks), 1))
        return np.tile(self.values, (len(masks), 1)), policies

    @property
    def batches(self):
        return [len(masks) for _, masks in self.calls]


class Solved:
    """The exact values of the game of matches with two seats, and an even policy."""

    def evaluate(self, observations, masks):
        wins = np.where(observations.argmax(axis=1) % 4 == 0, 0.0, 1.0)
        return np.stack([wins, 1 - wins], axis=1), masks


def worker(game, view, evaluator, seats=2, seed=1, **settings):
    """Return a worker at this view. Without settings, leaves are evaluated one by one, and a win is worth 1."""
    values = {**SEARCH_DEFAULTS, "result_weight": 1.0, "batch_size": 1.0, **settings}
    made = PythonEvaluatorWorker(game, values, seats, seed, evaluator)
    made.set_root(view)
    return made


def children(tree, node=ROOT):
    """Return a node's children by action key."""
    found, child = {}, int(tree.first_child[node])
    while child != NO_NODE:
        found[int(tree.action_key[child])] = child
        child = int(tree.next_sibling[child])
    return found


def visits(made, node=ROOT):
    """Return the visits of a node's children by action key."""
    return {key: int(made.tree.visits[child]) for key, child in children(made.tree, node).items()}


def early(game, seats=2, seed=7, actions=0):
    """Return the first observation with a choice after some actions."""
    play = game.new(seats=seats, seed=seed)
    while actions > 0 or len(play.legal_actions) == 1:
        play.apply(play.legal_actions[len(play.legal_actions) // 2])
        actions -= 1
    return play.observe(play.turn)


# --- select -------------------------------------------------------------------------------------------


def test_the_bound_of_puct():
    made = worker(NIM, View(6), Constant(), c_puct=2.0, virtual_loss=0.5)
    made.think(Budget(simulations=3))
    tree, settings, loops = made.tree, made._puct_arguments[1], NIM.kernel(puct)
    child = children(tree)[1]
    tree.visits[child], tree.pending[child], tree.availability[child], tree.prior[child] = 4, 0, 9, 0.3
    tree.utility_sum[child] = 3.0, 1.0

    def bound(mover, mean):
        return loops.puct(child, mover, mean, 1 / 0.6, made._wrapped_tree, settings)

    assert bound(0, 0.7) == pytest.approx(3 / 4 + 2 * (0.3 / 0.6) * sqrt(9) / 5)
    assert bound(1, 0.7) == pytest.approx(1 / 4 + 2 * (0.3 / 0.6) * sqrt(9) / 5)
    tree.pending[child] = 2  # each counts as a visit that is worth 0.5 less than the mean
    assert bound(0, 0.7) == pytest.approx((3 + 2 * 0.2) / 6 + 2 * (0.3 / 0.6) * sqrt(9) / 7)
    tree.visits[child], tree.pending[child], tree.utility_sum[child] = 0, 0, (0, 0)
    assert bound(0, 0.7) == pytest.approx(0.7 + 2 * (0.3 / 0.6) * sqrt(9))


@pytest.mark.parametrize("weights", [(5, 3, 2), (1, 0, 9)])
def test_equal_values_are_visited_in_proportion_to_the_priors(weights):
    made = worker(NIM, View(100), Constant(policy=weights))
    made.think(Budget(simulations=400))
    found = visits(made)
    assert [found[action] / 400 for action in range(3)] == pytest.approx(np.array(weights) / sum(weights), abs=0.02)
    assert found[1] == 0 or weights[1] > 0


def test_priors_are_the_policy_normalized_over_legal_actions():
    made = worker(NIM, View(2), Constant(policy=(3, 1, 96)))
    made.think(Budget(simulations=4))
    assert {key: float(made.tree.prior[child]) for key, child in children(made.tree).items()} == {0: 0.75, 1: 0.25}


def test_priors_are_scaled_to_the_available_actions():
    """Of two actions with small priors, the better one is chosen only if its lead exceeds the scaled bonus."""
    made = worker(NIM, View(6), Constant(policy=(1, 1, 98)))
    made.think(Budget(simulations=3))
    tree, settings, loops = made.tree, made._puct_arguments[1], NIM.kernel(puct)
    rare, tried, gone = (children(tree)[action] for action in range(3))
    tree.visits[[rare, tried]], tree.availability[[rare, tried]] = (1, 9), 9
    tree.utility_sum[rare], tree.utility_sum[tried] = 0.5, 9 * 0.6
    s, work = made._wrapped_work.states[ismcts.OBSERVED], made._wrapped_work
    loops.mark_available(s, ROOT, 3, made._wrapped_tree, work)
    assert loops.best_child(s, ROOT, made._wrapped_tree, work, settings) == gone
    work.available_at[2] = 0  # the third action is not available here
    assert loops.best_child(s, ROOT, made._wrapped_tree, work, settings) == rare


def test_more_exploration_visits_more_actions():
    def unvisited(c_puct):
        made = worker(NIM, View(7), Solved(), c_puct=c_puct)
        made.think(Budget(simulations=60))
        return min(visits(made).values())

    assert unvisited(0.1) < unvisited(100) == 20


def test_priors_count_among_available_actions_alone():
    """Seat 1 has the coins 0 and 1 in some guesses, and 1, 2 and 3 in all others."""
    made = worker(COINS, viewed(coins=(0b0001, 0b0011, 0), watchers=0b11, stop=100), Constant())
    made.think(Budget(simulations=900))
    (node,) = children(made.tree).values()
    offered = {key: int(made.tree.availability[child]) for key, child in children(made.tree, node).items()}
    assert offered[2] == offered[3] < offered[1]
    assert abs(offered[0] + offered[2] - offered[1]) <= 3  # the evaluations that added nodes
    found = visits(made, node)
    assert found[0] / offered[0] == pytest.approx(1 / 2, abs=0.1)
    assert found[2] / offered[2] == pytest.approx(1 / 3, abs=0.1)


# --- values -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heap", [5, 6, 7, 9, 10, 11, 13, 14, 15])
@pytest.mark.parametrize("batch_size", [1, 16])
def test_exact_values_choose_the_winning_move(heap, batch_size):
    made = worker(NIM, View(heap), Solved(), batch_size=batch_size)
    made.think(Budget(simulations=60))
    means = {action: one.utility_sum / one.visits for action, one in made.results().items()}
    found = visits(made)
    assert max(found, key=found.get) == max(means, key=means.get) == heap % 4 - 1
    assert sorted(means.values())[-2] < MIDDLE < max(means.values())


def test_a_search_with_exact_values_has_exact_means():
    """Each leaf is worth what it is by hand: of heap 5, taking 1 wins, and taking 2 or 3 lets the other seat win."""
    made = worker(NIM, View(5), Solved(), c_puct=0.0)
    made.think(Budget(simulations=2))
    assert {action: (one.visits, one.utility_sum) for action, one in made.results().items()} == {0: (2, 2.0)}
    made = worker(NIM, View(5), Solved(), c_puct=1e4)
    made.think(Budget(simulations=3))
    assert {action: (one.visits, one.utility_sum) for action, one in made.results().items()} == {
        0: (1, 1.0),
        1: (1, 0.0),
        2: (1, 0.0),
    }


@pytest.mark.parametrize("heap", [5, 6, 7])
def test_even_values_find_the_winning_move_by_the_ends_alone(heap):
    made = worker(NIM, View(heap), Constant())
    made.think(Budget(simulations=1500))
    found = visits(made)
    assert max(found, key=found.get) == heap % 4 - 1
    assert sum(found.values()) == 1500
    assert made.tree.visits[ROOT] == 1501  # with its own evaluation


def test_three_seats_have_a_value_each():
    """The seat to move takes the last match, and the values of leaves begin with the seat to move."""
    evaluator = Constant(values=(0.5, 0.2, 0.3))
    made = worker(NIM, View(3, seats=3), evaluator, seats=3)
    made.think(Budget(simulations=200))
    found = visits(made)
    assert max(found, key=found.get) == 2
    assert made.results()[2].utility_sum == found[2]
    first = worker(NIM, View(9, seats=3), evaluator, seats=3)
    first.think(Budget(simulations=3))
    for child in children(first.tree).values():
        assert first.tree.utility_sum[child].tolist() == [0.3, 0.5, 0.2]  # seat 1 is to move
    assert first.tree.utility_sum[ROOT].tolist() == pytest.approx([0.5 + 3 * 0.3, 0.2 + 3 * 0.5, 0.3 + 3 * 0.2])


def test_the_end_of_a_game_needs_no_evaluator():
    evaluator = Constant()
    made = worker(NIM, View(1), evaluator)
    assert made.think(Budget(simulations=50)) == 50
    assert evaluator.calls == []
    assert made.results()[0].utility_sum == 50.0
    evaluator = Constant()
    made = worker(NIM, View(3), evaluator)
    made.think(Budget(simulations=500))
    assert sum(evaluator.batches) == 2  # the positions with 3 and 2 matches; 1 match is forced


@pytest.mark.parametrize(("weight", "utility"), [(1.0, 1.0), (0.0, 1 / (1 + exp(-1 / 20))), (0.75, None)])
def test_the_end_is_worth_the_result_and_the_lead_by_their_weight(weight, utility):
    made = worker(NIM, View(1), Constant(), result_weight=weight)
    made.think(Budget(simulations=1))
    utility = 0.75 + 0.25 / (1 + exp(-1 / 20)) if utility is None else utility
    assert made.results()[0].utility_sum == pytest.approx(utility)


def test_one_seat_is_valued_in_points():
    """At the last decision of Orchard, the values are the points of each end."""
    play = almunia.game("orchard", "plain").new(seats=1, seed=3)
    while not play.over:
        before = play.copy()
        play.apply(play.legal_actions[len(play.legal_actions) // 2])
        while len(play.legal_actions) == 1:
            play.apply(play.legal_actions[0])
    ends = {}
    for action in before.legal_actions:
        after = before.copy()
        after.apply(action)
        assert after.over
        ends[action] = after.points[0]
    analyses = almunia.analyse(before.observe(0), "60", evaluator=Constant(values=(0.0,)))
    assert {one.action: one.value for one in analyses} == {one.action: ends[one.action] for one in analyses}
    assert ends[analyses[0].action] == max(ends.values())
    first = early(almunia.game("orchard", "plain"), seats=1)
    assert {one.value for one in almunia.analyse(first, "30", evaluator=Constant(values=(7.0,)))} == {7.0}


def test_the_unit_of_one_seat_is_the_lead_scale():
    settings = {**SEARCH_DEFAULTS, "lead_scale": 12.0}
    assert [puct_settings(settings, seats).utility_unit for seats in (1, 2, 3)] == [12.0, 1.0, 1.0]


# --- batches ------------------------------------------------------------------------------------------


def test_virtual_loss_gives_distinct_leaves():
    evaluator = Constant(policy=(98, 1, 1))
    made = worker(NIM, View(20), evaluator, batch_size=3, virtual_loss=10.0)
    made.think(Budget(simulations=3))
    assert evaluator.batches == [1, 3]
    assert {int(heap) for heap in evaluator.calls[1][0].argmax(axis=1)} == {17, 18, 19}
    evaluator = Constant(policy=(98, 1, 1))
    made = worker(NIM, View(20), evaluator, batch_size=3, virtual_loss=0.0)
    made.think(Budget(simulations=3))
    assert evaluator.batches == [1, 2, 1]  # the second leaf is the first one, so the batch ends
    assert {int(heap) for heap in evaluator.calls[1][0].argmax(axis=1)} == {19}


@pytest.mark.parametrize("batch_size", [1, 7])
def test_an_examined_action_gets_all_further_simulations(batch_size):
    made = worker(NIM, View(6), Solved(), batch_size=batch_size)
    made.think(Budget(simulations=40))
    before = {action: stats.visits for action, stats in made.results().items()}
    action = min(before, key=before.__getitem__)
    made.examine(action)
    made.think(Budget(simulations=20))
    assert {one: stats.visits for one, stats in made.results().items()} == before | {action: before[action] + 20}
    made.set_root(View(6))
    made.think(Budget(simulations=40))
    assert {one: stats.visits for one, stats in made.results().items()} == before


@pytest.mark.parametrize("batch_size", [1, 7, 64])
def test_no_simulation_stays_pending(batch_size):
    evaluator = Constant()
    made = worker(NIM, View(20), evaluator, batch_size=batch_size)
    made.think(Budget(simulations=300))
    size = int(made.tree.size[0])
    assert not made.tree.pending[:size].any()
    assert made.tree.visits[ROOT] == 301
    assert max(evaluator.batches) <= batch_size
    assert made.tree.utility_sum[:size].sum(axis=1) == pytest.approx(made.tree.visits[:size])


@pytest.mark.compiled
def test_batches_fill_up():
    evaluator = Constant()
    almunia.analyse(early(OREGON), "640", evaluator=evaluator, batch_size=64)
    assert evaluator.batches[0] == 1
    assert sum(evaluator.batches) == 641
    assert sum(size == 64 for size in evaluator.batches) >= 8


def test_batches_larger_than_a_piece_of_the_budget_fill_up():
    evaluator = Constant()
    worker(NIM, View(20), evaluator, batch_size=500, c_puct=100).think(Budget(simulations=2000))
    assert max(evaluator.batches) > workers.SIMULATIONS_PER_CHECK / 2


def test_a_tree_grows_with_its_leaves_and_works_at_its_limit(monkeypatch):
    monkeypatch.setattr(workers, "INITIAL_NODES", 8)
    monkeypatch.setattr(workers, "MAX_NODES", 64)
    made = worker(NIM, View(20), Constant(), batch_size=4)
    assert made.think(Budget(simulations=500)) == 500
    assert made.tree.size[0] == len(made.tree.first_child) == 64
    assert sum(visits(made).values()) == 500
    assert not made.tree.pending.any()


# --- observations, masks and hidden information -------------------------------------------------------


class Watcher(almunia.PlayEvaluator):
    """An even evaluator that stores the plays it is given."""

    def __init__(self):
        self.plays = []

    def evaluate_plays(self, plays):
        self.plays += [play.copy() for play in plays]
        policies = np.stack([play.observe(play.turn).action_mask() for play in plays])
        return np.full((len(plays), plays[0].seats), 1 / plays[0].seats), policies


@pytest.mark.parametrize("seats", [2, 3])
def test_rows_are_the_observations_and_masks_of_the_seats_to_move(seats):
    view, arrays, watcher = early(almunia.game("oregon", "plain"), seats), Constant((1 / seats,) * seats), Watcher()
    for evaluator in (arrays, watcher):
        found = almunia.analyse(view, "40", seed=3, evaluator=evaluator, c_puct=3)
    assert len({play.turn for play in watcher.plays}) > 1
    observations = np.concatenate([call[0] for call in arrays.calls])
    masks = np.concatenate([call[1] for call in arrays.calls])
    assert (observations.dtype, masks.dtype, len(masks)) == (np.float32, np.bool_, 41)
    for play, row, mask in zip(watcher.plays, observations, masks, strict=True):
        seen = play.observe(play.turn)
        assert (seen.tensor() == row).all()
        assert (seen.action_mask() == mask).all()
    assert {one.action for one in found} <= set(view.legal_actions)


def test_a_determinization_is_drawn_for_each_leaf():
    view, watcher = early(almunia.game("oregon", "plain")), Watcher()
    almunia.analyse(view, "40", seed=3, evaluator=watcher)
    hidden = Counter(play.observe(1 - view.seat).parts()["hand"].tobytes() for play in watcher.plays)
    assert len(hidden) > 20


@pytest.mark.compiled
@pytest.mark.parametrize("game", [OREGON, ORCHARD], ids=["oregon", "orchard"])
def test_a_choice_does_not_depend_on_hidden_information(game):
    view = early(game, actions=6)
    found = [
        almunia.analyse(seen, "200", seed=5, evaluator=Constant())
        for seen in (view, *(view.determinize(seed).observe(view.seat) for seed in range(3)))
    ]
    assert all(other == found[0] for other in found)


@pytest.mark.compiled
def test_a_clairvoyant_search_evaluates_the_truth():
    play, watcher = OREGON.new(seats=2, seed=7), Watcher()
    while len(play.legal_actions) == 1:
        play.apply(play.legal_actions[0])
    almunia.analyse(reveal_all(play), "20", evaluator=watcher)
    assert watcher.plays[0].to_state() == play.to_state()


def test_forced_moves_and_hidden_moves_are_followed():
    evaluator = Constant()
    made = worker(COINS, viewed(coins=(0b1111, 0b0011, 0), steps=3, single=1), evaluator, batch_size=4)
    made.think(Budget(simulations=300))
    assert sum(one.visits for one in made.results().values()) == 300
    assert not made.tree.pending[: int(made.tree.size[0])].any()
    (forced,) = children(made.tree, children(made.tree)[3]).values()
    assert made.tree.prior[forced] == puct.FORCED_PRIOR


# --- seeds, threads, copies ---------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [1, 3])
def test_equal_seeds_give_equal_visits(threads):
    view = early(OREGON, actions=4)
    found = [almunia.analyse(view, "300", seed, threads, Constant(), batch_size=8) for seed in (5, 5, 6)]
    assert found[0] == found[1] != found[2]
    assert sum(one.share for one in found[0]) == pytest.approx(1)


@pytest.mark.compiled
def test_a_bot_with_an_evaluator_plays_and_can_be_copied():
    play = OREGON.new(seats=2, seed=1)
    bot = bots.make("search:40,batch_size=4", OREGON, seed=2, evaluator=Even())
    expected = copy.deepcopy(bot).choose(early(OREGON))
    assert pickle.loads(pickle.dumps(bot)).choose(early(OREGON)) == expected  # noqa: S301 - our own
    for _ in range(20):
        play.apply(bot.choose(play.observe(play.turn)))
    assert almunia.simulate(OREGON, games=1, bots=[bot, "random"], seed=1)["scores"].shape == (1, 2)


class Even:
    """An even evaluator that can be pickled."""

    def evaluate(self, observations, masks):
        return np.full((len(masks), 2), MIDDLE), masks


def test_a_tree_is_reused_within_a_turn(monkeypatch):
    play_coins(monkeypatch)
    evaluator, view = Constant(), viewed(steps=3)
    bot = SearchBot("search:60", COINS, 1, Budget(simulations=60), {"batch_size": 4.0}, 1, evaluator)
    view.apply(bot.choose(view))
    made, node = bot._workers[0], bot._nodes[0]
    assert bot._expected_state == view.to_state()
    before, calls = int(made.tree.visits[node]), len(evaluator.calls)
    assert before > 10
    assert bot.analyse(view)
    assert made._root == node
    assert made.tree.visits[node] == before + 60
    assert evaluator.batches[calls] > 1  # not the root again


@pytest.mark.compiled
def test_a_time_budget_calls_the_evaluator_again_and_again():
    evaluator = Constant()
    almunia.analyse(early(OREGON), "50ms", evaluator=evaluator, batch_size=8)
    assert max(evaluator.batches) == 8
    assert len(evaluator.batches) > 5


def test_one_simulation_is_enough_for_a_choice():
    view = early(almunia.game("oregon", "plain"))
    policy = np.zeros(OREGON.rules.ACTIONS)
    policy[view.legal_actions[3]] = 1.0
    bot = bots.make("search:1", view.game, 1, evaluator=Constant(policy=policy + 1e-6))
    assert bot.choose(view) == view.legal_actions[3]


# --- errors -------------------------------------------------------------------------------------------


class Fixed:
    """An evaluator that returns what it is given, once; then even values."""

    def __init__(self, returned):
        self.returned = returned

    def evaluate(self, observations, masks):
        given, self.returned = self.returned, None
        return (np.full((len(masks), 2), MIDDLE), masks) if given is None else given(masks)


GOOD = np.full((1, 2), MIDDLE)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda _masks: GOOD, "returns a tuple"),
        (lambda masks: (GOOD, masks, masks), "returns a tuple"),
        (lambda masks: (np.zeros((1, 3)), masks), r"values have the shape \(1, 3\).* of the shape \(1, 2\)"),
        (lambda masks: (np.zeros(2), masks), r"values have the shape \(2,\)"),
        (lambda masks: (GOOD, masks[:, 1:]), r"policies have the shape \(1, 2\).* of the shape \(1, 3\)"),
        (lambda masks: (GOOD, masks.astype(complex)), "dtype complex"),
        *(
            (lambda masks, bad=bad: ([[0.5, bad]], masks), rf"0 to 1 with several seats .*not \[0.5, {bad}\]. Scale")
            for bad in (-1.0, -0.001, 1.001)
        ),
        (lambda masks: ([[0.5, "high"]], masks), "dtype <U"),
        (lambda masks: ([[0.5], [0.5, 0.5]], masks), "cannot become an array"),
        *((lambda masks, bad=bad: ([[0.5, bad]], masks), f"finite numbers, not .*{bad}") for bad in BAD_NUMBERS),
        *((lambda masks, bad=bad: (GOOD, masks * bad), f"finite weights .*0: {bad}") for bad in (np.nan, np.inf, -1.0)),
        (lambda masks: (GOOD, masks * [3.0, -1.0, 3.0]), "finite weights .*1: -1.0"),
        (lambda masks: (GOOD, masks * 0.0), "positive sum over|a positive sum.*{0: 0.0"),
    ],
)
def test_results_that_cannot_be_used_are_refused(returned, words):
    bot = SearchBot("search:30", NIM, 1, Budget(simulations=30), {}, 1, Fixed(returned))
    bot._workers, bot._seats = [bot._make_worker(2, 1)], 2
    made = bot._workers[0]
    made.set_root(View(20))
    with pytest.raises(SetupError, match=words):
        made.think(Budget(simulations=30))
    made.set_root(View(20))  # the evaluator is even now
    assert made.think(Budget(simulations=30)) == 30
    assert not made.tree.pending.any()


@pytest.mark.parametrize("values", [(0.0, 1.0), (-1e-7, 1 + 1e-7)])
def test_values_may_have_rounding_errors(values):
    assert worker(NIM, View(20), Constant(values=values)).think(Budget(simulations=9)) == 9


def test_an_evaluator_that_fails_leaves_no_tree_to_be_reused(monkeypatch):
    class Failing(Constant):
        def evaluate(self, observations, masks):
            if len(self.calls) > 20:
                raise ZeroDivisionError
            return super().evaluate(observations, masks)

    play_coins(monkeypatch)
    evaluator, view = Failing(), viewed(steps=3)
    bot = SearchBot("search:12", COINS, 1, Budget(simulations=12), {"batch_size": 1.0}, 1, evaluator)
    view.apply(bot.choose(view))
    assert bot._expected_state == view.to_state()
    with pytest.raises(ZeroDivisionError):
        bot.choose(view)
    evaluator.calls.clear()
    assert sum(bot._workers[0].tree.pending) > 0
    assert len(bot.analyse(view)) == 4
    (made,) = bot._workers
    assert (made._root, made.tree.visits[ROOT]) == (ROOT, 13)
    assert not made.tree.pending[: made.tree.size[0]].any()


@pytest.mark.parametrize("spec", ["greedy", "random", "turn", "medium"])
def test_only_a_search_takes_an_evaluator(spec):
    with pytest.raises(SetupError, match="takes no evaluator: write a search"):
        bots.make(spec, ORCHARD, evaluator=Constant())
    assert bots.make("expert", OREGON, evaluator=Constant())._evaluator is not None


@pytest.mark.parametrize("thing", ["net", Constant, mlp, object(), 3])
def test_objects_without_evaluate_are_refused_as_evaluators(thing):
    with pytest.raises(SetupError, match="An evaluator is an object with a method evaluate"):
        bots.make("search:10", ORCHARD, evaluator=thing)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"c_puct": -1}, "c_puct is a number from 0"),
        ({"c_puct": "2"}, "not '2'"),
        ({"batch_size": 2.5}, "batch_size is a whole number from 1"),
        ({"result_weight": 1.5}, "from 0 to 1, not 1.5"),
        ({"cpuct": 1}, "no setting 'cpuct'.*Did you mean 'c_puct'"),
    ],
)
def test_settings_of_an_analysis_are_checked(settings, words):
    with pytest.raises(SetupError, match=words):
        almunia.analyse(early(almunia.game("oregon", "plain")), "10", **settings)


# --- compiled evaluators ------------------------------------------------------------------------------


def network(game, seats, seed=0, first=6, second=5):
    """Return the weights of a network for the kernel `mlp`."""
    rng, actions, numbers = np.random.default_rng(seed), game.rules.ACTIONS, game.tensor_size
    shapes = (numbers, first), first, (first, second), second, (second, actions), actions, (second, seats), seats
    return tuple(rng.normal(size=shape).astype(np.float32) for shape in shapes)


class Network:
    """The same network in NumPy."""

    def __init__(self, weights):
        self.weights = weights

    def evaluate(self, observations, masks):
        w1, b1, w2, b2, w_policy, b_policy, w_value, b_value = (part.astype(float) for part in self.weights)
        hidden = np.maximum(np.maximum(observations @ w1 + b1, 0) @ w2 + b2, 0)
        logits = np.where(masks, hidden @ w_policy + b_policy, -np.inf)
        values = hidden @ w_value + b_value
        values = values if values.shape[1] == 1 else 1 / (1 + np.exp(-values))
        return values, np.exp(logits - logits.max(axis=1, keepdims=True))


@pytest.mark.parametrize("build", ["plain", pytest.param("compiled", marks=pytest.mark.compiled)])
@pytest.mark.parametrize(("name", "seats"), [("oregon", 2), ("oregon", 3), ("orchard", 1)])
def test_a_compiled_network_has_the_values_of_numpy(build, name, seats):
    game = almunia.game(name, build)
    weights, view = network(game, seats), early(game, seats)
    compiled = almunia.KernelEvaluator(mlp, weights, 11)
    found = almunia.analyse(view, "40", seed=2, evaluator=compiled)
    expected = almunia.analyse(view, "40", seed=2, evaluator=Network(weights), batch_size=1)
    assert [(one.action, one.share) for one in found] == [(one.action, one.share) for one in expected]
    assert [one.value for one in found] == pytest.approx([one.value for one in expected], rel=1e-4)


@pytest.mark.parametrize(
    "change",
    [
        lambda weights: (weights, 10),
        lambda weights: (weights, 0),
        lambda weights: ([weight.T for weight in weights], 11),
        lambda weights: ([weights[0][:-1], *weights[1:]], 11),  # the last number of an observation is rarely set
        lambda weights: ([*weights[:4], weights[4][:, :-1], *weights[5:]], 11),
        lambda _: (network(OREGON, 2), 11),
    ],
    ids=["scratch", "no scratch", "transposed", "numbers", "actions", "seats"],
)
def test_an_index_outside_of_an_array_is_refused_before_machine_code_uses_it(change):
    weights, scratch = change(network(OREGON, 3))
    bot = bots.make("search:5", OREGON, evaluator=almunia.KernelEvaluator(mlp, weights, scratch))
    with pytest.raises(SetupError, match=r"mlp uses an index outside of an array: Index \d+ is outside .*3 seats"):
        bot.prepare(3)


def test_the_threads_of_a_search_share_one_check_of_the_evaluator(own):
    module = own("own_counted", source=OWN.replace("\n    for p", "\n    weights[0][0] += len(scratch)\n    for p", 1))
    evaluator = almunia.KernelEvaluator(module, [np.zeros(1)], 1)
    bots.make("search:3", almunia.game("oregon", "plain"), threads=3, evaluator=evaluator).prepare(2)
    assert evaluator.weights[0][0] == 1


@pytest.mark.parametrize("kind", ["Python", "compiled"])
def test_a_search_with_an_evaluator_scores_positions_by_the_weights_of_its_bot(kind, own):
    game = almunia.game("oregon", "plain")
    play = game.new(2, seed=3)
    play.state.seat[0].joker = 0  # only seat 1 has a joker
    evaluator = Constant() if kind == "Python" else almunia.KernelEvaluator(own("own_even"))

    def scores(**given):
        bot = bots.make("search:8", game, 1, evaluator=evaluator, **given)
        return np.array([one.scores for one in bot.analyse(play.observe(play.turn))])

    assert scores(weights={"joker": 230}) - scores(weights={"joker": 200}) == pytest.approx(np.tile([0, 0.3], (8, 1)))


@pytest.mark.compiled
def test_new_weights_compile_nothing_and_changed_weights_count():
    view, weights = early(OREGON), network(OREGON, 2)
    first = almunia.analyse(view, "60", evaluator=almunia.KernelEvaluator(mlp, weights, 11))
    kernel = OREGON.linked_kernel(puct, evaluator=mlp)
    assert len(kernel.simulate.signatures) == 1
    other = network(OREGON, 2, seed=1, first=9, second=3)
    second = almunia.analyse(view, "60", evaluator=almunia.KernelEvaluator(mlp, other, 12))
    assert second != first
    assert len(kernel.simulate.signatures) == 1
    evaluator = almunia.KernelEvaluator(mlp, weights, 11)
    for array, new in zip(weights, network(OREGON, 2, seed=1), strict=True):
        array[:] = new
    assert almunia.analyse(view, "60", evaluator=evaluator) == almunia.analyse(
        view, "60", evaluator=almunia.KernelEvaluator(mlp, network(OREGON, 2, seed=1), 11)
    )


OWN = """
def evaluate(observation, mask, values, policy, weights, scratch):
    for p in range(len(values)):
        values[p] = {value}
    for action in range(len(mask)):
        policy[action] = mask[action] * {weight}
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Return a function that writes, imports and returns a module with an evaluator of the user."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(name, value="0.5", weight="1.0", source=OWN) -> ModuleType:
        (tmp_path / f"{name}.py").write_text(source.format(value=value, weight=weight))
        importlib.invalidate_caches()
        return importlib.reload(sys.modules[name]) if name in sys.modules else importlib.import_module(name)

    yield write
    for name in [name for name in sys.modules if name.startswith("own_")]:
        del sys.modules[name]


@pytest.mark.parametrize("build", ["plain", pytest.param("compiled", marks=[pytest.mark.compiled, pytest.mark.slow])])
def test_each_module_has_its_own_kernel_and_an_edit_counts(build, own):
    game = almunia.game("oregon", build)
    view = early(game)

    def values(module):
        return {one.value for one in almunia.analyse(view, "5", evaluator=almunia.KernelEvaluator(module))}

    one, other = own("own_one", "0.25"), own("own_other", "0.5")
    assert (values(one), values(other), values(one)) == ({0.25}, {0.5}, {0.25})
    one = own("own_one", "0.75")
    assert (values(one), values(other)) == ({0.75}, {0.5})
    copied = copy.deepcopy(almunia.KernelEvaluator(one, [np.ones(3)], 4))
    assert (copied.module, copied.weights[0].tolist(), copied.scratch_size) == (one, [1.0] * 3, 4)


@pytest.mark.parametrize(
    ("value", "weight", "words"),
    [("1e308 * 10", "1.0", "inf"), ("-1.0", "1.0", "0 to 1 with several"), ("0.5", "0.0", "positive")],
)
def test_a_compiled_evaluator_is_checked_like_others(own, value, weight, words):
    view = early(almunia.game("oregon", "plain"))
    with pytest.raises(SetupError, match=words):
        almunia.analyse(view, "5", evaluator=almunia.KernelEvaluator(own("own_bad", value, weight)))


def test_a_kernel_evaluator_is_made_from_a_module_with_the_function(own):
    with pytest.raises(SetupError, match="own_empty has no function `evaluate"):
        almunia.KernelEvaluator(own("own_empty", source="X = 1\n"))
    with pytest.raises(SetupError, match=r"own_short has no function `evaluate\(observation, mask, values, "):
        almunia.KernelEvaluator(own("own_short", source="def evaluate(observation, mask, values):\n    pass\n"))
    with pytest.raises(SetupError, match="A kernel is made from a module"):
        almunia.KernelEvaluator(mlp.evaluate)
    with pytest.raises(SetupError, match="number of scratch numbers"):
        almunia.KernelEvaluator(mlp, [], -1)
