"""The language in which bots are named: `greedy`, `search:1s`, `search:2000,explore=0.3`, `external:./mybot.py`."""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Self

from ..errors import SetupError, one_of

MOST_SIMULATIONS = 10**9
MOST_SECONDS = 3600.0


@dataclass(frozen=True)
class Budget:
    """How much a bot may think about one decision: simulations or seconds, one of the two."""

    simulations: int | None = None
    seconds: float | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """`2000` for simulations, `0.5s` or `500ms` for time; SetupError for anything else."""
        if not isinstance(text, str):
            raise SetupError(f"A budget is a text, such as '2000' for simulations or '1s' for time, not {text!r}.")
        if SIMULATIONS.fullmatch(text) and 1 <= int(text) <= MOST_SIMULATIONS:
            return cls(simulations=int(text))
        match = TIME.fullmatch(text)
        if match:
            seconds = float(match[1]) / (1000 if match[2] == "ms" else 1)
            if 0 < seconds <= MOST_SECONDS:
                return cls(seconds=seconds)
        raise SetupError(
            "A search thinks for a number of simulations such as 2000, or a time such as 1s or 300ms "
            f"(at most an hour): not {text!r}."
        )

    def __str__(self) -> str:
        return f"{self.seconds:g}s" if self.simulations is None else str(self.simulations)


Limits = Mapping[str, tuple[float, float]]  # what can be set, from what to what: in whole numbers if the bounds are

SIMULATIONS = re.compile(r"[0-9]{1,10}")
TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s)")
VALUE = re.compile(r"[-+.eE0-9]+")
DEFAULT = Budget(seconds=1.0)  # of a search
PATIENCE = Budget(seconds=10.0)  # with a program


@dataclass(frozen=True)
class Spec:
    """A bot's name taken apart."""

    kind: str
    budget: Budget | None = None  # if one is named
    settings: dict[str, float] = field(default_factory=dict)
    command: str = ""


def parse(text: str, kinds: Collection[str], settings: Mapping[str, Limits]) -> Spec:
    """Take apart kind[:budget][,name=value...], or external:[time:]command.

    `settings` are, for each of the kinds that has any, the names that may be set.
    """
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
    known = settings.get(kind, {})
    budget = Budget.parse(head) if colon else None
    chosen: dict[str, float] = {}
    for name, value in (_setting(kind, word, known) for word in words):
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


def fits(number: float, bound: float) -> bool:
    """Is it a whole number, if the bounds of the setting are?"""
    return not isinstance(bound, int) or number == int(number)


def _setting(kind: str, word: str, known: Limits) -> tuple[str, float]:
    name, _, value = word.partition("=")
    if name not in known:
        others = f"It has: {one_of(known, name)}" if known else "It has none."
        raise SetupError(f"The bot {kind!r} has no setting {name!r}. {others}")
    low, high = known[name]
    try:
        number = float(value) if VALUE.fullmatch(value) else math.nan
    except ValueError:
        number = math.nan
    if not (low <= number <= high and fits(number, low)):
        whole = "whole " if isinstance(low, int) else ""
        raise SetupError(f"{name} is a {whole}number from {low:g} to {high:g}, not {value!r}.")
    return name, number
