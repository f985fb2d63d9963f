"""How fast a game runs, measured: each figure is the median of several repeats on one core."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.kernels.rng import shake
from ...library import game
from ...play.play import Play
from .kernels import loops

if TYPE_CHECKING:
    from ...library import Game

SEED = 1
STEPS_IN = 4  # decisions played before a single position is measured
MICRO, MILLI = 1e6, 1e3

Clock = Callable[[], float]  # seconds

FIRST_USE = """
import almunia
game = almunia.game({name!r})
play = game.new(seed=1)
while not play.over:
    play.apply(play.legal[0])
play.observe(0).tensor()
"""
IMPORT = """
from time import perf_counter
start = perf_counter()
import almunia
print(perf_counter() - start)
"""


@dataclass(frozen=True)
class Figure:
    """One measurement."""

    what: str
    unit: str
    runs: list[float]  # one value a repeat
    goal: float | None = None
    higher_is_better: bool = field(default=False)

    @property
    def value(self) -> float:
        """The median of the runs."""
        return median(self.runs)

    @property
    def reached(self) -> bool | None:
        """Is the goal reached? None if there is no goal."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.higher_is_better else self.value <= self.goal


def measure(name: str, repeats: int = 5) -> Iterator[Figure]:
    """Every figure of one game, one after the other as it is found."""
    yield from starts(name, repeats)
    bench = Bench(game(name), repeats)
    yield from bench.speeds()
    yield from bench.single_steps()
    yield Bench(game(name, "plain"), repeats).plain_speed()
    if find_spec("catanatron"):
        yield catanatron(repeats)


# --- starting -------------------------------------------------------------------------------------


def starts(name: str, repeats: int) -> Iterator[Figure]:
    """Import, first use with nothing compiled yet, and first use with everything at hand."""
    yield Figure("import almunia", "s", [float(fresh(IMPORT)) for _ in range(repeats)], goal=0.15)
    with TemporaryDirectory() as folder:
        cold, *warm = (timed(lambda: fresh(FIRST_USE.format(name=name), folder)) for _ in range(repeats + 1))
    yield Figure("cold start: compile, a whole play, an observation", "s", [cold], goal=15)
    yield Figure("warm start: the same with the code at hand", "s", warm, goal=1)


def fresh(code: str, cache: str | None = None) -> str:
    """What a new Python process prints."""
    environment = os.environ | ({"ALMUNIA_CACHE": cache} if cache else {})
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout  # noqa: S603


def timed(call: Callable[[], Any], clock: Clock = perf_counter) -> float:
    """How long one call takes, in seconds."""
    start = clock()
    call()
    return clock() - start


# --- running --------------------------------------------------------------------------------------


class Bench:
    """One game in one build, with the arrays that the loops work on."""

    def __init__(self, this: "Game", repeats: int) -> None:
        self.game, self.repeats = this, repeats
        self.loops = this.kernel(loops)
        self.seats = this.meta.seats[0]
        self.rng = np.zeros(4, np.int64)
        shake(self.rng, SEED)
        self.out = np.zeros(this.rules.ACTIONS, np.int32)
        parts = np.zeros(1, this.tensor_parts)
        blank = np.zeros(3, this.rules.STATE)
        self.lent = this.lend(blank)
        self.lent_rng, self.lent_out = this.lend(self.rng), this.lend(self.out)
        self.observed = this.lend(parts.view(np.float32)), this.lend(parts)  # as numbers, and as a record of them

    def speeds(self) -> Iterator[Figure]:
        """Whole random plays: native, with observations, and stepped from Python."""
        yield self.rate("random plays, native", self.random_plays, goal=1e6)
        yield self.rate("random plays, native, mask and tensor at every decision", self.observed_plays, goal=5e5)
        yield self.rate("random plays, stepped from Python", self.stepped, goal=1e5)

    def plain_speed(self) -> Figure:
        """Random plays in the plain build."""
        return self.rate("random plays, plain build", self.random_plays, goal=2e3)

    def random_plays(self, plays: int) -> int:
        """Random plays inside one call; returns the number of decisions."""
        nothing = self.game.lend(np.zeros(0, np.float32)), self.observed[1]
        return int(self.loops.random_plays(self.lent, self.seats, 0, plays, self.lent_rng, self.lent_out, *nothing))

    def observed_plays(self, plays: int) -> int:
        """The same, with an observation at every decision."""
        arrays = (self.lent_rng, self.lent_out, *self.observed)
        return int(self.loops.random_plays(self.lent, self.seats, 0, plays, *arrays))

    def single_steps(self) -> Iterator[Figure]:
        """One thing at a time, in the middle of a play."""
        play = self.midway()
        position = np.concatenate([play.observe(play.turn).array] * 2)
        states = self.game.lend(position)
        native, per_call = self.native, self.per_call
        yield native("copy, native", lambda n: self.loops.copies(states, n), goal=1)
        yield per_call("copy, from Python", play.copy, goal=10)
        yield native("observation, native", lambda n: self.loops.observations(states, n, *self.observed), goal=5)
        yield per_call("observation, from Python", lambda: play.observe(play.turn).tensor())
        yield native("redeal, native", lambda n: self.loops.redeals(states, n, self.lent_rng, self.lent_out), goal=10)
        yield per_call("save and restore", lambda: self.game.from_bytes(play.to_bytes()), goal=50)
        if find_spec("svg"):
            observation = play.observe(play.turn)
            yield self.per_call("picture (SVG) with what may be clicked", lambda: observation.svg(True), 10, "ms")

    # --- ways to measure --------------------------------------------------------------------------

    def rate(self, what: str, plays: Callable[[int], int], goal: float) -> Figure:
        """Decisions a second of something that plays so many times and counts its decisions."""
        times = enough(plays)
        runs = []
        for _ in range(self.repeats):
            start = perf_counter()
            decisions = plays(times)
            runs.append(decisions / (perf_counter() - start))
        return Figure(what, "decisions/s", runs, goal, higher_is_better=True)

    def native(self, what: str, loop: Callable[[int], Any], goal: float) -> Figure:
        """Microseconds for one of the things that a loop does so many times."""
        times = enough(loop)
        runs = [timed(lambda: loop(times)) / times * MICRO for _ in range(self.repeats)]
        return Figure(what, "µs", runs, goal)

    def per_call(self, what: str, call: Callable[[], Any], goal: float | None = None, unit: str = "µs") -> Figure:
        """Time for one call from Python."""

        def loop(n: int) -> None:
            for _ in range(n):
                call()

        times = enough(loop)
        scale = {"µs": MICRO, "ms": MILLI}[unit]
        return Figure(what, unit, [timed(lambda: loop(times)) / times * scale for _ in range(self.repeats)], goal)

    def stepped(self, plays: int) -> int:
        """Random plays through `Play.apply`; returns the number of decisions."""
        decisions = 0
        for seed in range(plays):
            play = self.game.new(self.seats, seed)
            lot = seed
            while legal := play.legal:
                lot = (lot * 1103515245 + 12345) & 0x7FFFFFFF
                play.apply(legal[lot % len(legal)])
                decisions += 1
        return decisions

    def midway(self) -> Play:
        """A play after a few decisions."""
        return a_few_in(self.game, self.seats)


def a_few_in(this: "Game", seats: int) -> Play:
    """A play after a few decisions."""
    play = this.new(seats, SEED)
    for _ in range(STEPS_IN):
        play.apply(play.legal[len(play.legal) // 2])
    return play


def enough(loop: Callable[[int], Any], seconds: float = 0.2, clock: Clock = perf_counter) -> int:
    """How often to do something so that it takes about this long; compiles it by the way."""
    loop(1)
    times = 1
    while (taken := timed(partial(loop, times), clock)) < seconds / 4:
        times *= 4
    return max(1, round(times * seconds / taken))


# --- beside others --------------------------------------------------------------------------------


def catanatron(repeats: int) -> Figure:
    """Catanatron's random bots at Catan for two, in the same run, for the ratio."""
    from catanatron import Color, Game, RandomPlayer

    def plays(times: int) -> int:
        decisions = 0
        for seed in range(times):
            match = Game([RandomPlayer(Color.RED), RandomPlayer(Color.BLUE)], seed=seed)
            match.play()
            decisions += len(match.state.actions)
        return decisions

    times = 10
    plays(1)
    runs = []
    for _ in range(repeats):
        start = perf_counter()
        decisions = plays(times)
        runs.append(decisions / (perf_counter() - start))
    return Figure("for comparison: Catanatron, random bots, Catan for two", "decisions/s", runs, higher_is_better=True)
