"""An environment that `benchmarks.envs` measures."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.frameworks import Loop

# Environments of the same interface are compared.
GYMNASIUM, PETTINGZOO, OPENSPIEL = "Gymnasium, one game", "PettingZoo, one game in turns", "OpenSpiel, one game"
LIBRARY, MANY = "A library's own functions, one game", "Many games at a time"
GAMES = 256  # that are stepped together


@dataclass(frozen=True)
class Entry:
    """An environment that can be measured."""

    interface: str
    what: str
    make: Callable[[], Loop]
    games: int = 1  # that each step of the loop steps
    goal: float | None = None
    owner: str = ""  # empty for ours
