"""The four steps of a tree search (select, expand, rollout, backpropagate), on trees of a game of coins."""

from math import exp, log, sqrt
from types import SimpleNamespace

import numpy as np
import pytest

from almunia.bots.search import SearchBot, bot as search_bot, workers
from almunia.bots.search.bot import is_same_turn
from almunia.bots.search.kernels import ismcts, tree as trees
from almunia.bots.search.kernels.tree import FULL, HIDDEN_MOVE, NO_ACTION, NO_NODE, OFF_TREE, ROOT
from almunia.bots.search.settings import SEARCH_DEFAULTS, search_settings, tree_settings
from almunia.bots.search.workers import TreeStep, TreeWorker, grow_tree
from almunia.bots.spec import Budget
from almunia.core.workspaces import allocate, wrap_all
from almunia.errors import SetupError

from .coins import COINS, play_coins, position, viewed

QUESTION = 0  # seat 0 in phase 0, as `question_id` says it
loops, nodes = COINS.kernel(ismcts), COINS.kernel(trees)
PLAIN = {
    "exploration": 0.0,
    "lead_scale": 1.0,
    "initial_width": 9.0,
    "widening_rate": 0.0,
    "prior_visits": 0.0,
    "rollout_decisions": 0.0,
    "rollout_candidates": 1.0,
}


def children_of(tree, node):
    """Return the numbers of a node's children, in their order."""
    found, child = [], int(tree.first_child[node])
    while child != NO_NODE:
        found.append(child)
        child = int(tree.next_sibling[child])
    return found


class Bench:
    """A position, a tree and a workspace, with the search's functions bound to them."""

    def __init__(self, states=None, room=64, **settings):
        states = position() if states is None else states
        self.tree = allocate(trees.Tree, COINS, nodes=room, seats=int(states["seats"][0]))
        self.paper = allocate(ismcts.Workspace, COINS)
        self.paper.states[ismcts.OBSERVED] = self.paper.states[ismcts.SIMULATED] = states[0]
        self.paper.rng[:] = 1, 2, 3, 4
        self.paper.root_action[0] = NO_ACTION
        self._tree, self.work = wrap_all(COINS, self.tree), wrap_all(COINS, self.paper)
        self.settings = tree_settings(SEARCH_DEFAULTS | PLAIN | settings)
        nodes.clear(self._tree)

    @property
    def s(self):
        return self.work.states[ismcts.SIMULATED]

    def add(self, node=ROOT, key=0, prior=0.0, visits=0, utility_sum=0.0, availability=0, question=QUESTION):
        """Add a child by hand, with its statistics."""
        child = nodes.add_child(self._tree, node, question, key, key, prior)
        self.tree.visits[child], self.tree.availability[child] = visits, availability
        self.tree.utility_sum[child] = utility_sum
        return child

    def children(self, node=ROOT):
        """Return the numbers of a node's children, in their order."""
        return children_of(self.tree, node)

    def keys(self, node=ROOT):
        return [int(self.tree.action_key[child]) for child in self.children(node)]

    def expand(self, node=ROOT):
        count = COINS.backend.specialize(COINS.rules).legal(self.s, self.work.actions)
        loops.expand(self.s, node, count, self._tree, self.work, self.settings)

    def best_child(self, node=ROOT):
        self.expand(node)  # marks the available actions; the tests have added these children before
        return loops.best_child(self.s, node, self._tree, self.work, self.settings)

    def select(self, root=ROOT):
        """Descend once, and return the path."""
        length = loops.select(self.s, root, self._tree, self.work, self.settings)
        return self.paper.path[:length].tolist()

    def simulate(self, simulations, seat=0):
        return loops.simulate(simulations, ROOT, seat, self._tree, self.work, self.settings)

    def by_key(self, field, node=ROOT):
        return {
            int(self.tree.action_key[child]): float(getattr(self.tree, field)[child]) for child in self.children(node)
        }


# --- select ---------------------------------------------------------------------------------------


def test_select_takes_the_best_mean_for_the_seat_to_move():
    bench = Bench(position(coins=(0b0111, 0b0111, 0)))
    bench.tree.visits[ROOT] = 20
    bench.add(key=0, visits=9, utility_sum=(4.5, 8.1), availability=20)
    high = bench.add(key=1, visits=9, utility_sum=(5.4, 0.9), availability=20)
    few = bench.add(key=2, visits=2, utility_sum=(1.0, 1.9), availability=20)
    assert bench.best_child() == high
    bench.settings = bench.settings._replace(exploration=1.0)
    assert bench.best_child() == few
    bench.settings = bench.settings._replace(exploration=0.0)
    bench.s.turn = 1
    theirs = [
        bench.add(key=name, visits=9, utility_sum=total, question=128) for name, total in enumerate([(9, 1), (1, 3)])
    ]
    assert bench.best_child() == theirs[1]


def test_ucb_counts_availability_and_not_the_visits_of_the_parent():
    bench = Bench(exploration=0.5)
    bench.tree.visits[ROOT] = 1000
    child = bench.add(visits=4, utility_sum=(3.0, 1.0), availability=9)
    bound = loops.ucb(child, 0, 0.0, bench._tree, bench.settings)
    assert bound == pytest.approx(3 / 4 + 0.5 * sqrt(log(10) / 4))
    bench.tree.availability[child] = 99
    assert loops.ucb(child, 0, 0.0, bench._tree, bench.settings) == pytest.approx(3 / 4 + 0.5 * sqrt(log(100) / 4))
    assert loops.ucb(child, 1, 0.0, bench._tree, bench.settings) == pytest.approx(1 / 4 + 0.5 * sqrt(log(100) / 4))


def test_a_prior_counts_as_visits_around_the_mean_of_the_parent():
    bench = Bench(position(coins=(0b0011, 0, 0)), prior_visits=2.0)
    bench.tree.visits[ROOT], bench.tree.utility_sum[ROOT] = 10, (7.0, 3.0)
    best = bench.add(key=0, prior=0.6, visits=3, utility_sum=(1.5, 0), availability=5)
    second = bench.add(key=1, prior=0.5)
    level = 7 / 10 - 0.6  # so that the most promising choice is expected to be worth 0.7
    assert loops.ucb(best, 0, level, bench._tree, bench.settings) == pytest.approx((1.5 + 2 * 0.7) / 5)
    assert loops.ucb(second, 0, level, bench._tree, bench.settings) == pytest.approx(0.5 + level)
    assert bench.best_child() == second  # 0.6 untried, against 0.58
    bench.tree.utility_sum[ROOT] = 5.0, 5.0
    assert bench.best_child() == best  # (1.5 + 2 * 0.5) / 5 is 0.5, against 0.4


def test_only_available_actions_are_considered_and_counted():
    bench = Bench(position(coins=(0b1011, 0, 0)))
    bench.tree.visits[ROOT] = 30
    for name, total in enumerate([(1, 0), (4, 0), (9, 0), (2, 0)]):
        bench.add(key=name, visits=10, utility_sum=total, availability=20 + name)
    assert bench.tree.action_key[bench.best_child()] == 1  # 2 is better, but not there
    assert bench.by_key("availability") == {0: 21, 1: 22, 2: 22, 3: 24}
    assert bench.by_key("visits") == dict.fromkeys(range(4), 10)


def test_progressive_widening_considers_more_actions_as_visits_grow():
    bench = Bench(initial_width=1.0, widening_rate=1.0)
    for name, prior in enumerate([0.1, 0.4, 0.2, 0.3]):
        bench.add(key=name, prior=prior, visits=1, utility_sum=(1 - prior, 0))
    assert bench.keys() == [1, 3, 2, 0]
    for visits, chosen in ((0, 1), (1, 3), (3, 3), (4, 2), (9, 0)):
        bench.tree.visits[ROOT] = visits
        assert bench.tree.action_key[bench.best_child()] == chosen, visits
    assert bench.by_key("availability") == {1: 5, 3: 4, 2: 2, 0: 1}
    bench.tree.visits[ROOT], bench.s.coins[0] = 0, 0b1001  # the next best where the most promising is not available
    assert bench.tree.action_key[bench.best_child()] == 3


def test_a_child_is_a_choice_of_the_same_seat_at_the_same_question_by_key():
    bench = Bench()
    other, phase, seen = (bench.add(key=1, question=question) for question in (128, 1, -1))
    child = bench.add(key=1)
    assert len({other, phase, seen, child}) == 4
    assert nodes.find_child(bench._tree, ROOT, QUESTION, 1) == child
    assert nodes.find_child(bench._tree, ROOT, QUESTION, 2) == NO_NODE
    assert nodes.find_child(bench._tree, child, QUESTION, 1) == NO_NODE
    bench.s.coins[0] = 0b0010
    bench.tree.utility_sum[other] = bench.tree.utility_sum[phase] = bench.tree.utility_sum[seen] = 9.0
    assert bench.best_child() == child
    bench.s.turn, bench.s.phase = 1, 5
    assert nodes.question_id(bench.s) == 133


# --- expand ---------------------------------------------------------------------------------------


def test_expand_adds_a_child_for_each_action_by_descending_prior():
    bench = Bench(position(coins=(0b1011, 0, 0), shift=(1, 0, 0)), prior_visits=1.0, lead_scale=2.0)
    bench.expand()
    assert bench.keys() == [3, 1, 0]
    assert [int(bench.tree.action[child]) for child in bench.children()] == [2, 0, 3]  # codes, of what they name
    assert [bench.tree.prior[child] for child in bench.children()] == pytest.approx(
        [1 / (1 + exp(-name / 2)) for name in (3, 1, 0)]
    )
    assert bench.by_key("availability") == {3: 0, 1: 0, 0: 0}
    assert (bench.tree.visits[:4] == 0).all()
    assert bench.tree.question[1:4].tolist() == [QUESTION] * 3


def test_expand_adds_children_for_new_actions_only():
    bench = Bench(position(coins=(0b1001, 0, 0)), prior_visits=1.0)
    bench.expand()
    before = bench.children()
    bench.expand()
    assert bench.children() == before
    bench.s.coins[0], bench.s.shift[0] = 0b0111, 2
    bench.expand()
    assert bench.keys() == [3, 2, 1, 0]
    assert bench.tree.size[0] == 5
    assert bench.paper.available_code[:3].tolist() == [2, 3, 0]  # the codes of this guess


def test_without_priors_children_stay_in_the_order_they_were_added():
    bench = Bench(position(coins=(0b1011, 0, 0)))
    bench.expand()
    assert bench.keys() == [0, 1, 3]
    assert not bench.tree.prior.any()


def test_a_forced_move_has_a_child_with_a_prior():
    bench = Bench(position(coins=(0b0100, 0, 0), watchers=0b11), prior_visits=1.0)
    path = bench.select()
    assert bench.keys() == [2]
    assert path[:2] == [ROOT, bench.children()[0]]
    assert bench.tree.prior[path[1]] == pytest.approx(1 / (1 + exp(-2)))
    bench.paper.states[ismcts.SIMULATED] = bench.paper.states[ismcts.OBSERVED]
    assert bench.select()[1] == path[1]
    assert len(bench.children()) == 1


def test_a_full_tree_keeps_its_nodes():
    bench = Bench(room=3, prior_visits=1.0)
    bench.expand()
    assert (bench.tree.size[0], bench.tree.status[0]) == (3, FULL)
    assert bench.keys() == [1, 0]
    assert bench.simulate(5) == 0  # until it has room
    larger = grow_tree(bench.tree, COINS, 8)
    assert (len(larger.first_child), larger.status[0]) == (8, trees.GROWABLE)
    assert [array[:3].tolist() for array in larger[2:]] == [array.tolist() for array in bench.tree[2:]]


# --- down the tree --------------------------------------------------------------------------------


def test_select_stops_at_a_node_without_visits():
    bench = Bench(position(coins=(0b0011, 0b0011, 0), watchers=0b11))
    path = bench.select()  # seat 0 chooses; seat 1 has seen it, and seat_nodes at a node that is new to it
    assert (path, bench.s.turns) == ([ROOT, bench.children()[0]], 1)
    assert bench.paper.seat_node[:2].tolist() == [path[1]] * 2


def test_select_plays_the_codes_of_its_determinization():
    bench = Bench(position(coins=(0b1100, 0, 0), shift=(3, 0, 0)))
    bench.tree.visits[ROOT] = 2
    bench.add(key=2, visits=1, utility_sum=(0.1, 0))
    bench.add(key=3, visits=1, utility_sum=(0.9, 0))
    bench.tree.action[:] = 9  # codes of another guess
    bench.select()
    assert bench.s.points[0] == 3


def test_select_stops_before_its_path_is_full():
    bench = Bench(position(coins=(1, 1, 1), seats=3, watchers=0b111, stop=100), room=1000)
    path = bench.select()
    assert len(path) <= len(bench.paper.path)
    assert bench.s.turns == 100 or len(path) > len(bench.paper.path) - 3
    short = Bench(position(coins=(1, 1, 1), seats=3, stop=100))
    short.paper = short.paper._replace(path=np.zeros(5, np.int64))
    short.work = wrap_all(COINS, short.paper)
    assert len(short.select()) <= 5


def move(bench, mover, child, depth=1):
    """Move every seat on after a move, and return their nodes and the new part of the path."""
    met = loops.advance_seats(bench.s, mover, child, depth, bench._tree, bench.work)
    return bench.paper.seat_node[: bench.s.seats].tolist(), bench.paper.path[depth:met].tolist()


def test_hidden_moves_share_one_node():
    bench, hidden = Bench(position(seats=3, watchers=0b100)), set()
    for name in (0, 2):
        bench.paper.seat_node[:] = ROOT
        child = bench.add(key=name)
        seat_nodes, met = move(bench, 0, child)
        assert seat_nodes == [child, seat_nodes[1], child]  # seat 2 watches
        assert met == [child, seat_nodes[1]]
        hidden.add(seat_nodes[1])
    (node,) = hidden
    assert (bench.tree.action_key[node], bench.tree.question[node]) == (HIDDEN_MOVE, -1)
    deeper = bench.add(child, key=1)
    assert move(bench, 0, deeper) == ([deeper, node, deeper], [deeper])  # another hidden move of the same seat
    bench.s.turn = 2
    seat_nodes, _ = move(bench, 2, bench.add(deeper, key=1, question=256))
    assert seat_nodes[1] != node
    assert (bench.tree.action_key[seat_nodes[1]], bench.tree.question[seat_nodes[1]]) == (HIDDEN_MOVE, -3)


def test_a_move_seen_from_another_node_adds_a_child_that_is_no_choice():
    bench = Bench(position(watchers=0b11))
    elsewhere = bench.add(key=3)
    bench.paper.seat_node[:2] = ROOT, elsewhere
    seat_nodes, met = move(bench, 0, bench.add(key=1))
    assert met == seat_nodes
    assert bench.children(elsewhere) == [seat_nodes[1]]
    assert (bench.tree.action_key[seat_nodes[1]], bench.tree.question[seat_nodes[1]]) == (1, -1 - QUESTION)
    bench.paper.seat_node[:2] = ROOT, elsewhere
    assert move(bench, 0, bench.add(key=2))[0][1] != seat_nodes[1]


def test_a_node_that_several_seats_reach_is_on_the_path_once():
    bench = Bench(position(seats=3))
    bench.paper.seat_node[:] = ROOT
    seat_nodes, met = move(bench, 0, bench.add(key=1))
    assert seat_nodes[1] == seat_nodes[2] != seat_nodes[0]
    assert met == seat_nodes[:2]


def test_a_seat_off_the_tree_ends_the_selection_at_its_turn():
    bench = Bench(room=2)
    bench.paper.seat_node[:] = ROOT
    seat_nodes, met = move(bench, 0, bench.add(key=1))
    assert (seat_nodes, met) == ([1, OFF_TREE], [1])
    assert move(bench, 0, 1)[0] == [1, OFF_TREE]
    path = bench.select()
    assert (path, bench.s.turns) == ([ROOT, 1], 1)


# --- rollout --------------------------------------------------------------------------------------


def test_a_rollout_counts_decisions_with_a_choice_alone():
    bench = Bench(position(coins=(0b0001, 0b0011, 0), stop=20), rollout_decisions=3.0)
    loops.rollout(bench.s, 0, bench.work, bench.settings)
    assert bench.s.turns == 6
    bench.settings = bench.settings._replace(rollout_decisions=100.0)
    loops.rollout(bench.s, 0, bench.work, bench.settings)
    assert (bench.s.turns, bench.s.over) == (20, 1)


@pytest.mark.parametrize(("turns", "end"), [(0, 4), (3, 4), (4, 4), (6, 6), (50, 20)])
def test_a_rollout_that_lasts_for_rounds_ends_with_a_turn(turns, end):
    bench = Bench(position(coins=(1, 1, 0), turns=3, turn=1, phase=1, steps=3, stop=20), rollout_rounds=1.0)
    loops.rollout(bench.s, turns, bench.work, bench.settings)
    assert (bench.s.turns, bench.s.phase) == (end, 0)


@pytest.mark.parametrize(("decisions", "end"), [(1, 3), (9, 3), (10, 4), (12, 4), (13, 5)])
def test_a_rollout_with_more_decisions_than_its_rounds_ends_with_a_turn_too(decisions, end):
    bench = Bench(position(steps=3, stop=20), rollout_rounds=1.0, rollout_decisions=decisions)
    loops.rollout(bench.s, 3, bench.work, bench.settings)
    assert (bench.s.turns, bench.s.phase) == (end, 0)


def test_the_rounds_of_a_rollout_count_from_the_root():
    bench = Bench(position(turns=2, stop=20), rollout_rounds=2.0)
    bench.simulate(1)
    assert bench.s.turns == 2 + 2 * 2


@pytest.mark.parametrize(("size", "names"), [(1, {0, 1, 2, 3}), (2, {1, 2, 3}), (3, {2, 3}), (4, {3}), (99, {3})])
def test_a_rollout_takes_the_best_of_a_sample_without_replacement(size, names):
    bench, taken = Bench(rollout_decisions=1.0, rollout_candidates=size), set()
    for _ in range(60):
        bench.paper.states[ismcts.SIMULATED] = bench.paper.states[ismcts.OBSERVED]
        loops.rollout(bench.s, 0, bench.work, bench.settings)
        assert bench.s.turns == 1
        taken.add(int(bench.s.points[0]))
    assert taken == names


def test_the_sample_of_a_rollout_is_uniform():
    """Of two out of four, the best is the last one in 3 of 6 pairs, the third in 2, and the second in 1."""
    bench, taken, draws = Bench(rollout_candidates=2.0), [0] * 4, 2000
    for _ in range(draws):
        bench.paper.actions[:4] = range(4)
        taken[loops.best_of_sample(bench.s, 4, bench.work, bench.settings)] += 1
    assert [count / draws for count in taken] == pytest.approx([0, 1 / 6, 1 / 3, 1 / 2], abs=0.03)


# --- what came of it, and backpropagate -----------------------------------------------------------


def logistic(x):
    return 1 / (1 + exp(-x))


@pytest.mark.parametrize(
    ("seats", "points", "over", "utility"),
    [
        (2, (5, 3), 0, (logistic(1), logistic(-1))),
        (3, (5, 3, 9), 0, (logistic(-2), logistic(-3), logistic(2))),
        (2, (5, 3), 1, (0.75 + logistic(1) / 4, logistic(-1) / 4)),
        (3, (5, 3, 5), 1, (0.375 + 0.125, logistic(-1) / 4, 0.375 + 0.125)),
    ],
)
def test_the_utility_of_a_seat_is_its_lead_and_at_the_end_its_rank(seats, points, over, utility):
    bench = Bench(position(seats=seats, over=over), lead_scale=2.0)
    bench.paper.states["points"][ismcts.SIMULATED, :seats] = points
    loops.evaluate_leaf(bench.s, bench.work, bench.settings)
    assert bench.paper.utility[:seats] == pytest.approx(utility)
    assert bench.paper.evaluation.values[:seats].tolist() == list(points)


def test_large_leads_have_utilities_of_zero_or_one():
    assert [loops.win_probability(lead, 2.0) for lead in (-1e6, 0.0, 1e6)] == [0.0, 0.5, 1.0]


def test_backpropagate_adds_utilities_and_scores_to_every_node_of_the_path():
    bench = Bench()
    first, second, beside = bench.add(key=0), bench.add(key=1), bench.add(key=2)
    bench.paper.path[:4] = ROOT, second, first, beside
    bench.paper.utility[:2], bench.paper.evaluation.values[:2] = (0.25, 0.5), (7, -2)
    for _ in range(2):
        loops.backpropagate(3, 2, bench._tree, bench.work)
    for node in (ROOT, first, second):
        assert (bench.tree.visits[node], bench.tree.availability[node]) == (2, 0)
        assert bench.tree.utility_sum[node].tolist() == [0.5, 1.0]
        assert bench.tree.evaluation_sum[node].tolist() == [14.0, -4.0]
    for statistics in (bench.tree.visits, bench.tree.utility_sum, bench.tree.evaluation_sum):
        assert not statistics[beside].any()


# --- whole simulations ----------------------------------------------------------------------------

SEARCHED = {
    "exploration": 0.4,
    "prior_visits": 1.0,
    "lead_scale": 3.0,
    "rollout_decisions": 2.0,
    "rollout_candidates": 2.0,
}


def test_simulations_add_up():
    bench = Bench(position(watchers=0b11), room=4096, **SEARCHED)
    assert bench.simulate(300) == 300
    visits, size = bench.tree.visits, int(bench.tree.size[0])
    assert visits[ROOT] == sum(visits[child] for child in bench.children()) == 300
    assert bench.tree.utility_sum[:size].sum(axis=1) == pytest.approx(visits[:size])  # among two, to 1 each time
    assert all(visits[node] >= sum(visits[child] for child in bench.children(node)) for node in range(size))
    assert visits[bench.children()[0]] == max(visits[1:])
    assert bench.keys()[0] == 3  # the coin that scores most
    assert bench.by_key("availability") == dict.fromkeys(range(4), 300)


def test_availability_is_counted_by_determinization():
    """Seat 1 has the coins 0 and 1 in some guesses, and 1, 2 and 3 in all others."""
    bench = Bench(position(coins=(0b0001, 0b1111, 0), watchers=0b11), room=4096, **SEARCHED)
    bench.simulate(200)
    (node,) = bench.children()
    offered = bench.by_key("availability", node)
    assert 0 < offered[0] < 199
    assert offered == {0: offered[0], 1: 199, 2: 199 - offered[0], 3: 199 - offered[0]}
    assert sum(bench.by_key("visits", node).values()) == 199  # its first visit ended there


def test_the_tree_does_not_depend_on_hidden_information():
    grown = []
    for hidden in (0b0011, 0b1110):
        seen = position(coins=(0b1111, hidden, 0), shift=(1, hidden % 4, 0), steps=2)
        bench = Bench(seen, room=4096, **SEARCHED)
        bench.simulate(150)
        assert bench.paper.states[ismcts.OBSERVED].tobytes() == seen[0].tobytes()
        grown.append([array.tobytes() for array in (*bench.tree, bench.paper.rng)])
    assert grown[0] == grown[1]


def test_a_clairvoyant_search_does_not_determinize():
    bench = Bench(
        position(coins=(0b0001, 0b0110, 0), watchers=0b11), room=4096, **SEARCHED | {"rollout_decisions": 0.0}
    )
    bench.paper.clairvoyant[0] = 1
    bench.simulate(60)
    (node,) = bench.children()
    assert bench.keys(node) == [2, 1]
    assert bench.paper.rng.tolist() == [1, 2, 3, 4]


def test_the_visit_lead_is_between_the_two_most_visited_actions():
    bench = Bench()
    for name, visits in ((0, 4), (1, 11), (HIDDEN_MOVE, 50), (2, 7)):
        bench.add(key=name, visits=visits)
    assert loops.visit_lead(ROOT, bench._tree) == 4
    assert loops.visit_lead(1, bench._tree) == 0


# --- a worker, from one decision to the next ------------------------------------------------------


def grower(seats=2, seed=1, **settings):
    return TreeWorker(COINS, tree_settings(SEARCH_DEFAULTS | SEARCHED | settings), seats, seed)


def test_a_tree_is_reused_below_the_chosen_action():
    one = grower()
    one.set_root(viewed(steps=2))
    assert one.simulate(80, 0.0) == 80
    assert one.descend_to([]) == ROOT
    assert one.descend_to([TreeStep(QUESTION, 3), TreeStep(7, 1)]) == NO_NODE
    node, visits = one.descend_to([TreeStep(QUESTION, 3)]), one.tree.visits.copy()
    assert one.tree.action_key[node] == 3
    assert visits[node] > 10
    later = viewed(steps=2, phase=1, points=(3, 0, 0))
    one.set_root(later, node)
    one.simulate(40, 0.0)
    assert all(one.tree.visits[beside] == visits[beside] for beside in children_of(one.tree, ROOT) if beside != node)
    assert (one.tree.visits[node], one.tree.visits[ROOT]) == (visits[node] + 40, 80)
    assert sum(found.visits for found in one.results().values()) == visits[node] + 40 - 1
    one.set_root(later)
    assert (one.tree.size[0], one.tree.visits[ROOT], one.descend_to([TreeStep(1, 3)])) == (1, 0, NO_NODE)


def test_a_search_reuses_its_tree_beyond_forced_moves(monkeypatch):
    play_coins(monkeypatch)
    bot, view = SearchBot("search:60", COINS, 1, Budget(simulations=60), SEARCHED), viewed(steps=3, single=1)
    assert bot.choose(view) == 3
    tree = bot._workers[0].tree
    for action in (3, 0):
        assert action in view.legal_actions
        view.apply(action)
    assert bot._expected_state == view.to_state()
    node, visits = bot._nodes[0], tree.visits[bot._nodes[0]]
    assert (tree.question[node], tree.action_key[node]) == (1, 0)
    assert visits > 0
    assert bot.choose(view) == 3
    assert (bot._workers[0]._root, tree.visits[node] > visits) == (node, True)
    assert bot._expected_state == b""  # the turn is over


@pytest.mark.parametrize("choose", [SearchBot.choose, SearchBot.analyse])
def test_the_time_of_a_search_runs_once_it_is_prepared(monkeypatch, choose):
    clock, budgets = SimpleNamespace(now=0.0), []

    class Compiling(SearchBot):
        def prepare(self, seats):
            super().prepare(seats)
            clock.now += 10

    def think(worker, budget, _):
        budgets.append(budget)
        return worker.simulate(1, 0.0)

    play_coins(monkeypatch)
    monkeypatch.setattr(search_bot, "perf_counter", lambda: clock.now)
    monkeypatch.setattr(TreeWorker, "think", think)
    choose(Compiling("search:1s", COINS, 1, Budget(seconds=1.0), SEARCHED, threads=2), viewed())
    assert budgets == [Budget(seconds=1.0)] * 2


@pytest.mark.parametrize(
    ("other", "same"), [({}, True), ({"turn": 0}, False), ({"turns": 5}, False), ({"reveals": 3}, False)]
)
def test_a_turn_lasts_until_another_seat_moves_or_a_reveal(other, same):
    view = SimpleNamespace(seat=1, turns=4, reveals=2)
    assert is_same_turn(view, SimpleNamespace(**{"turn": 1, "turns": 4, "reveals": 2} | other)) == same


def test_a_tree_grows_as_far_as_it_may_and_is_cleared_when_half_full(monkeypatch):
    monkeypatch.setattr(workers, "INITIAL_NODES", 8)
    monkeypatch.setattr(workers, "MAX_NODES", 40)
    one = grower()
    one.set_root(viewed(stop=9, watchers=3))
    one.simulate(300, 0.0)
    assert (len(one.tree.first_child), one.tree.size[0], one.tree.visits[ROOT]) == (40, 40, 300)
    assert one.tree.status[0] == trees.AT_CAPACITY
    one.set_root(viewed(), one.descend_to([TreeStep(QUESTION, 3)]))
    assert (one.tree.size[0], one.tree.status[0]) == (1, trees.GROWABLE)


def test_the_results_of_a_worker_are_for_its_seat_by_code():
    one = grower()
    one.set_root(viewed(1))
    for name, total in ((2, (1.0, 3.0)), (HIDDEN_MOVE, (9.0, 9.0))):
        child = one._trees.add_child(one._wrapped_tree, ROOT, 128, name, 7, 0.0)
        one.tree.visits[child], one.tree.utility_sum[child], one.tree.evaluation_sum[child] = 4, total, (8, 12)
    one._trees.add_child(one._wrapped_tree, ROOT, 128, 3, 5, 0.0)  # not visited, so not considered
    (action,), (found,) = one.results(), one.results().values()
    assert (action, found.visits, found.utility_sum, found.score_sum.tolist()) == (7, 4, 3.0, [8.0, 12.0])


def test_a_choice_is_settled_once_the_rest_cannot_change_it():
    one = grower()
    for name, visits in ((0, 9), (1, 4)):
        one.tree.visits[one._trees.add_child(one._wrapped_tree, ROOT, QUESTION, name, name, 0.0)] = visits
    assert [one.is_decided(left) for left in (4, 5, 6)] == [True, False, False]


def test_a_worker_is_reproducible_from_seed_and_memory():
    def grown(one):
        one.set_root(viewed())
        one.simulate(30, 0.0)
        return one.tree.utility_sum.tobytes()

    one, other = grower(seed=5), grower(seed=6)
    kept = one.memory
    first = grown(one)
    assert grown(other) != first
    other.start(5)
    assert grown(other) == first
    later = one.memory.tolist()
    other.memory = kept
    assert (grown(other), other.memory.tolist()) == (first, later)


def test_settings_override_those_of_the_game_and_defaults():
    game = SimpleNamespace(bots=SimpleNamespace(SEARCH={"exploration": 0.3, "rollout_decisions": 2}))
    found = search_settings(game, {"rollout_decisions": 5.0})
    assert found == SEARCH_DEFAULTS | {"exploration": 0.3, "rollout_decisions": 5.0}
    assert tree_settings(found)._asdict() == {name: found[name] for name in ismcts.Settings._fields}


def test_an_unknown_setting_of_a_game_is_refused():
    game = SimpleNamespace(name="coins", bots=SimpleNamespace(SEARCH={"explore": 0.3}))
    with pytest.raises(SetupError, match="`SEARCH` of coins sets 'explore', and a search has no such setting"):
        search_settings(game, {})
