"""Opponents of a learner, which choose in the compiled loop of a batch or in Python."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ..bots.base import BatchBot, Bot, NamedBot, PreparedBot, StatefulBot, is_batch_bot, is_bot
from ..bots.builtin import KernelBot, KernelPolicy
from ..bots.factory import make
from ..core.contract import NONE
from ..core.english import pluralize
from ..core.kernels import policies
from ..core.kernels.batch_step import NOT_INLINE, InlineOpponents
from ..core.loaded import LoadedGame
from ..core.workspaces import allocate_policy_scratch
from ..errors import SetupError
from ..validation import is_int, is_one_of

NO_OPPONENTS = "A game with one seat has no opponents: leave out `opponents`."


class OpponentSlot(NamedTuple):
    """The opponent in one slot. Slot 0 is the seat after the learner's."""

    policy: KernelPolicy = KernelPolicy(NOT_INLINE)  # its policy in the compiled loop
    shared_bot: Bot | None = None  # the bot that chooses in the caller's thread
    batch_bot: BatchBot | None = None  # the bot that chooses there for all rows at once
    thread_spec: str = ""  # the spec, if each thread has its own copy of the bot
    is_made_here: bool = False  # whether `shared_bot` was made from a spec, and is to be closed


BUILT_IN = {  # specs for which no bot is made
    "random": OpponentSlot(KernelPolicy(policies.RANDOM)),
    "greedy": OpponentSlot(KernelPolicy(policies.GREEDY)),
}


class Opponents:
    """The players of all seats except the learner's.

    Every `KernelBot` with the game's own weights, and so the specs `random` and `greedy`, plays in the compiled loop.
    Each thread has its own copy of a `StatefulBot` that is made from a spec. All other bots are shared, and choose in
    the caller's thread: a `BatchBot` for all rows that wait for it, another bot for one row after the other.

    `bots` is a bot for all of these seats, or a sequence with a bot for each, in order from the seat after the
    learner's. Raise SetupError for other values, a wrong number of bots, or only one seat.
    """

    def __init__(self, game: LoadedGame, seats: int, bots: Any) -> None:
        if seats == 1:
            raise SetupError(NO_OPPONENTS)
        is_single = isinstance(bots, str) or not isinstance(bots, Sequence)
        by_slot = [bots] * (seats - 1) if is_single else list(bots)
        if len(by_slot) != seats - 1:
            raise SetupError(
                f"{pluralize(len(by_slot), 'opponent')} cannot take {pluralize(seats - 1, 'seat')}; "
                "give one for all, or one for each seat that is not the learner's."
            )
        self._game, self._seats = game, seats
        self._slots = [classify(game, bot) for bot in by_slot]
        self.shared_bots = [slot.shared_bot for slot in self._slots]
        self.batch_bots = [slot.batch_bot for slot in self._slots]

    def prepare(self) -> None:
        """Prepare the shared bots. Preparing a bot that is a program starts the program.

        If a bot fails, close the bots that were made from specs, and raise the error.
        """
        try:
            for bot in self.shared_bots:
                if isinstance(bot, PreparedBot):
                    bot.prepare(self._seats)
        except BaseException:
            self.close()
            raise

    @property
    def all_inline(self) -> bool:
        return all(slot.policy.kind != NOT_INLINE for slot in self._slots)

    @property
    def thread_specs(self) -> tuple[str, ...]:
        """The specs of bots that each thread has for itself, by slot, "" for others; empty without such bots."""
        specs = tuple(slot.thread_spec for slot in self._slots)
        return specs if any(specs) else ()

    def kernel_args(self) -> InlineOpponents:
        kinds, epsilons, noises = np.array([slot.policy for slot in self._slots], np.int64).T.copy()
        return InlineOpponents(kinds, epsilons, noises, allocate_policy_scratch(self._game))

    def make_thread_bots(self) -> list[StatefulBot | None]:
        """Make and return the bots of one thread, by slot; None for slots of other opponents."""
        bots: list[Any] = [make(slot.thread_spec, self._game, 0) if slot.thread_spec else None for slot in self._slots]
        for bot in filter(None, bots):
            bot.prepare(self._seats)
        return bots

    def close(self) -> None:
        """Close the shared bots that were made from specs, since they may run a program."""
        for slot in self._slots:
            if slot.is_made_here and isinstance(slot.shared_bot, NamedBot):
                slot.shared_bot.close()


def classify(game: LoadedGame, bot: Any) -> OpponentSlot:
    """Return the slot of a bot, or of the bot of a spec. Raise SetupError for other values."""
    spec = bot if isinstance(bot, str) else ""
    if spec in BUILT_IN:
        return BUILT_IN[spec]
    if spec:
        bot = make(spec, game, 0)
    if is_batch_bot(bot):
        return OpponentSlot(batch_bot=bot)
    if not is_bot(bot):
        raise SetupError(
            "An opponent is a spec such as 'greedy', or has a method choose(observation) or "
            f"choose_batch(observations, masks, seats): not {bot!r}."
        )
    if isinstance(bot, KernelBot) and not bot.has_own_weights:
        return OpponentSlot(bot.kernel_policy)
    if spec and isinstance(bot, StatefulBot):
        return OpponentSlot(thread_spec=spec)
    return OpponentSlot(shared_bot=bot, is_made_here=bool(spec))


def checked_seat(seat: int | Literal["random"] | None, seats: int, has_opponents: bool) -> int | Literal["random"]:
    """Return the learner's seat: NONE if the learner has all seats, "random" if the seat is drawn for each play.

    The default is seat 0 with opponents. Raise SetupError for a seat that does not exist, or a seat without opponents.
    """
    if not has_opponents:
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
