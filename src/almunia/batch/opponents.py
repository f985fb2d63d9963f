"""Opponents of a learner: those that choose within the loop of a batch, and those that are asked outside it."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ..bots.base import Bot, NamedBot, PreparedBot, StatefulBot, is_bot
from ..bots.builtin import KernelBot, KernelPolicy
from ..bots.factory import make
from ..core.contract import NONE
from ..core.english import count_of
from ..core.kernels import policies
from ..core.kernels.batch_step import ASKED, Rivals
from ..core.loaded import LoadedGame
from ..core.workspaces import blank_workspace
from ..errors import SetupError
from ..validation import is_name, is_whole

OUTSIDE = KernelPolicy(ASKED, 0)


class Opponents:
    """Who plays the seats that are not the learner's.

    `given` is one for all of these, or a sequence of one for each, in turn from the learner's seat on: specs, or bots
    with a method choose(observation). A `KernelBot`, such as that of the spec `greedy`, plays within the loop. Of a
    `StatefulBot` by spec, each thread has its own.

    SetupError for anything else, or if nobody else plays.
    """

    def __init__(self, game: LoadedGame, seats: int, given: Any) -> None:
        if seats == 1:
            raise SetupError("There is one seat only, so nobody can play against it: leave out `opponents`.")
        alone = isinstance(given, str) or not isinstance(given, Sequence)
        asked = [given] * (seats - 1) if alone else list(given)
        if len(asked) != seats - 1:
            raise SetupError(
                f"{count_of(len(asked), 'opponent')} cannot take {count_of(seats - 1, 'seat')}; "
                "give one for all, or one for each seat that is not the learner's."
            )
        self._game, self._seats = game, seats
        places = [place_of(game, bot) for bot in asked]
        self._policies = [place.kernel_policy for place in places]
        self._specs = [place.thinks for place in places]
        self.given = [place.asked for place in places]
        self._made = [
            place.asked
            for place, bot in zip(places, asked, strict=True)
            if isinstance(bot, str) and isinstance(place.asked, NamedBot)
        ]
        for bot in self.given:
            if isinstance(bot, PreparedBot):
                bot.prepare(seats)

    @property
    def outside(self) -> bool:
        """Is one of them asked outside the loop?"""
        return any(policy.kind == ASKED for policy in self._policies)

    @property
    def think(self) -> bool:
        """Is there one of which each thread has its own?"""
        return any(self._specs)

    def lent(self) -> Rivals:
        """What the loop of one thread needs of them."""
        kinds, slips = np.array(self._policies, np.int64).T.copy()
        return Rivals(kinds, slips, blank_workspace(self._game))

    def thinkers(self) -> list[StatefulBot | None]:
        """The bots of one thread, by place; None for places of others."""
        return [self._thinker(spec) if spec else None for spec in self._specs]

    def _thinker(self, spec: str) -> StatefulBot:
        bot = make(spec, self._game, 0)
        assert isinstance(bot, StatefulBot)  # else it has no spec here
        bot.prepare(self._seats)
        return bot

    def close(self) -> None:
        """Close the bots that were made here and hold something, such as a program of their own."""
        for bot in self._made:
            bot.close()


class OpponentSlot(NamedTuple):
    """Who plays in one place."""

    kernel_policy: KernelPolicy  # how it chooses within the loop
    asked: Bot | None = None  # the bot that is asked outside of it, in the thread of the caller
    thinks: str = ""  # the spec of one that every thread has


NATIVE = {
    "random": OpponentSlot(KernelPolicy(policies.RANDOM, 0)),
    "greedy": OpponentSlot(KernelPolicy(policies.GREEDY, 0)),
}  # those that need no maker


def place_of(game: LoadedGame, bot: Any) -> OpponentSlot:
    """Where a bot chooses; SetupError if it is no bot."""
    if isinstance(bot, str):
        return NATIVE[bot] if bot in NATIVE else place_by_spec(make(bot, game, 0), bot)
    if not is_bot(bot):
        raise SetupError(f"An opponent is a spec such as 'greedy', or has a method choose(observation): not {bot!r}.")
    return OpponentSlot(bot.kernel_policy) if isinstance(bot, KernelBot) else OpponentSlot(OUTSIDE, bot)


def place_by_spec(bot: NamedBot, spec: str) -> OpponentSlot:
    """The same for a bot that was made by its spec."""
    if isinstance(bot, KernelBot):
        return OpponentSlot(bot.kernel_policy)
    return OpponentSlot(OUTSIDE, thinks=spec) if isinstance(bot, StatefulBot) else OpponentSlot(OUTSIDE, bot)


def checked_seat(seat: int | Literal["random"] | None, seats: int, opponents: Any) -> int | Literal["random"]:
    """The learner's seat: NONE if it has them all, "random" if it is drawn for each game; SetupError if it is none."""
    if opponents is None:
        if seat is not None:
            raise SetupError(f"Seat {seat!r} alone is the learner's only if `opponents` play the others.")
        return NONE
    if seat is None:
        return 0
    if is_name(seat, ("random",)):
        return "random"
    if not is_whole(seat) or not 0 <= seat < seats:
        raise SetupError(f"The learner's seat is one of 0 to {seats - 1}, or 'random' to draw it, not {seat!r}.")
    return int(seat)
