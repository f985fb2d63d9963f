"""The language in which bots are named: `greedy`, `search:1s`, `search:2000,explore=0.3`, `external:./mybot.py`."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from ..errors import SetupError

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
        if text.isdecimal() and 1 <= int(text) <= MOST_SIMULATIONS:
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


TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s)")
DEFAULT = Budget(seconds=1.0)  # of a search
PATIENCE = Budget(seconds=10.0)  # with a program


@dataclass(frozen=True)
class Spec:
    """A bot's name taken apart."""

    kind: str
    budget: Budget = DEFAULT
    settings: dict[str, float] = field(default_factory=dict)
    command: str = ""


def parse(text: str, settings: Mapping[str, tuple[float, float]]) -> Spec:
    """Take apart kind[:budget][,name=value...], or external:[time:]command.

    `settings` are the names that may be set, each with its least and largest value.
    """
    kind, colon, rest = text.partition(":")
    if kind == "external":
        return _external(rest)
    head, *words = (rest if colon else text).split(",")
    if not colon:
        kind = head
    return Spec(kind, Budget.parse(head) if colon else DEFAULT, dict(_setting(word, settings) for word in words))


def _external(rest: str) -> Spec:
    time, colon, command = rest.partition(":")
    timed = bool(colon) and TIME.fullmatch(time) is not None
    command = command if timed else rest
    if not command.strip():
        raise SetupError("Say which program the external bot is: external:./mybot.py, or external:5s:./mybot.py.")
    return Spec("external", Budget.parse(time) if timed else PATIENCE, command=command)


def _setting(word: str, known: Mapping[str, tuple[float, float]]) -> tuple[str, float]:
    name, _, value = word.partition("=")
    if name not in known:
        raise SetupError(f"A search has no setting {name!r}. There are: {', '.join(known)}.")
    low, high = known[name]
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not low <= number <= high:
        raise SetupError(f"{name} is a number from {low:g} to {high:g}, not {value!r}.")
    return name, number
