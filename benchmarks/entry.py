"""An environment that `benchmarks.envs` measures."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.frameworks import Loop

# Interfaces. Environments with the same interface are compared.
GYMNASIUM, PETTINGZOO, OPENSPIEL = "Gymnasium, one game", "PettingZoo, one game in turns", "OpenSpiel, one game"
LIBRARY, MANY = "A library's own functions, one game", "Many games at a time"
GAMES = 256  # stepped together


@dataclass(frozen=True)
class Entry:
    """An environment that can be measured."""

    interface: str
    what: str
    make: Callable[[], Loop]
    games: int = 1  # stepped by each step of the loop
    goal: float | None = None
    owner: str = ""  # empty for ours
