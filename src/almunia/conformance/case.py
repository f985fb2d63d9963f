"""Cases, which checks examine, and the registry of checks."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from random import Random
from typing import Any

import numpy as np

from ..bots.factory import make
from ..core.contract import SPECTATOR
from ..core.options import fixes_deal
from ..engine.kernels.rng import seed_rng
from ..errors import AlmuniaError, MissingExtra
from ..library import Game, game
from ..play.play import Observation, Play

RULE_MARK = re.compile(r"\*\*(\d+\.\d+|D\d+)\*\*")  # of a paragraph in RULES.md
SAMPLED_POSITIONS = 100  # of a long play, for checks that do not need every position
SPARSE_STRIDE = 3  # a sparse case examines every third of these positions


class Failure(AssertionError):
    """A violation of the contract."""


class Skipped(Exception):
    """The exception for a check that cannot run here. The message has the reason."""


@dataclass(frozen=True)
class Case:
    """A game with a number of seats and options, in both builds."""

    name: str
    seats: int
    options: dict[str, str] = field(default_factory=dict)
    sparse: bool = False  # check fewer positions and determinizations

    def __str__(self) -> str:
        return "-".join([self.name, str(self.seats), *(f"{n}={v.replace(' ', '.')}" for n, v in self.options.items())])

    @cached_property
    def compiled(self) -> Game:
        return game(self.name)

    @cached_property
    def plain(self) -> Game:
        return game(self.name, "plain")

    @property
    def has_fixed_deal(self) -> bool:
        return fixes_deal(self.plain.meta.options, self.options)

    @property
    def checks(self) -> dict[str, "Check"]:
        """The checks of this case. Checks of the whole game run only with the fewest seats and without options."""
        is_reference = self.seats == self.plain.meta.seats[0] and not self.options
        return {title: function for title, function in CHECKS.items() if is_reference or title not in ONCE}

    @cached_property
    def marks(self) -> set[str]:
        return set(RULE_MARK.findall(self.plain.file("RULES.md").read_text("utf-8")))

    @cached_property
    def stride(self) -> int:
        """The number of actions between two sampled positions: 1, or more in long plays."""
        return 1 + self.random_play(1) // SAMPLED_POSITIONS

    def is_sampled(self, play: Play) -> bool:
        """Return whether checks that do not need every position examine this position."""
        return play.over or len(play.actions) % self.stride == 0

    @property
    def max_decisions(self) -> int:
        return self.plain.meta.decisions

    def random_play(self, seed: int) -> int:
        """Return the number of decisions of a random play, at most `max_decisions` + 1."""
        wrap, rng = self.compiled.wrap, np.zeros(4, np.int64)
        seed_rng(rng, seed)
        states, out = self.compiled.empty_state(self.options), np.zeros(self.compiled.rules.ACTIONS, np.int32)
        args = wrap(states), self.seats, seed, wrap(rng), wrap(out), self.max_decisions + 1
        return int(self.compiled.loops.random_play(*args))

    def start(self, build: Game, seed: int) -> Play:
        return build.new(self.seats, seed, **self.options)

    def positions(self, build: Game, seed: int = 1, every: int = 1, bot: str = "") -> Iterator[Play]:
        """Yield a play at every position, or with `every` > 1 at every n-th sampled position and the last one.

        The same play is modified in place. A bot or a random generator chooses the actions. With `every` > 1, a sparse
        case has fewer positions. Raise Failure if the play does not end within `max_decisions`.
        """
        step = every * self.stride * (SPARSE_STRIDE if self.sparse else 1) if every > 1 else 1
        play, generator = self.start(build, seed), Random(seed)
        player = make(bot, build, seed) if bot else None
        for number in range(self.max_decisions + 1):
            if number % step == 0 or play.over:
                yield play
            if play.over:
                return
            play.apply(player.choose(play.observe(play.turn)) if player else generator.choice(play.legal_actions))
        raise Failure(f"A play (seed {seed}) was not over after the {self.max_decisions} decisions of META.")

    def decisions(self, build: Game, seed: int, every: int) -> Iterator[tuple[Play, Observation]]:
        """Yield the play at the positions of `positions` before the end, with the observation of the seat to move."""
        for play in self.positions(build, seed, every):
            if not play.over:
                yield play, play.observe(play.turn)

    def observations(self, build: Game, seed: int, every: int) -> Iterator[tuple[Play, Observation]]:
        """Yield the play at the positions of `positions`, with the observation of each observer."""
        for play in self.positions(build, seed, every):
            for seat in self.observers():
                yield play, play.observe(seat)

    def final_play(self, build: Game, seed: int = 1) -> Play:
        *_, last = self.positions(build, seed, self.max_decisions)
        return last

    def observers(self) -> Iterator[int]:
        yield from range(self.seats)
        yield SPECTATOR

    def require_pictures(self) -> None:
        """Raise Skipped if the game draws no pictures."""
        if not self.plain.has_pictures:
            raise Skipped("The game has no pictures: it has no view.py.")

    @cached_property
    def scenario_words(self) -> Any:
        """The game's module of scenario words and invariants (`tests/scenes.py`), or None if it does not exist."""
        if not self.plain.file("tests/scenes.py").is_file():
            return None
        return self.plain.checked(import_module(f"{self.plain.package}.tests.scenes"))


Check = Callable[[Case], None]
CHECKS: dict[str, Check] = {}
ONCE: set[str] = set()  # checks of the game as a whole


def check(function: Check) -> Check:
    CHECKS[function.__name__] = function
    return function


def check_once(function: Check) -> Check:
    """Register a check of the whole game, which runs in one case only, and return the check."""
    ONCE.add(function.__name__)
    return check(function)


def require(condition: object, sentence: str) -> None:
    """Raise Failure with a sentence unless the condition is true."""
    if not condition:
        raise Failure(sentence)


def cases(name: str) -> list[Case]:
    """Return a case for every seat count, and a case for every example of an option, with two seats if possible."""
    meta = game(name, "plain").meta
    low, high = meta.seats
    by_seats = [Case(name, seats) for seats in range(low, high + 1)]
    return by_seats + [
        Case(name, max(low, min(2, high)), {option.name: value}) for option in meta.options for value in option.examples
    ]


@dataclass(frozen=True)
class CheckResult:
    """The result of a check. The message is why the check failed or was skipped; empty if the check passed."""

    message: str = ""
    skipped: bool = False

    @property
    def failed(self) -> bool:
        return bool(self.message) and not self.skipped


Report = Callable[[str, Case, CheckResult], None]


def run_checks(name: str, seats: int | None = None, report: Report | None = None) -> list[tuple[str, Case, str]]:
    """Run every check on a game, in the cases with this number of seats or in all.

    Return the failures as (check, case, message). `report` is called after each check with its result.
    """
    failures = []
    for case in cases(name):
        if seats in (None, case.seats):
            for title, function in case.checks.items():
                result = run_check(function, case)
                if result.failed:
                    failures.append((title, case, result.message))
                if report:
                    report(title, case, result)
    return failures


def run_check(function: Check, case: Case) -> CheckResult:
    """Run a check, and return its result. An error of the game is a failure.

    Skipped, MissingExtra and a missing svg.py mean that the check was skipped.
    """
    try:
        function(case)
    except (Skipped, MissingExtra) as error:
        return CheckResult(str(error), skipped=True)
    except (Failure, AlmuniaError) as error:
        return CheckResult(str(error) or type(error).__name__)
    except ModuleNotFoundError as error:
        if error.name == "svg":
            return CheckResult("Pictures need the package svg.py: pip install 'almunia[cli]'.", skipped=True)
        return CheckResult(f"ModuleNotFoundError: {error}")
    except Exception as error:  # noqa: BLE001 - a game under test may raise any error
        return CheckResult(f"{type(error).__name__}: {error}")
    return CheckResult()
