"""The interfaces of bots, from "anything that chooses" to bots that play inside a batch."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..core.loaded import LoadedGame
from ..errors import IllegalAction, SetupError
from ..play.play import Observation

RowPlayer = Callable[[int, int], object]  # plays for an opponent's slot in a row of a batch


class Bot(Protocol):
    """Chooses from what its seat may see. An object with this method is a bot.

    It may also have `prepare(seats)`, as a `NamedBot` has: a batch calls it before the games begin.
    """

    def choose(self, observation: Observation, /) -> int:
        """Return a legal action for the seat of this observation, whose turn it is."""
        ...


@runtime_checkable
class PreparedBot(Bot, Protocol):
    """A bot that wants to prepare for a game before its time runs."""

    def prepare(self, seats: int, /) -> None:
        """Do once what the first decision at a table of `seats` seats would otherwise have to wait for."""
        ...


class NamedBot(ABC):
    """A bot made from its spec by `almunia.bots.make`."""

    spec: str  # its name
    game: LoadedGame  # the game it plays

    @abstractmethod
    def choose(self, observation: Observation, /) -> int:
        """Return a legal action for the seat of this observation, whose turn it is.

        Raises:
            BotFailure: a program of a user's own gives no legal action in time.
        """

    def prepare(self, seats: int, /) -> None:  # noqa: B027 - most bots need not
        """Compile or start what the first decision at a table of `seats` seats needs; BotFailure if that fails."""

    def close(self) -> None:  # noqa: B027 - most bots hold nothing
        """Release what the bot holds, such as a process. It cannot choose afterwards."""

    def __repr__(self) -> str:
        return f"<Bot {self.spec} for {self.game.name}>"


class StatefulBot(NamedBot):
    """A bot that can play many games by turns, if its `memory` is saved and restored between them.

    A batch makes one for each of its threads.
    """

    @property
    @abstractmethod
    def memory(self) -> npt.NDArray[np.int64]:
        """The data that the bot carries from one turn of a game to the next, int64 of a fixed length.

        Setting it discards everything else that the bot knows of a game.
        """

    @memory.setter
    @abstractmethod
    def memory(self, saved: npt.NDArray[np.int64]) -> None: ...

    @abstractmethod
    def start(self, seed: int) -> None:
        """Reset the bot to what it was when it was made with this seed."""

    def row_player(self, *batch: Any) -> RowPlayer | None:
        """Return machine code that plays for this bot within a batch; None if it is asked row by row.

        `batch` are the arguments of the batch's loop (`actions, arrays, scratch, opponents`) and the memories of all
        rows, wrapped for the game's build. The result takes an opponent's slot and a row. It chooses and plays as long
        as the row waits for that slot, and keeps the bot's memory up to date itself.
        """
        return None


def is_bot(candidate: object) -> TypeGuard[Bot]:
    """Return whether an object has a method `choose`. Classes and arrays have one, too, and are no bots."""
    return callable(getattr(candidate, "choose", None)) and not isinstance(candidate, type | np.ndarray)


def check_turn(observation: Observation, spec: str) -> None:
    """Raise IllegalAction if it is not this seat's turn, SetupError for anything that is not an observation."""
    if not hasattr(observation, "seat"):
        raise SetupError(
            f"The bot {spec!r} chooses from an observation, such as play.observe(play.turn), not from {observation!r}."
        )
    if observation.over or observation.turn != observation.seat:
        raise IllegalAction(f"Seat {observation.seat + 1} is not to move, so the bot {spec!r} has nothing to choose.")
