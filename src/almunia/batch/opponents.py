"""Opponents of a learner, which choose in the compiled loop of a batch or in Python."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ..bots.base import Bot, NamedBot, PreparedBot, StatefulBot, is_bot
from ..bots.builtin import KernelBot, KernelPolicy
from ..bots.factory import make
from ..core.contract import NONE
from ..core.english import pluralize
from ..core.kernels import policies
from ..core.kernels.batch_step import PYTHON_BOT, InlineOpponents
from ..core.loaded import LoadedGame
from ..core.workspaces import allocate_policy_scratch
from ..errors import SetupError
from ..validation import is_int, is_one_of

IN_PYTHON = KernelPolicy(PYTHON_BOT, 0)


class Opponents:
    """The players of all seats except the learner's.

    A `KernelBot`, such as that of the spec `greedy`, plays in the compiled loop. Each thread has its own copy of a
    `StatefulBot` that is given as a spec. All other bots are shared, and choose in the caller's thread.

    Args:
        game: the game of the batch.
        seats: the number of seats, including the learner's.
        bots: a bot for all of these seats, or a sequence with a bot for each, in order from the seat after the
            learner's. A bot is a spec, or an object with a method choose(observation).

    Raises:
        SetupError: other values, a wrong number of bots, or only one seat.
    """

    def __init__(self, game: LoadedGame, seats: int, bots: Any) -> None:
        if seats == 1:
            raise SetupError("There is one seat only, so nobody can play against it: leave out `opponents`.")
        is_single = isinstance(bots, str) or not isinstance(bots, Sequence)
        by_slot = [bots] * (seats - 1) if is_single else list(bots)
        if len(by_slot) != seats - 1:
            raise SetupError(
                f"{pluralize(len(by_slot), 'opponent')} cannot take {pluralize(seats - 1, 'seat')}; "
                "give one for all, or one for each seat that is not the learner's."
            )
        self._game, self._seats = game, seats
        slots = [classify(game, bot) for bot in by_slot]
        self._policies = [slot.kernel_policy for slot in slots]
        self._specs = [slot.per_thread_spec for slot in slots]
        self.shared_bots = [slot.shared_bot for slot in slots]
        self._made = [
            slot.shared_bot
            for slot, bot in zip(slots, by_slot, strict=True)
            if isinstance(bot, str) and isinstance(slot.shared_bot, NamedBot)
        ]

    def prepare(self) -> None:
        """Prepare the shared bots, which starts programs. If a bot fails, close those that were made here."""
        try:
            for bot in self.shared_bots:
                if isinstance(bot, PreparedBot):
                    bot.prepare(self._seats)
        except BaseException:
            self.close()
            raise

    @property
    def has_python(self) -> bool:
        """Whether an opponent chooses in Python."""
        return any(policy.kind == PYTHON_BOT for policy in self._policies)

    @property
    def has_stateful(self) -> bool:
        """Whether each thread has its own copy of an opponent."""
        return any(self._specs)

    def kernel_args(self) -> InlineOpponents:
        """Allocate and return the opponents' arrays for the loop of one thread."""
        kinds, epsilons = np.array(self._policies, np.int64).T.copy()
        return InlineOpponents(kinds, epsilons, allocate_policy_scratch(self._game))

    def make_thread_bots(self) -> list[StatefulBot | None]:
        """Make and return the bots of one thread, by slot; None for slots of other opponents."""
        return [self._thread_bot(spec) if spec else None for spec in self._specs]

    def _thread_bot(self, spec: str) -> StatefulBot:
        bot = make(spec, self._game, 0)
        assert isinstance(bot, StatefulBot)  # by `classify_named`
        bot.prepare(self._seats)
        return bot

    def close(self) -> None:
        """Close the bots that were made from specs here, since they may run a program."""
        for bot in self._made:
            bot.close()


class OpponentSlot(NamedTuple):
    """The opponent of one seat, counted from the seat after the learner's."""

    kernel_policy: KernelPolicy  # its policy in the compiled loop, or IN_PYTHON
    shared_bot: Bot | None = None  # the bot that chooses in the caller's thread
    per_thread_spec: str = ""  # the spec, if each thread has its own copy of the bot


BUILT_IN = {  # specs for which no bot is made
    "random": OpponentSlot(KernelPolicy(policies.RANDOM, 0)),
    "greedy": OpponentSlot(KernelPolicy(policies.GREEDY, 0)),
}


def classify(game: LoadedGame, bot: Any) -> OpponentSlot:
    """Return the slot of a bot, or of the bot of a spec. Raise SetupError for other values."""
    if isinstance(bot, str):
        return BUILT_IN[bot] if bot in BUILT_IN else classify_named(make(bot, game, 0), bot)
    if not is_bot(bot):
        raise SetupError(f"An opponent is a spec such as 'greedy', or has a method choose(observation): not {bot!r}.")
    return OpponentSlot(bot.kernel_policy) if isinstance(bot, KernelBot) else OpponentSlot(IN_PYTHON, bot)


def classify_named(bot: NamedBot, spec: str) -> OpponentSlot:
    """Return the slot of a bot that was made from its spec."""
    if isinstance(bot, KernelBot):
        return OpponentSlot(bot.kernel_policy)
    if isinstance(bot, StatefulBot):
        return OpponentSlot(IN_PYTHON, per_thread_spec=spec)
    return OpponentSlot(IN_PYTHON, bot)


def checked_seat(seat: int | Literal["random"] | None, seats: int, opponents: Any) -> int | Literal["random"]:
    """Return the learner's seat: NONE if the learner has all seats, "random" if the seat is drawn for each game.

    Raises:
        SetupError: the seat does not exist, or a seat is given without opponents.
    """
    if opponents is None:
        if seat is not None:
            raise SetupError(f"Seat {seat!r} alone is the learner's only if `opponents` play the others.")
        return NONE
    if seat is None:
        return 0
    if is_one_of(seat, ("random",)):
        return "random"
    if not is_int(seat) or not 0 <= seat < seats:
        raise SetupError(f"The learner's seat is one of 0 to {seats - 1}, or 'random' to draw it, not {seat!r}.")
    return int(seat)
