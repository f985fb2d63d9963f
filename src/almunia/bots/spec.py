"""Specs, the names of bots: `greedy`, `search:1s`, `search:2000,exploration=0.3`, `external:./mybot.py`."""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from ..errors import SetupError, one_of
from ..validation import fits_float32

MAX_SIMULATIONS = 10**9
MAX_SECONDS = 3600.0


@dataclass(frozen=True)
class Budget:
    """The limit for one decision: either simulations or seconds."""

    simulations: int | None = None
    seconds: float | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a number of simulations (`2000`) or a time (`0.5s`, `500ms`). Raise SetupError for other texts."""
        if not isinstance(text, str):
            raise SetupError(f"A budget is a text, such as '2000' for simulations or '1s' for time, not {text!r}.")
        if SIMULATIONS.fullmatch(text) and 1 <= int(text) <= MAX_SIMULATIONS:
            return cls(simulations=int(text))
        match = TIME.fullmatch(text)
        if match:
            seconds = float(match[1]) / (1000 if match[2] == "ms" else 1)
            if 0 < seconds <= MAX_SECONDS:
                return cls(seconds=seconds)
        raise SetupError(
            "A search thinks for a number of simulations such as 2000, or a time such as 1s or 300ms "
            f"(at most an hour): not {text!r}."
        )

    def part(self, share: float) -> Self:
        """Return a share of the budget, at least one simulation."""
        if self.simulations is not None:
            return replace(self, simulations=max(1, round(share * self.simulations)))
        return replace(self, seconds=share * (self.seconds or 0.0))


class Range(NamedTuple):
    low: float
    high: float
    whole: bool = False  # only integers

    def accepts(self, number: float) -> bool:
        return self.low <= number <= self.high and not (self.whole and number % 1)


Ranges = Mapping[str, Range]  # by setting

SIMULATIONS = re.compile(r"[0-9]{1,10}")
TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s)")
VALUE = re.compile(r"[-+.eE0-9]+")
DEFAULT_BUDGET = Budget(seconds=1.0)  # of a search
PROGRAM_TIMEOUT = Budget(seconds=10.0)  # for each answer of an external program
# Former names of settings: ledgers, traces and the site's database keep specs that people typed before the renaming.
FORMER_NAMES = {
    "explore": "exploration",
    "spread": "lead_scale",
    "narrow": "initial_width",
    "widen": "widening_rate",
    "trust": "prior_visits",
    "ahead": "rollout_decisions",
    "rounds": "rollout_rounds",
    "tries": "rollout_candidates",
    "beam": "beam_width",
    "width": "beam_width",
    "guesses": "determinizations",
    "slips": "epsilon",
}


@dataclass(frozen=True)
class Spec:
    kind: str
    budget: Budget | None = None  # None if the spec has no budget
    settings: dict[str, float] = field(default_factory=dict)
    command: str = ""


def parse(text: str, kinds: Collection[str], settings: Mapping[str, Ranges]) -> Spec:
    """Parse kind[:budget][,name=value...] or external:[time:]command, and return the spec.

    `kinds` are the existing kinds of bots. `settings` has the ranges of the settings of each kind that has settings.
    Raise SetupError for an invalid spec.
    """
    if not isinstance(text, str):
        raise SetupError(f"A spec is a text, such as 'greedy' or 'search:1s', not {text!r}.")
    kind, colon, rest = text.partition(":")
    if kind == "external":
        return _external(rest)
    head, *words = (rest if colon else text).split(",")
    if not colon:
        kind = head
    if kind not in kinds:
        raise SetupError(f"There is no bot {kind!r}. There are: {one_of(kinds, kind)}")
    if colon and kind != "search":
        raise SetupError(f"The bot {kind!r} takes no budget: write {','.join([kind, *words])!r}, not {text!r}.")
    ranges = settings.get(kind, {})
    budget = Budget.parse(head) if colon else None
    chosen: dict[str, float] = {}
    for name, value in (_parse_setting(kind, word, ranges) for word in words):
        if name in chosen:
            raise SetupError(f"The bot {text!r} sets {name} twice; give it one value.")
        chosen[name] = value
    return Spec(kind, budget, chosen)


def _external(rest: str) -> Spec:
    time, colon, command = rest.partition(":")
    timed = bool(colon) and TIME.fullmatch(time) is not None
    command = command if timed else rest
    if not command.strip():
        raise SetupError("Say which program the external bot is: external:./mybot.py, or external:5s:./mybot.py.")
    return Spec("external", Budget.parse(time) if timed else None, command=command)


def _parse_setting(kind: str, word: str, ranges: Ranges) -> tuple[str, float]:
    given, _, value = word.partition("=")
    try:
        number = float(value) if VALUE.fullmatch(value) else math.nan
    except ValueError:
        number = math.nan
    return check_setting(kind, given, number, ranges, value)


def check_setting(kind: str, given: str, number: float, ranges: Ranges, written: object) -> tuple[str, float]:
    """Return the current name of a setting and its number. Raise SetupError for an unknown name or a wrong number.

    `written` is the number as the caller gave it, for the message.
    """
    name = FORMER_NAMES.get(given, given)
    if name not in ranges:
        others = f"It has: {one_of(ranges, given)}" if ranges else "It has none."
        raise SetupError(f"The bot {kind!r} has no setting {given!r}. {others}")
    allowed = ranges[name]
    if not (fits_float32(number) and allowed.accepts(number)):
        whole = "whole " if allowed.whole else ""
        raise SetupError(f"{name} is a {whole}number from {allowed.low:g} to {allowed.high:g}, not {written!r}.")
    return name, number
