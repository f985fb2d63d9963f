"""The searching bot: workers that grow trees side by side, and what their trees say together."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...core.loaded import LoadedGame
from ...engine.pool import checked_threads, side_by_side
from ...play.play import ClairvoyantObservation, Observation, Play
from ..base import check_turn
from ..spec import DEFAULT, Budget
from .kernels import tree as trees
from .kernels.tree import NO_NODE
from .settings import settings_of, tree_settings
from .workers import BeamWorker, Found, Step, TreeWorker, Worker

STRIDE = 0x9E3779B97F4A7C15  # between the seeds of two workers


class Choice(NamedTuple):
    """What a search found out about one legal action."""

    action: int  # its code
    share: float  # of all visits
    value: float  # the mean utility to whoever chooses: 0 to 1 among several, points for one alone
    scores: tuple[float, ...]  # the points that are expected, by seat


class Search:
    """A bot that searches. Given a budget in simulations, its choices depend on nothing but its seed and what it sees.

    A budget in seconds is kept to a few hundredths. A decision without a choice costs nothing, and one
    that the rest of the budget cannot change is taken at once, if there is one thread. Given the whole truth
    (`ClairvoyantObservation`, for comparisons alone), it does not guess.
    """

    def __init__(
        self,
        spec: str,
        game: LoadedGame,
        seed: int,
        budget: Budget = DEFAULT,
        given: Mapping[str, float] | None = None,
        threads: int = 1,
    ) -> None:
        self.spec, self.game, self.budget = spec, game, budget
        self._settings = settings_of(game, given or {})
        threads = checked_threads(threads)
        self._seeds = seeds_of(seed, threads)
        self._seats, self._workers = 0, list[Worker]()
        self._expected = b""  # what this seat will see at its next decision if nothing comes to light before
        self._nodes = [NO_NODE] * threads  # where that stands in each tree

    def ready(self, seats: int) -> None:
        """Make all that it needs at a table of so many, and compile it: else its first decision would have to wait."""
        if seats != self._seats:
            self._workers, self._seats, self._expected = [self._worker(seats, seed) for seed in self._seeds], seats, b""
            Play.start(self.game, seats, 0, {}).observe(0).determinize(0)  # to look ahead takes that

    def start(self, seed: int) -> None:
        """Begin with the random numbers of a seed, as if just made with it: nothing is known of any position."""
        self._seeds, self._expected = seeds_of(seed, len(self._seeds)), b""
        for worker, own in zip(self._workers, self._seeds, strict=bool(self._workers)):
            worker.start(own)

    @property
    def memory(self) -> npt.NDArray[np.int64]:
        """What it takes from one turn to the next, int64: random numbers to come, and how large its trees are.

        It is empty before `ready`. Who sets it has it forget what its trees know.
        """
        return np.concatenate([np.zeros(0, np.int64), *(worker.memory for worker in self._workers)])

    @memory.setter
    def memory(self, kept: npt.NDArray[np.int64]) -> None:
        self._expected = b""
        for worker, part in zip(self._workers, np.split(kept, len(self._workers)), strict=True):
            worker.memory = part

    def choose(self, observation: Observation) -> int:
        """A legal action for the seat of this observation, whose turn it is."""
        check_turn(observation, self.spec)
        legal = observation.legal_actions
        return legal[0] if len(legal) == 1 else self.weigh(observation)[0].action

    def weigh(self, observation: Observation) -> list[Choice]:
        """What it found out to choose: the actions that it considered, the chosen one first."""
        check_turn(observation, self.spec)
        self._think(observation, to_choose=True)
        choices = self._found(observation)
        self._expect(observation, choices[0].action)
        return choices

    def analyse(self, observation: Observation) -> list[Choice]:
        """What the search finds out about every action it considered, the most visited first."""
        check_turn(observation, self.spec)
        self._think(observation)
        return self._found(observation)

    def _think(self, observation: Observation, to_choose: bool = False) -> None:
        start = perf_counter()
        self.ready(observation.seats)
        awaited = self._expected == observation.to_state()
        for worker, node in zip(self._workers, self._nodes, strict=True):
            worker.stand_on(observation, node if awaited else NO_NODE)
        alone = to_choose and len(self._workers) == 1  # of several none can tell what the others find
        side_by_side(lambda worker, part: worker.think(part, alone), self._workers, self._parts(start))

    def _worker(self, seats: int, seed: int) -> Worker:
        """Beams for a seat that plays for itself alone, to which a guess leaves nothing uncertain; else trees."""
        if seats == 1 or getattr(self.game.bots, "SEATS_INDEPENDENT", False):
            return BeamWorker(self.game, self._settings, seats, seed)
        return TreeWorker(self.game, tree_settings(self._settings), seats, seed)

    def _parts(self, start: float) -> list[Budget]:
        """What each worker may use: its part of the simulations, or all of the time that is left since `start`."""
        count, simulations = len(self._workers), self.budget.simulations
        if simulations is None:
            return [Budget(seconds=(self.budget.seconds or 0.0) - (perf_counter() - start))] * count
        return [Budget(simulations=(simulations + i) // count) for i in range(count)]

    def _found(self, observation: Observation) -> list[Choice]:
        """The actions that were considered, the most visited first, with what all workers together say of them."""
        by_action: dict[int, list[Found]] = defaultdict(list)
        for worker in self._workers:
            for action, found in worker.found().items():
                by_action[action].append(found)
        every = sum(found.visits for several in by_action.values() for found in several)
        choices = [choice_of(action, several, every, observation.seats) for action, several in by_action.items()]
        return sorted(choices, key=lambda choice: (-choice.share, -choice.value))

    def _expect(self, observation: Observation, action: int) -> None:
        """Note what the seat will see at its next decision if nothing comes to light before: its trees serve again."""
        self._expected = b""
        after = observation.play() if isinstance(observation, ClairvoyantObservation) else observation.determinize(0)
        steps = [self._step(after, action)]
        after.apply(action)
        while goes_on(observation, after) and len(after.legal_actions) == 1:
            steps.append(self._step(after, after.legal_actions[0]))
            after.apply(after.legal_actions[0])
        if goes_on(observation, after):
            self._nodes = [worker.follow(steps) for worker in self._workers]
            seen = after if isinstance(observation, ClairvoyantObservation) else after.observe(observation.seat)
            self._expected = seen.to_state()

    def _step(self, play: Play, action: int) -> Step:
        """An action as trees know it."""
        s = self.game.lend(play.array)[0]
        asked, name = self.game.kernel(trees).asked_of(s), self.game.kernel(self.game.naming).action_key(s, action)
        return Step(int(asked), int(name))

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy goes on as this one does: it has the same random numbers to come, and what may serve of the trees."""
        made_of = self.spec, self.game, self._seeds[0], self.budget, self._settings, len(self._seeds)
        trees = [worker.knowledge() for worker in self._workers] if self._expected else []
        return Search, made_of, (self._seats, self.memory, trees, self._nodes, self._expected)

    def __setstate__(self, state: tuple[int, "npt.NDArray[np.int64]", list[Any], list[int], bytes]) -> None:
        seats, kept, trees, self._nodes, expected = state
        if seats:
            self.ready(seats)
            self.memory = kept
        for worker, known in zip(self._workers, trees, strict=bool(trees)):
            worker.learn(known)
        self._expected = expected

    def __repr__(self) -> str:
        return f"<Bot {self.spec} for {self.game.name}>"


def seeds_of(seed: int, threads: int) -> list[int]:
    """The seed of each worker."""
    return [(seed + i * STRIDE) % 2**63 for i in range(threads)]


def choice_of(action: int, several: Sequence[Found], every: int, seats: int) -> Choice:
    """What workers found out about one action, put together."""
    visits = sum(found.visits for found in several)
    utility = sum(found.utility for found in several)
    points = np.sum([found.points for found in several], axis=0)
    return Choice(action, visits / every, utility / max(1, visits), tuple((points[:seats] / max(1, visits)).tolist()))


def goes_on(observation: Observation, after: Play) -> bool:
    """Is it still this seat's turn, with nothing new come to light?"""
    return (after.turn, after.turns, after.reveals) == (observation.seat, observation.turns, observation.reveals)
