"""Workers: each has a workspace and a random generator of its own and shares nothing, so each can have its thread."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...core.loaded import LoadedGame
from ...core.workspaces import blank_trial, lent
from ...engine.kernels.rng import shake
from ...play.play import ClairvoyantObservation, Observation, Play
from ..spec import Budget
from .kernels import beam, ismcts, tree as trees
from .kernels.beam import Candidates
from .kernels.ismcts import Settings
from .kernels.tree import HIDDEN, NO_NODE, ROOT, SPENT, Tree
from .settings import unit_of

FEW, NODES = 1 << 12, 1 << 19  # of a tree, at first and at the most
DEPTH = 256  # nodes that a simulation can meet
CHUNK = 0.01  # seconds between two looks at the clock
PIECE = 200  # simulations between two looks at what they found


class Step(NamedTuple):
    """A decision, as a tree knows it."""

    asked: int  # who was asked what: `tree.asked_of`
    name: int  # what was chosen, by `naming`


class Found(NamedTuple):
    """What a worker found out about one action."""

    visits: int
    utility: float  # summed over the visits, to the seat that chooses
    points: np.ndarray  # (most seats,) summed over the visits


class Worker(ABC):
    """What all workers do: think until the budget is used up."""

    @abstractmethod
    def stand_on(self, observation: Observation, node: int = NO_NODE) -> None:
        """Think about this position next; `node` is its place in what is known already, if it has one."""

    @abstractmethod
    def simulate(self, times: int, used: float) -> int:
        """Simulate about so many times, and return how often; `used` is the share of the budget that is gone."""

    @abstractmethod
    def found(self) -> dict[int, Found]:
        """What is known of the actions that were considered."""

    @abstractmethod
    def start(self, seed: int) -> None:
        """Begin with the random numbers of a seed, as if just made with it."""

    @property
    @abstractmethod
    def memory(self) -> npt.NDArray[np.int64]:
        """What it takes from one turn to the next, int64; to set it forgets what is known of a position."""

    @memory.setter
    @abstractmethod
    def memory(self, kept: npt.NDArray[np.int64]) -> None: ...

    @abstractmethod
    def knowledge(self) -> Any:
        """What is known that may serve at the next decision of the same turn, for a copy of this worker."""

    @abstractmethod
    def learn(self, known: Any) -> None:
        """Know what another worker knew."""

    def follow(self, steps: Sequence[Step]) -> int:
        """Where some steps lead in what is known; NO_NODE if that cannot be used again."""
        return NO_NODE

    def settled(self, left: int) -> bool:
        """Could so many more simulations not change which action looks best?"""
        return False

    def think(self, budget: Budget, to_choose: bool = False) -> int:
        """Go as far as the budget allows, or `to_choose` no further than it matters; returns how many simulations."""
        if budget.simulations is not None:
            done, most = 0, budget.simulations
            while done < most and not (to_choose and self.settled(most - done)):
                done += self.simulate(min(PIECE, most - done), done / most)
            return done
        return self._against_the_clock(budget.seconds or 0.0, to_choose)

    def _against_the_clock(self, seconds: float, to_choose: bool) -> int:
        """The nearer the end, the more often the clock is looked at."""
        start = perf_counter()
        done, spent = self.simulate(1, 0.0), perf_counter() - start
        while spent < seconds and not (to_choose and self.settled(int(done / spent * (seconds - spent)))):
            chunk = done / spent * min(CHUNK, (seconds - spent) / 2)
            done += self.simulate(max(1, int(chunk)), spent / seconds)
            spent = perf_counter() - start
        return done


class TreeWorker(Worker):
    """Grows a tree."""

    def __init__(self, game: LoadedGame, settings: Settings, seats: int, seed: int) -> None:
        self._game, self._unit = game, unit_of(game)
        self.settings = settings._replace(spread=settings.spread * self._unit)
        self.work = tree_paper(game)
        self._work = lent(game, self.work)
        self._keep(blank_tree(min(FEW, NODES), seats))
        shake(self.work.rng, seed)
        self._loops, self._trees = game.kernel(ismcts), game.kernel(trees)
        self._root, self._seat = ROOT, 0
        self._trees.clear(self._tree)
        self._run(0)  # so that it has been compiled, as have the next two
        self.follow([Step(0, 0)])
        self.settled(0)

    def start(self, seed: int) -> None:
        """Begin with the random numbers of a seed, and a small tree."""
        shake(self.work.rng, seed)
        self._clear(min(FEW, NODES))

    @property
    def memory(self) -> npt.NDArray[np.int64]:
        """The random numbers to come, and for how many nodes there is room, int64 (5,)."""
        return np.array([*self.work.rng, len(self.tree.first)])

    @memory.setter
    def memory(self, kept: npt.NDArray[np.int64]) -> None:
        self.work.rng[:] = kept[:-1]
        self._clear(int(kept[-1]))

    def _clear(self, room: int) -> None:
        """Have an empty tree with room for so many nodes."""
        if len(self.tree.first) != room:
            self._keep(blank_tree(room, self.tree.total.shape[1]))
        self._trees.clear(self._tree)

    def _keep(self, tree: Tree) -> None:
        """Go on with this tree."""
        self.tree, self._tree = tree, lent(self._game, tree)

    def knowledge(self) -> Tree:
        """The nodes of the tree."""
        return Tree(*self.tree[:2], *(array[: self.tree.size[0]] for array in self.tree[2:]))

    def learn(self, known: Tree) -> None:
        """Grow on from these nodes."""
        self._keep(enlarged(known, len(self.tree.first)))
        self.tree.full[0] = known.full[0]

    def stand_on(self, observation: Observation, node: int = NO_NODE) -> None:
        """Think about this position next; `node` is its place in the tree, if it has one."""
        self.work.states[ismcts.SEEN] = observation.array[0]
        self.work.known[0] = isinstance(observation, ClairvoyantObservation)
        self._root, self._seat = node, observation.seat
        if node == NO_NODE or 2 * self.tree.size[0] > NODES:  # what is known must not take the room to learn
            self._root = ROOT
            self._trees.clear(self._tree)

    def simulate(self, times: int, used: float) -> int:
        """Simulate so many times."""
        self._run(times)
        return times

    def _run(self, times: int) -> None:
        done = 0
        while True:
            done += self._loops.simulate(times - done, self._root, self._seat, self._tree, self._work, self.settings)
            if done == times:
                return
            self._make_room()

    def _make_room(self) -> None:
        """Let a tree that is full have twice the room, or grow no more."""
        room = min(2 * len(self.tree.first), NODES)
        if room == len(self.tree.first):
            self.tree.full[0] = SPENT
            return
        self._keep(enlarged(self.tree, room))

    def settled(self, left: int) -> bool:
        """Could so many more simulations not change which action has the most visits?"""
        return int(self._loops.margin(self._root, self._tree)) > left

    def follow(self, steps: Sequence[Step]) -> int:
        """The node that some steps lead to from here; NO_NODE if there is none."""
        node = self._root
        for step in steps:
            node = int(self._trees.child_by(self._tree, node, *step))
            if node == NO_NODE:
                break
        return node

    def found(self) -> dict[int, Found]:
        """What is known of the actions that were considered; being the seat's own, their codes fit every guess."""
        tree, known, node = self.tree, {}, int(self.tree.first[self._root])
        while node != NO_NODE:
            if tree.name[node] != HIDDEN:
                utility, points = float(tree.total[node, self._seat]), tree.points[node] / self._unit
                known[int(tree.action[node])] = Found(int(tree.visits[node]), utility, points)
            node = int(tree.following[node])
        return known


class BeamWorker(Worker):
    """Compares candidates by beams, for a seat that plays for itself alone."""

    def __init__(self, game: LoadedGame, settings: Mapping[str, float], seats: int, seed: int) -> None:
        self._most, self._unit, self._seats = int(settings["candidates"]), unit_of(game), seats
        self._spread = settings["spread"]
        self._work, self._candidates = beam_workspace(game, int(settings["beam"])), blank_candidates(game)
        self._lent = lent(game, self._candidates), lent(game, self._work)
        self._loops = game.kernel(beam)
        play = Play.start(game, seats, 0, {})
        self.stand_on(play.observe(play.turn))
        self.simulate(1, 0.0)  # so that everything has been compiled
        self.start(seed)

    def start(self, seed: int) -> None:
        """Begin with the random numbers of a seed."""
        shake(self._work.rng, seed)

    @property
    def memory(self) -> npt.NDArray[np.int64]:
        """The random numbers to come, int64 (4,)."""
        return self._work.rng.copy()

    @memory.setter
    def memory(self, kept: npt.NDArray[np.int64]) -> None:
        self._work.rng[:] = kept

    def knowledge(self) -> None:
        """Nothing: each decision is thought about afresh."""

    def learn(self, known: None) -> None:
        """There is nothing to be learned."""

    def stand_on(self, observation: Observation, node: int = NO_NODE) -> None:
        """Think about this position next."""
        self._work.states[beam.SEEN] = observation.array[0]
        self._work.known[0] = isinstance(observation, ClairvoyantObservation)
        self._seat = observation.seat
        self._count = int(self._loops.line_up(self._seat, *self._lent))

    def simulate(self, times: int, used: float) -> int:
        """One guess for the candidates that are left: from all of them to two, in equal proportions of the budget."""
        most = min(self._most, self._count)
        left = min(self._count, max(2, round(most ** (1 - used))))
        self._loops.compare(left, self._seat, *self._lent)
        return left

    def found(self) -> dict[int, Found]:
        """What is known of the actions that were considered."""
        candidates = self._candidates
        return {
            int(candidates.action[i]): self._found(int(candidates.guesses[i]), candidates.total[i] / self._unit)
            for i in range(self._count)
            if candidates.guesses[i]
        }

    def _found(self, visits: int, total: float) -> Found:
        """What is known of an action that was tried so often, and brought so many points in all."""
        if self._seats == 1:
            return Found(visits, total, np.array([total]))
        points = self._candidates.rivals / self._unit / self._candidates.guessed * visits
        points[self._seat] = total
        ahead = (total - max(points[p] for p in range(self._seats) if p != self._seat)) / visits
        return Found(visits, visits * ismcts.chance(ahead / self._spread), points)


def blank_tree(nodes: int, seats: int) -> Tree:
    """Room for a tree."""
    return Tree(
        size=np.zeros(1, np.int64),
        full=np.zeros(1, np.int64),
        first=np.zeros(nodes, np.int32),
        following=np.zeros(nodes, np.int32),
        asked=np.zeros(nodes, np.int32),
        name=np.zeros(nodes, np.int32),
        action=np.zeros(nodes, np.int32),
        prior=np.zeros(nodes),
        visits=np.zeros(nodes, np.int64),
        offered=np.zeros(nodes, np.int64),
        total=np.zeros((nodes, seats)),
        points=np.zeros((nodes, seats)),
    )


def enlarged(tree: Tree, nodes: int) -> Tree:
    """The same tree with more room."""
    larger = blank_tree(nodes, tree.total.shape[1])
    larger.size[0] = tree.size[0]
    for old, new in zip(tree[2:], larger[2:], strict=True):
        new[: len(old)] = old
    return larger


def tree_paper(game: LoadedGame) -> ismcts.Workspace:
    """Workspace for a search in a tree."""
    seats, actions, names = game.meta.seats[1], game.rules.ACTIONS, names_of(game)
    return ismcts.Workspace(
        states=np.zeros(ismcts.STATES, game.rules.STATE),
        known=np.zeros(1, np.int64),
        rng=np.zeros(4, np.int64),
        actions=np.zeros(actions, np.int32),
        scratch=np.zeros(actions, np.int32),
        few=np.zeros(actions, np.int32),
        names=np.zeros(actions, np.int32),
        foreseen=np.zeros(actions, np.int64),
        trial=blank_trial(game),
        table=np.zeros((seats, len(game.rules.SCORES)), np.int64),
        values=np.zeros(seats, np.int64),
        ranks=np.zeros(seats, np.int8),
        utility=np.zeros(seats),
        path=np.zeros(DEPTH, np.int64),
        stands=np.zeros(seats, np.int64),
        offered=np.zeros(names, np.int64),
        code=np.zeros(names, np.int32),
        met=np.zeros(names, np.int64),
        clock=np.zeros(1, np.int64),
    )


def names_of(game: LoadedGame) -> int:
    """How many things the codes of a game's actions can stand for."""
    return int(getattr(game.naming, "NUM_ACTION_KEYS", game.rules.ACTIONS))


def beam_workspace(game: LoadedGame, width: int) -> beam.Workspace:
    """Workspace for beams."""
    seats = game.meta.seats[1]
    return beam.Workspace(
        states=np.zeros(beam.STATES, game.rules.STATE),
        beam=np.zeros((beam.BEAMS, width), game.rules.STATE),
        known=np.zeros(1, np.int64),
        rng=np.zeros(4, np.int64),
        actions=np.zeros(game.rules.ACTIONS, np.int32),
        table=np.zeros((seats, len(game.rules.SCORES)), np.int64),
        values=np.zeros(seats, np.int64),
        trial=blank_trial(game),
        foreseen=np.zeros(game.rules.ACTIONS, np.int64),
        place=np.zeros(width, np.int64),
        parent=np.zeros(width, np.int64),
        step=np.zeros(width, np.int64),
    )


def blank_candidates(game: LoadedGame) -> Candidates:
    """Room for candidates."""
    actions = game.rules.ACTIONS
    return Candidates(
        action=np.zeros(actions, np.int64),
        total=np.zeros(actions, np.int64),
        guesses=np.zeros(actions, np.int64),
        rivals=np.zeros(game.meta.seats[1], np.int64),
        guessed=np.zeros(1, np.int64),
    )
