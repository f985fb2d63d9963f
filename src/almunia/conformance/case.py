"""What a check is given, and how checks are run."""

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
from ..engine.kernels.rng import shake
from ..errors import AlmuniaError, MissingExtra
from ..library import Game, game
from ..play.play import Play

LIMIT = 20_000  # decisions within which a play must end
MARK = re.compile(r"\*\*(\d+\.\d+|D\d+)\*\*")  # of a paragraph in RULES.md
LONG = 100  # decisions; of a play with more, checks that need not see every position look at so many
SPARSE = 3  # a sparse case looks at every third of those positions


class Failure(AssertionError):
    """A promise of the contract that the game does not keep."""


class Skipped(Exception):
    """A check that cannot be made here; the message says why."""


@dataclass(frozen=True)
class Case:
    """A game at one seat count and with some options, in both builds."""

    name: str
    seats: int
    options: dict[str, str] = field(default_factory=dict)
    sparse: bool = False  # look at fewer positions and guesses

    def __str__(self) -> str:
        return "-".join([self.name, str(self.seats), *(f"{n}={v.replace(' ', '.')}" for n, v in self.options.items())])

    @cached_property
    def fast(self) -> Game:
        """The compiled build."""
        return game(self.name)

    @cached_property
    def plain(self) -> Game:
        """The plain build, which checks every index and sum."""
        return game(self.name, "plain")

    @property
    def fixed(self) -> bool:
        """Do the options leave nothing of the start to chance?"""
        return fixes_deal(self.plain.meta.options, self.options)

    @property
    def basic(self) -> bool:
        """Is this the case that stands for the game as a whole?"""
        return self.seats == self.plain.meta.seats[0] and not self.options

    @property
    def checks(self) -> dict[str, "Check"]:
        """The checks that are meant for this case: some look at the game as a whole, once."""
        return {title: function for title, function in CHECKS.items() if self.basic or title not in ONCE}

    @cached_property
    def marks(self) -> set[str]:
        """The marks of all paragraphs in RULES.md."""
        return set(MARK.findall(self.plain.file("RULES.md").read_text("utf-8")))

    @cached_property
    def pace(self) -> int:
        """How many actions lie between two positions that are looked at: 1, and more where plays are long."""
        return 1 + self.random_play(1) // LONG

    def random_play(self, seed: int) -> int:
        """How many decisions a random play takes, LIMIT if it is not over by then."""
        lend, rng = self.fast.lend, np.zeros(4, np.int64)
        shake(rng, seed)
        states, out = self.fast.blank(self.options), np.zeros(self.fast.rules.ACTIONS, np.int32)
        return int(self.fast.loops.random_play(lend(states), self.seats, seed, lend(rng), lend(out), LIMIT))

    def start(self, build: Game, seed: int) -> Play:
        """A play at its start."""
        return build.new(self.seats, seed, **self.options)

    def positions(self, build: Game, seed: int = 1, every: int = 1, bot: str = "") -> Iterator[Play]:
        """The same play at each `every`-th of its positions, or fewer if it is long, under random actions or a bot's.

        Its end is always among them, and with `every` = 1 all positions are.
        """
        step = every * self.pace * (SPARSE if self.sparse else 1) if every > 1 else 1
        play, generator = self.start(build, seed), Random(seed)
        player = make(bot, build, seed) if bot else None
        for number in range(LIMIT):
            if number % step == 0 or play.over:
                yield play
            if play.over:
                return
            play.apply(player.choose(play.observe(play.turn)) if player else generator.choice(play.legal_actions))
        raise Failure(f"A play (seed {seed}) was not over after {LIMIT} decisions.")

    def played(self, build: Game, seed: int = 1) -> Play:
        """A random play at its end."""
        *_, last = self.positions(build, seed, LIMIT)
        return last

    def readers(self) -> Iterator[int]:
        """Every seat, and a spectator."""
        yield from range(self.seats)
        yield SPECTATOR

    @cached_property
    def scenes(self) -> Any:
        """The game's own words and laws for positions (`tests/scenes.py`), or None."""
        if not self.plain.file("tests/scenes.py").is_file():
            return None
        return self.plain.plain_twin(import_module(f"{self.plain.package}.tests.scenes"))


Check = Callable[[Case], None]
CHECKS: dict[str, Check] = {}
ONCE: set[str] = set()  # those of the game as a whole


def check(function: Check) -> Check:
    """Enter a check into the list, under its name."""
    CHECKS[function.__name__] = function
    return function


def check_once(function: Check) -> Check:
    """Enter a check of the game as a whole, which only the case that stands for it goes through."""
    ONCE.add(function.__name__)
    return check(function)


def require(condition: object, sentence: str) -> None:
    """Fail with a sentence unless the condition holds."""
    if not condition:
        raise Failure(sentence)


def cases(name: str) -> list[Case]:
    """A case for every seat count of a game, and with two seats, if it takes them, one for every value of an option."""
    meta = game(name, "plain").meta
    low, high = meta.seats
    found = [Case(name, seats) for seats in range(low, high + 1)]
    return found + [
        Case(name, max(low, min(2, high)), {option.name: value}) for option in meta.options for value in option.examples
    ]


@dataclass(frozen=True)
class Finding:
    """How a check ended: passed if there is no sentence, else failed or skipped with a reason."""

    sentence: str = ""
    skipped: bool = False

    @property
    def failed(self) -> bool:
        """Did the game break its contract?"""
        return bool(self.sentence) and not self.skipped


Report = Callable[[str, Case, Finding], None]


def run_checks(name: str, seats: int | None = None, report: Report | None = None) -> list[tuple[str, Case, str]]:
    """Run every check on a game; returns the failures as (check, case, sentence).

    `report` is told of each check as it ends, with what it found.
    """
    failures = []
    for case in cases(name):
        if seats in (None, case.seats):
            for title, function in case.checks.items():
                finding = found_by(function, case)
                if finding.failed:
                    failures.append((title, case, finding.sentence))
                if report:
                    report(title, case, finding)
    return failures


def found_by(function: Check, case: Case) -> Finding:
    """What a check finds."""
    try:
        function(case)
    except (Skipped, MissingExtra) as error:
        return Finding(str(error), skipped=True)
    except (Failure, AlmuniaError) as error:
        return Finding(str(error))
    except ModuleNotFoundError as error:
        if error.name == "svg":
            return Finding("Pictures need the package svg.py: pip install 'almunia[cli]'.", skipped=True)
        return Finding(f"ModuleNotFoundError: {error}")
    except Exception as error:  # noqa: BLE001 - a game under test may raise anything at all
        return Finding(f"{type(error).__name__}: {error}")
    return Finding()
