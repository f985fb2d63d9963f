"""The bot `search`: workers search in parallel, and their results are merged."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...core.loaded import LoadedGame
from ...core.weights import Weights
from ...engine.pool import check_threads, parallel_map
from ...errors import IllegalAction, SetupError
from ...play.play import ClairvoyantObservation, Observation, Play
from ...validation import check_seed
from ..base import StatefulBot, check_turn
from ..spec import DEFAULT_BUDGET, Budget, check_setting
from .evaluators import AnyEvaluator, KernelEvaluator, check_evaluator
from .kernels import tree as trees
from .kernels.tree import NO_NODE, Tree
from .puct import KernelEvaluatorWorker, PythonEvaluatorWorker, check_bounds
from .settings import SEARCH_RANGES, search_settings, tree_settings
from .workers import ActionStats, BeamWorker, TreeStep, TreeWorker, Worker, grow_tree

EXAMINED_SHARE = 0.25  # of the budget, for one action
SEED_STRIDE = 0x9E3779B97F4A7C15  # between the seeds of two workers


class ActionAnalysis(NamedTuple):
    """The results of a search for one legal action."""

    action: int  # its code
    share: float  # of all visits
    value: float  # mean utility to the seat that chooses: 0 to 1 with several seats, points with one
    scores: tuple[float, ...]  # mean evaluation of the positions that the search reached, in points by seat


class SearchBot(StatefulBot):
    """A bot that searches. With a budget in simulations, its seed, threads and observations determine its choices.

    A budget in seconds begins after `prepare`. `choose` does not search for a forced move. With one thread, a tree
    search that chooses stops when the rest of the budget is not expected to change the choice. For a
    `ClairvoyantObservation`, the search does not determinize. With an evaluator, the search is a tree search by PUCT.
    """

    def __init__(
        self,
        spec: str,
        game: LoadedGame,
        seed: int,
        budget: Budget = DEFAULT_BUDGET,
        settings: Mapping[str, float] | None = None,
        threads: int = 1,
        evaluator: AnyEvaluator | None = None,
        weights: Weights | None = None,
    ) -> None:
        self.spec, self.game, self.budget, self._evaluator = spec, game, budget, check_evaluator(evaluator)
        self._settings, self._weights = search_settings(game, settings or {}), weights
        threads = check_threads(threads)
        self._seeds = worker_seeds(seed, threads)
        self._seats, self._workers = 0, list[Worker]()
        self._expected_state = b""  # the masked state in which the trees can be reused, or empty
        self._nodes = [NO_NODE] * threads  # the node of that state in each tree

    def prepare(self, seats: int, /) -> None:
        if seats != self._seats:
            if isinstance(self._evaluator, KernelEvaluator):
                check_bounds(self.game, self._evaluator, seats)
            self._workers, self._seats = [self._make_worker(seats, seed) for seed in self._seeds], seats
            self._expected_state = b""
            Play.start(self.game, seats, 0, {}).observe(0).determinize(0)  # compiles what `_reuse_trees` needs

    def start(self, seed: int) -> None:
        self._seeds, self._expected_state = worker_seeds(seed, len(self._seeds)), b""
        for worker, worker_seed in zip(self._workers, self._seeds, strict=bool(self._workers)):
            worker.start(worker_seed)

    @property
    def memory(self) -> npt.NDArray[np.int64]:
        """The memories of all workers, int64; empty before `prepare`. Setting the memory discards the trees."""
        return np.concatenate([np.zeros(0, np.int64), *(worker.memory for worker in self._workers)])

    @memory.setter
    def memory(self, saved: npt.NDArray[np.int64]) -> None:
        if len(saved) != len(self.memory):
            raise SetupError(f"The bot {self.spec!r} needs `prepare(seats)` before its memory is set.")
        self._expected_state = b""
        for worker, part in zip(self._workers, np.split(saved, len(self._workers) or 1), strict=bool(self._workers)):
            worker.memory = part

    def choose(self, observation: Observation, /) -> int:
        check_turn(observation, self.spec)
        legal = observation.legal_actions
        return legal[0] if len(legal) == 1 else self.rank_actions(observation)[0].action

    def rank_actions(self, observation: Observation) -> list[ActionAnalysis]:
        """Search as `choose` does, and return the analyses of the considered actions, the chosen action first.

        Unlike `choose`, also search if only one action is legal. Raise IllegalAction if the observation's seat is not
        to move.
        """
        check_turn(observation, self.spec)
        self._search(observation, to_choose=True)
        analyses = self._merge_results(observation)
        self._reuse_trees(observation, analyses[0].action)
        return analyses

    def analyse(self, observation: Observation) -> list[ActionAnalysis]:
        """Search with the whole budget, and return the analyses of the considered actions, the most visited first.

        Raise IllegalAction if the observation's seat is not to move.
        """
        check_turn(observation, self.spec)
        self._search(observation)
        return self._merge_results(observation)

    def examine(self, observation: Observation, action: int) -> ActionAnalysis:
        """Search on after `analyse` with a quarter of the budget, in which the action is always tried; analyse it.

        Raise IllegalAction if the action is not legal. The share of its visits counts these simulations.
        """
        if action not in observation.legal_actions:
            raise IllegalAction(f"Action {action} is not legal here, so it cannot be examined.")
        for worker in self._workers:
            worker.examine(action)
        budgets = [part.part(EXAMINED_SHARE) for part in self._budgets(perf_counter())]
        parallel_map(lambda worker, part: worker.think(part), self._workers, budgets)
        return next(analysis for analysis in self._merge_results(observation) if analysis.action == action)

    def _search(self, observation: Observation, to_choose: bool = False) -> None:
        self.prepare(observation.seats)
        start = perf_counter()  # after `prepare`, which can compile for seconds
        reusable = self._expected_state == observation.to_state()
        self._expected_state = b""  # the trees change, also if an evaluator fails
        for worker, node in zip(self._workers, self._nodes, strict=True):
            worker.set_root(observation, node if reusable else NO_NODE)
        # With several trees, no worker knows the sum of the visits in all trees.
        stop_if_decided = to_choose and len(self._workers) == 1
        parallel_map(lambda worker, part: worker.think(part, stop_if_decided), self._workers, self._budgets(start))

    def _make_worker(self, seats: int, seed: int) -> Worker:
        if isinstance(self._evaluator, KernelEvaluator):
            return KernelEvaluatorWorker(self.game, self._settings, seats, seed, self._evaluator, self._weights)
        if self._evaluator is not None:
            return PythonEvaluatorWorker(self.game, self._settings, seats, seed, self._evaluator, self._weights)
        if seats == 1 or self.game.bots.SEATS_INDEPENDENT:
            return BeamWorker(self.game, self._settings, seats, seed, self._weights)
        return TreeWorker(self.game, tree_settings(self._settings), seats, seed, self._weights)

    def _budgets(self, start: float) -> list[Budget]:
        count, simulations = len(self._workers), self.budget.simulations
        if simulations is None:
            return [Budget(seconds=(self.budget.seconds or 0.0) - (perf_counter() - start))] * count
        return [Budget(simulations=(simulations + i) // count) for i in range(count)]

    def _merge_results(self, observation: Observation) -> list[ActionAnalysis]:
        by_action: dict[int, list[ActionStats]] = defaultdict(list)
        for worker in self._workers:
            for action, stats in worker.results().items():
                by_action[action].append(stats)
        visits = sum(stats.visits for parts in by_action.values() for stats in parts)
        analyses = [merge_stats(action, parts, visits, observation.seats) for action, parts in by_action.items()]
        return sorted(analyses, key=lambda analysis: (-analysis.share, -analysis.value))

    def _reuse_trees(self, observation: Observation, action: int) -> None:
        """Store the next choice of this turn, after forced moves, as the root where the trees can be reused.

        Trees cannot be reused if something hidden is revealed before, or another seat moves.
        """
        is_clairvoyant = isinstance(observation, ClairvoyantObservation)
        after = observation.play() if isinstance(observation, ClairvoyantObservation) else observation.determinize(0)
        steps = [self._step(after, action)]
        after.apply(action)
        while is_same_turn(observation, after) and len(after.legal_actions) == 1:
            steps.append(self._step(after, after.legal_actions[0]))
            after.apply(after.legal_actions[0])
        if is_same_turn(observation, after):
            self._nodes = [worker.descend_to(steps) for worker in self._workers]
            self._expected_state = (after if is_clairvoyant else after.observe(observation.seat)).to_state()

    def _step(self, play: Play, action: int) -> TreeStep:
        s = self.game.wrap(play.array)[0]
        question = self.game.kernel(trees).question_id(s)
        return TreeStep(int(question), int(self.game.kernel(self.game.rules).action_key(s, action)))

    def __reduce__(self) -> tuple[Any, ...]:
        threads = len(self._seeds)
        bot_args = self.spec, self.game, self._seeds[0], self.budget, self._settings, threads
        init_args = *bot_args, self._evaluator, self._weights
        reusable = [worker.tree for worker in self._workers] if self._expected_state else []
        return SearchBot, init_args, (self._seats, self.memory, reusable, self._nodes, self._expected_state)

    def __setstate__(self, state: tuple[int, npt.NDArray[np.int64], list[Tree | None], list[int], bytes]) -> None:
        seats, memory, reusable, self._nodes, expected_state = state
        if seats:
            self.prepare(seats)
            self.memory = memory
        for worker, tree in zip(self._workers, reusable, strict=bool(reusable)):
            if isinstance(worker, TreeWorker) and tree:
                worker.set_tree(grow_tree(tree, self.game, len(tree.first_child)))
        self._expected_state = expected_state


def analyse(
    observation: Observation,
    budget: str = "1s",
    seed: int = 0,
    threads: int = 1,
    evaluator: AnyEvaluator | None = None,
    **settings: float,
) -> list[ActionAnalysis]:
    """Search, and return the analyses of the legal actions that the search considered, the most visited first.

    Args:
        observation: the observation of the seat to move.
        budget: a time such as "1s", or a number of simulations such as "2000". With simulations, the same seed and
            threads give the same result. The time does not include compilation, which can precede the first search of
            a process.
        seed: the seed of the search's random numbers.
        threads: the number of threads that search in parallel.
        evaluator: as in `make_bot`.
        settings: settings of the search by name, such as `c_puct=2`.

    Raises:
        IllegalAction: the observation's seat is not to move.
        SetupError: another argument is invalid, or the evaluator's values or policies cannot be used.
    """
    parsed = Budget.parse(budget)
    check_turn(observation, f"search:{budget}")
    chosen = dict(check_setting("search", name, number, SEARCH_RANGES, number) for name, number in settings.items())
    bot = SearchBot(f"search:{budget}", observation.game, check_seed(seed), parsed, chosen, threads, evaluator)
    return bot.analyse(observation)


def worker_seeds(seed: int, threads: int) -> list[int]:
    return [(seed + i * SEED_STRIDE) % 2**63 for i in range(threads)]


def merge_stats(action: int, parts: Sequence[ActionStats], all_visits: int, seats: int) -> ActionAnalysis:
    """Return the workers' merged statistics of one action. `all_visits` is the number of visits of all actions."""
    visits = sum(stats.visits for stats in parts)
    value = sum(stats.utility_sum for stats in parts) / max(1, visits)
    scores = np.sum([stats.score_sum for stats in parts], axis=0)[:seats] / max(1, visits)
    return ActionAnalysis(action, visits / all_visits, value, tuple(scores.tolist()))


def is_same_turn(observation: Observation, after: Play) -> bool:
    """Return whether the observation's turn still continues in `after`, without a new reveal."""
    return (after.turn, after.turns, after.reveals) == (observation.seat, observation.turns, observation.reveals)
