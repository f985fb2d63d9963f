"""Bots by their spec, such as `search:200`. Core knows no bots: the package says here who makes them."""

from collections.abc import Callable
from typing import Any, Protocol


class Maker(Protocol):
    """What makes the bot that a spec names, with random numbers from a seed; SetupError if there is none."""

    def __call__(self, spec: str, game: Any, seed: int, /) -> Any:
        """The bot."""
        ...


_MAKERS: list[Callable[[], Maker]] = []  # the one that holds stands last


def provide(load: Callable[[], Maker]) -> None:
    """From now on bots are made by what `load` gives, which is not called before one is wanted."""
    _MAKERS.append(load)


def made(spec: str, game: Any, seed: int) -> Any:
    """The bot that a spec names; SetupError if there is none."""
    return _MAKERS[-1]()(spec, game, seed)
