"""Opponents of a learner: those that choose within the loop of a batch, and those that are asked in Python."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import SetupError, one_of
from . import choosing
from .arguments import is_whole
from .batching import ASKED, Rivals
from .contract import NONE
from .words import count_of
from .workspaces import blank_workspace

if TYPE_CHECKING:
    from .game import Game

NATIVE = {"random": (choosing.RANDOM, 0), "greedy": (choosing.GREEDY, 0)}  # kinds, and thousandths of slips


class Opponents:
    """Who plays the seats that are not the learner's.

    `given` is one for all of these, or a sequence of one for each, in turn from the learner's seat on: the names
    `random` and `greedy`, or bots with a method choose(observation). Bots with an attribute `native`, such as
    those of `almunia.bots.make("greedy", game)`, play within the loop like the named ones.

    SetupError for anything else, or if nobody else plays.
    """

    def __init__(self, game: "Game", seats: int, given: Any) -> None:
        if seats == 1:
            raise SetupError("There is one seat only, so nobody can play against it: leave out `opponents`.")
        alone = isinstance(given, str) or not isinstance(given, Sequence)
        asked = [given] * (seats - 1) if alone else list(given)
        if len(asked) != seats - 1:
            raise SetupError(
                f"{count_of(len(asked), 'opponent')} cannot take {count_of(seats - 1, 'seat')}; "
                "give one for all, or one for each seat that is not the learner's."
            )
        self._game = game
        self._native = [native(bot) for bot in asked]
        self.given = asked
        for bot in asked:
            if ready := getattr(bot, "ready", None):
                ready(seats)

    @property
    def in_python(self) -> bool:
        """Is one of them asked in Python?"""
        return any(kind == ASKED for kind, _ in self._native)

    def lent(self) -> Rivals:
        """What the loop of one thread needs of them."""
        kinds, slips = np.array(self._native, np.int64).T.copy()
        return Rivals(kinds, slips, blank_workspace(self._game))


def native(bot: Any) -> tuple[int, int]:
    """How a bot chooses within the loop, or that it is to be asked; SetupError if it is no bot."""
    if isinstance(bot, str):
        if bot not in NATIVE:
            raise SetupError(
                f"A batch knows no opponent {bot!r} by name, only {one_of(NATIVE, bot)} Give another bot itself, such "
                f"as almunia.bots.make('turn', game): it is asked in Python, one game after the other."
            )
        return NATIVE[bot]
    if isinstance(bot, type) or not callable(getattr(bot, "choose", None)):
        raise SetupError(f"An opponent is 'random', 'greedy', or has a method choose(observation): not {bot!r}.")
    return getattr(bot, "native", None) or (ASKED, 0)


def checked_seat(seat: int | Literal["random"] | None, seats: int, opponents: Any) -> int | Literal["random"]:
    """The learner's seat: NONE if it has them all, "random" if it is drawn for each game; SetupError if it is none."""
    if opponents is None:
        if seat is not None:
            raise SetupError(f"Seat {seat!r} alone is the learner's only if `opponents` play the others.")
        return NONE
    if seat is None:
        return 0
    if seat == "random":
        return "random"
    if not is_whole(seat) or not 0 <= seat < seats:
        raise SetupError(f"The learner's seat is one of 0 to {seats - 1}, or 'random' to draw it, not {seat!r}.")
    return int(seat)
