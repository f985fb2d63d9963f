"""Workers of a search. A worker has its own workspace and random numbers, so that it can run in its own thread."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...core.loaded import LoadedGame
from ...core.weights import Weights
from ...core.workspaces import allocate, wrap_all
from ...engine.kernels.rng import seed_rng
from ...engine.pool import check_stop
from ...errors import SetupError
from ...play.play import ClairvoyantObservation, Observation, Play
from ..spec import Budget
from .kernels import beam, ismcts, tree as trees
from .kernels.ismcts import Settings
from .kernels.tree import AT_CAPACITY, HIDDEN_MOVE, NO_ACTION, NO_NODE, ROOT, Tree

INITIAL_NODES, MAX_NODES = 1 << 12, 1 << 19  # of a tree
SECONDS_PER_CHECK = 0.01  # between two readings of the clock
SIMULATIONS_PER_CHECK = 200  # between two checks whether the choice is decided


class TreeStep(NamedTuple):
    """The key of a decision in a tree."""

    question: int  # `tree.question_id`
    action_key: int  # by `rules.action_key`


class ActionStats(NamedTuple):
    visits: int
    utility_sum: float  # over the visits, for the seat that chooses; points if there is one seat
    score_sum: npt.NDArray[np.float64]  # (seats or more,), evaluations in points, over the visits


class Worker(ABC):
    rng: npt.NDArray[np.int64]  # (4,), its random number generator
    batch_size = 1  # the number of leaves that an evaluator values at a time
    tree: Tree | None = None  # if it searches in a tree

    @abstractmethod
    def set_root(self, observation: Observation, node: int = NO_NODE) -> None:
        """Set the position from which the worker searches. `node` is the position's node in the tree.

        A TreeWorker clears its tree if there is no node, or if the tree has more than half of MAX_NODES.
        """

    @abstractmethod
    def simulate(self, simulations: int, used: float) -> int:
        """Run `simulations` simulations, and return the number. `used` is the used share of the budget, 0 to 1.

        A BeamWorker instead tries each remaining candidate once, and returns the number of candidates. A worker with an
        evaluator in Python stops after one call of the evaluator.
        """

    @abstractmethod
    def examine(self, action: int) -> None:
        """Let all simulations until the next `set_root` try this legal action; a BeamWorker also tries the best one."""

    @abstractmethod
    def results(self) -> dict[int, ActionStats]:
        """Return the statistics of the actions that were considered, by code."""

    def start(self, seed: int) -> None:
        """Seed the random number generator, and clear the tree if there is one."""
        seed_rng(self.rng, seed)

    @property
    def memory(self) -> npt.NDArray[np.int64]:
        """The data that a worker keeps from turn to turn, int64. Setting the memory clears the worker's tree."""
        return self.rng.copy()

    @memory.setter
    def memory(self, saved: npt.NDArray[np.int64]) -> None:
        self.rng[:] = saved

    def descend_to(self, steps: Sequence[TreeStep]) -> int:
        """Return the node that these steps reach from the root; NO_NODE if the worker has no such node."""
        return NO_NODE

    def is_decided(self, simulations_left: int) -> bool:
        """Return whether the worker knows that `simulations_left` simulations cannot change the most visited action."""
        return False

    def think(self, budget: Budget, stop_if_decided: bool = False) -> int:
        """Use the budget; with `stop_if_decided`, stop when the choice is decided. Return the number of simulations."""
        if budget.simulations is not None:
            done, total = 0, budget.simulations
            while done < total and not (stop_if_decided and self.is_decided(total - done)):
                check_stop()
                done += self.simulate(min(max(SIMULATIONS_PER_CHECK, self.batch_size), total - done), done / total)
            return done
        return self._think_for(budget.seconds or 0.0, stop_if_decided)

    def _think_for(self, seconds: float, stop_if_decided: bool) -> int:
        start = perf_counter()
        done, spent = self.simulate(1, 0.0), perf_counter() - start
        while spent < seconds and not (stop_if_decided and self.is_decided(int(done / spent * (seconds - spent)))):
            check_stop()
            chunk = max(done / spent * SECONDS_PER_CHECK, self.batch_size)
            chunk = min(chunk, done / spent * (seconds - spent) / 2)
            done += self.simulate(max(1, int(chunk)), spent / seconds)
            spent = perf_counter() - start
        return done


class TreeWorker(Worker):
    tree: Tree

    def __init__(
        self, game: LoadedGame, settings: Settings, seats: int, seed: int, weights: Weights | None = None
    ) -> None:
        self._game, self._scale = game, game.bots.VALUE_SCALE
        self.settings = settings._replace(lead_scale=settings.lead_scale * self._scale)
        self.work = allocate(ismcts.Workspace, game, weights)
        self.rng, self._wrapped_work = self.work.rng, wrap_all(game, self.work)
        self.set_tree(allocate(Tree, game, nodes=INITIAL_NODES, seats=seats))
        self._search, self._trees = game.kernel(ismcts), game.kernel(trees)
        self._root, self._seat = ROOT, 0
        self.start(seed)
        self._run(0)  # compiles the search; the next two lines compile the other kernels
        self.descend_to([TreeStep(0, 0)])
        self.is_decided(0)

    def start(self, seed: int) -> None:
        super().start(seed)
        self._clear(INITIAL_NODES)

    @property
    def memory(self) -> npt.NDArray[np.int64]:
        """The random number generator and the capacity of the tree in nodes, int64 (5,)."""
        return np.array([*self.rng, len(self.tree.first_child)])

    @memory.setter
    def memory(self, saved: npt.NDArray[np.int64]) -> None:
        nodes = int(saved[-1])
        if not INITIAL_NODES <= nodes <= MAX_NODES:
            raise SetupError(
                f"The memory of a search is damaged: its tree has {nodes} nodes, and trees have {INITIAL_NODES} to "
                f"{MAX_NODES}. Call `start` instead, to begin without a memory."
            )
        self.rng[:] = saved[:-1]
        self._clear(nodes)

    def _clear(self, nodes: int) -> None:
        if len(self.tree.first_child) != nodes:
            self.set_tree(allocate(Tree, self._game, nodes=nodes, seats=self.tree.utility_sum.shape[1]))
        self._trees.clear(self._wrapped_tree)

    def set_tree(self, tree: Tree) -> None:
        self.tree, self._wrapped_tree = tree, wrap_all(self._game, tree)

    def set_root(self, observation: Observation, node: int = NO_NODE) -> None:
        self.work.states[ismcts.OBSERVED] = observation.array[0]
        self.work.clairvoyant[0] = isinstance(observation, ClairvoyantObservation)
        self._root, self._seat = node, observation.seat
        self.work.root_action[0] = NO_ACTION
        if node == NO_NODE or 2 * self.tree.size[0] > MAX_NODES:  # a half full tree would leave too little room
            self._root = ROOT
            self._trees.clear(self._wrapped_tree)

    def examine(self, action: int) -> None:
        self.work.root_action[0] = action

    def simulate(self, simulations: int, used: float) -> int:
        done = 0
        while True:
            done += self._run(simulations - done)
            if done == simulations:
                return done
            self._make_room()

    def _run(self, simulations: int) -> int:
        """Run simulations until the tree is full, and return their number."""
        place = self._root, self._seat, self._wrapped_tree, self._wrapped_work
        return int(self._search.simulate(simulations, *place, self.settings))

    def _make_room(self) -> None:
        """Double the capacity of a full tree, up to MAX_NODES. At that limit, mark the tree as AT_CAPACITY."""
        nodes = min(2 * len(self.tree.first_child), MAX_NODES)
        if nodes == len(self.tree.first_child):
            self.tree.status[0] = AT_CAPACITY
        else:
            self.set_tree(grow_tree(self.tree, self._game, nodes))

    def is_decided(self, simulations_left: int) -> bool:
        return int(self._search.visit_lead(self._root, self._wrapped_tree)) > simulations_left

    def descend_to(self, steps: Sequence[TreeStep]) -> int:
        node = self._root
        for step in steps:
            node = int(self._trees.find_child(self._wrapped_tree, node, *step))
            if node == NO_NODE:
                break
        return node

    def results(self) -> dict[int, ActionStats]:
        tree, stats, node = self.tree, dict[int, ActionStats](), int(self.tree.first_child[self._root])
        while node != NO_NODE:
            if tree.visits[node] and tree.action_key[node] != HIDDEN_MOVE:
                utility_sum = float(tree.utility_sum[node, self._seat])
                score_sum = tree.evaluation_sum[node] / self._scale
                code = int(tree.action[node])  # at the root, the same in all determinizations
                stats[code] = ActionStats(int(tree.visits[node]), utility_sum, score_sum)
            node = int(tree.next_sibling[node])
        return stats


class BeamWorker(Worker):
    """A worker that compares candidates by beam searches, for a seat that no opponent can affect."""

    def __init__(
        self,
        game: LoadedGame,
        settings: Mapping[str, float],
        seats: int,
        seed: int,
        weights: Weights | None = None,
    ) -> None:
        self._max_candidates, self._scale, self._seats = int(settings["candidates"]), game.bots.VALUE_SCALE, seats
        self._lead_scale = settings["lead_scale"]
        self._work = allocate(beam.Workspace, game, weights, width=int(settings["beam_width"]))
        self._candidates = allocate(beam.Candidates, game)
        self.rng, self._wrapped = self._work.rng, (wrap_all(game, self._candidates), wrap_all(game, self._work))
        self._search = game.kernel(beam)
        play = Play.start(game, seats, 0, {})
        self.set_root(play.observe(play.turn))
        self.simulate(1, 0.0)  # compiles everything
        self.start(seed)

    def set_root(self, observation: Observation, node: int = NO_NODE) -> None:
        self._work.states[beam.OBSERVED] = observation.array[0]
        self._work.clairvoyant[0] = isinstance(observation, ClairvoyantObservation)
        self._seat, self._examined = observation.seat, NO_ACTION
        self._count = int(self._search.rank_candidates(self._seat, *self._wrapped))

    def simulate(self, simulations: int, used: float) -> int:
        """Try the remaining candidates in one determinization, and return their number.

        The number falls exponentially from the setting `candidates` to two, as the budget is used up. If fewer actions
        are legal, the number is lower.
        """
        first = min(self._max_candidates, self._count)
        remaining = min(self._count, max(2, round(first ** (1 - used))))
        if self._examined != NO_ACTION:
            remaining = min(self._count, 2)
            self._move_to(remaining - 1, self._examined)
        self._search.evaluate_candidates(remaining, self._seat, *self._wrapped)
        return remaining

    def examine(self, action: int) -> None:
        self._examined = action

    def _move_to(self, slot: int, action: int) -> None:
        """Swap the candidate of this action with the candidate in a slot, unless it is in a slot before."""
        candidates = self._candidates
        there = int(np.flatnonzero(candidates.action[: self._count] == action)[0])
        if there > slot:
            for column in (candidates.action, candidates.value_sum, candidates.determinizations):
                column[[slot, there]] = column[[there, slot]]

    def results(self) -> dict[int, ActionStats]:
        candidates, stats = self._candidates, dict[int, ActionStats]()
        for i in range(self._count):
            if visits := int(candidates.determinizations[i]):
                stats[int(candidates.action[i])] = self._stats(visits, candidates.value_sum[i] / self._scale)
        return stats

    def _stats(self, visits: int, own_sum: float) -> ActionStats:
        """Return the statistics of an action. `own_sum` sums the seat's evaluations in points over the visits."""
        if self._seats == 1:
            return ActionStats(visits, own_sum, np.array([own_sum]))
        score_sum = self._candidates.greedy_sum / self._scale / self._candidates.rounds * visits
        score_sum[self._seat] = own_sum
        lead = (own_sum - max(score_sum[p] for p in range(self._seats) if p != self._seat)) / visits
        return ActionStats(visits, visits * ismcts.win_probability(lead, self._lead_scale), score_sum)


def grow_tree(tree: Tree, game: LoadedGame, nodes: int) -> Tree:
    """Return a copy of a tree with room for `nodes` nodes."""
    larger = allocate(Tree, game, nodes=nodes, seats=tree.utility_sum.shape[1])
    larger.size[0] = tree.size[0]
    for old, new in zip(tree[2:], larger[2:], strict=True):
        new[: len(old)] = old
    return larger
