"""Measurements of the speed of a game's rules, on one core."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from ..engine.kernels.rng import seed_rng
from ..library import Game, game
from ..play.panels import PICTURES
from ..play.play import Observation, Play
from .kernels import bench as loops

SEED = 1
EARLY_DECISIONS = 4  # before the position that is measured
MICROSECONDS, MILLISECONDS = 1e6, 1e3  # per second

Clock = Callable[[], float]  # seconds

FIRST_USE = """
import almunia
game = almunia.game({name!r})
play = game.new(seed=1)
while not play.over:
    play.apply(play.legal_actions[0])
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
    what: str
    unit: str
    runs: list[float]  # one value per repeat
    goal: float | None = None
    higher_is_better: bool = False

    @property
    def value(self) -> float:
        return median(self.runs)

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None if there is no goal."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.higher_is_better else self.value <= self.goal


def measure(name: str, repeats: int = 5) -> Iterator[Figure]:
    yield from starts(name, repeats)
    bench = RulesBench(game(name), repeats)
    yield from bench.speeds()
    yield from bench.single_steps()
    plain = RulesBench(game(name, "plain"), repeats)
    yield plain.rate("random plays, plain build", plain.random_plays, goal=2e3)


# --- start-up -------------------------------------------------------------------------------------


def starts(name: str, repeats: int) -> Iterator[Figure]:
    """Yield the times of an import, and of a first use with an empty and with a full cache folder."""
    yield Figure("import almunia", "s", [float(run_python(IMPORT)) for _ in range(repeats)], goal=0.15)
    with TemporaryDirectory() as folder:
        cold, *warm = (seconds_of(lambda: run_python(FIRST_USE.format(name=name), folder)) for _ in range(repeats + 1))
    yield Figure("cold start: compile, a whole play, an observation", "s", [cold], goal=15)
    yield Figure("warm start: the same with the code at hand", "s", warm, goal=1)


def run_python(code: str, cache: str | None = None) -> str:
    """Run code in a new Python process, with the cache folder `cache` if given. Return the standard output."""
    environment = os.environ | ({"ALMUNIA_CACHE": cache} if cache else {})
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout  # noqa: S603


def seconds_of(call: Callable[[], Any], clock: Clock = perf_counter) -> float:
    start = clock()
    call()
    return clock() - start


# --- rules ----------------------------------------------------------------------------------------


class RulesBench:
    def __init__(self, this: Game, repeats: int) -> None:
        self.game, self.repeats = this, repeats
        self.loops = this.kernel(loops)
        self.seats = this.meta.seats[0]
        self.rng = np.zeros(4, np.int64)
        seed_rng(self.rng, SEED)
        parts = np.zeros(1, this.tensor_dtype)
        self._states = this.wrap(np.zeros(3, this.rules.STATE))
        self._rng, self._out = this.wrap(self.rng), this.wrap(np.zeros(this.rules.ACTIONS, np.int32))
        self._observation = this.wrap(parts.view(np.float32)), this.wrap(parts)  # as float32 numbers, and as a record

    def speeds(self) -> Iterator[Figure]:
        yield self.rate("random plays, native", self.random_plays, goal=1e6)
        observed = partial(self.random_plays, observed=True)
        yield self.rate("random plays, native, mask and tensor at every decision", observed, goal=5e5)
        yield self.rate("random plays, stepped from Python", self.stepped, goal=1e5)

    def random_plays(self, plays: int, observed: bool = False) -> int:
        """Play at random in one kernel call, with all observations if `observed`. Return the number of decisions."""
        numbers, parts = self._observation
        numbers = numbers if observed else self.game.wrap(np.zeros(0, np.float32))
        return int(self.loops.random_plays(self._states, self.seats, 0, plays, self._rng, self._out, numbers, parts))

    def single_steps(self) -> Iterator[Figure]:
        play = early_play(self.game, self.seats)
        position = np.concatenate([play.observe(play.turn).array] * 2)
        states = self.game.wrap(position)
        native, per_call = self.native, self.per_call
        yield native("copy, native", lambda n: self.loops.copies(states, n), goal=1)
        yield per_call("copy, from Python", play.copy, goal=10)
        yield native("observation, native", lambda n: self.loops.observations(states, n, *self._observation), goal=5)
        yield per_call("observation, from Python", lambda: play.observe(play.turn).tensor())
        yield native("redeal, native", lambda n: self.loops.determinizations(states, n, self._rng, self._out), goal=10)
        yield per_call("save and restore", lambda: self.game.from_bytes(play.to_bytes()), goal=50)
        if find_spec("svg"):
            observation = play.observe(play.turn)
            yield per_call("picture (SVG) with what may be clicked", lambda: drawn_again(observation), 10, "ms")

    # --- ways to measure --------------------------------------------------------------------------

    def rate(self, what: str, play: Callable[[int], int], goal: float) -> Figure:
        """Return the decisions per second of `play`, which plays n games and returns the number of decisions."""
        plays = calibrate(play)
        runs = []
        for _ in range(self.repeats):
            start = perf_counter()
            decisions = play(plays)
            runs.append(decisions / (perf_counter() - start))
        return Figure(what, "decisions/s", runs, goal, higher_is_better=True)

    def native(self, what: str, loop: Callable[[int], Any], goal: float | None, unit: str = "µs") -> Figure:
        """Return the time of one pass of `loop`, which takes the number of passes."""
        times = calibrate(loop)
        scale = {"µs": MICROSECONDS, "ms": MILLISECONDS}[unit]
        return Figure(what, unit, [seconds_of(lambda: loop(times)) / times * scale for _ in range(self.repeats)], goal)

    def per_call(self, what: str, call: Callable[[], Any], goal: float | None = None, unit: str = "µs") -> Figure:
        def loop(times: int) -> None:
            for _ in range(times):
                call()

        return self.native(what, loop, goal, unit)

    def stepped(self, plays: int) -> int:
        """Play at random through `Play.apply`. Return the number of decisions."""
        decisions = 0
        for seed in range(plays):
            play = self.game.new(self.seats, seed)
            random = seed
            while legal := play.legal_actions:
                random = (random * 1103515245 + 12345) & 0x7FFFFFFF
                play.apply(legal[random % len(legal)])
                decisions += 1
        return decisions


def early_play(this: Game, seats: int) -> Play:
    play = this.new(seats, SEED)
    for _ in range(EARLY_DECISIONS):
        play.apply(play.legal_actions[len(play.legal_actions) // 2])
    return play


def drawn_again(observation: Observation) -> str:
    """Return the picture of an observation, drawn without the cache of pictures."""
    PICTURES.clear()
    return observation.svg(True)


def calibrate(loop: Callable[[int], Any], seconds: float = 0.2, clock: Clock = perf_counter) -> int:
    """Return the number of passes of a loop, at least 1, that take about `seconds`.

    The first pass is not measured, because it may compile the loop.
    """
    loop(1)
    times = 1
    while (elapsed := seconds_of(partial(loop, times), clock)) < seconds / 4:
        times *= 4
    return max(1, round(times * seconds / elapsed))
