"""The interfaces of bots, from any object with a method `choose` to bots that play inside a batch."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..core.loaded import LoadedGame
from ..errors import IllegalAction, SetupError
from ..play.play import Observation, Play

RowPlayer = Callable[[int, int], object]  # takes an opponent's slot and a row of a batch


class Bot(Protocol):
    """Any object with this method, which chooses from the observation of its seat.

    A bot may also have `prepare(seats)`, like a `NamedBot`. A batch calls `prepare` before the games begin.
    """

    def choose(self, observation: Observation, /) -> int:
        """Return a legal action for the seat of this observation, whose turn it is."""
        ...


@runtime_checkable
class PreparedBot(Bot, Protocol):
    """A bot that prepares before its first decision is timed."""

    def prepare(self, seats: int, /) -> None:
        """Prepare for games of `seats` seats, so that the first decision is not delayed."""
        ...


class NamedBot(ABC):
    """A bot made from its spec by `almunia.bots.make`."""

    spec: str  # its name
    game: LoadedGame  # the game it plays

    @abstractmethod
    def choose(self, observation: Observation, /) -> int:
        """Return a legal action for the seat of this observation, whose turn it is.

        Raises:
            BotFailure: an external program does not start, or does not choose a legal action in time.
            IllegalAction: it is not the turn of this seat.
            SetupError: `observation` is not an observation.
        """

    def prepare(self, seats: int, /) -> None:  # noqa: B027 - most bots need not
        """Compile code or start a program for games of `seats` seats.

        Raise BotFailure if the program cannot start or has been closed, and SetupError for a wrong number of seats.
        """

    def close(self) -> None:  # noqa: B027 - most bots hold nothing
        """End the program of a bot that has one. Such a bot cannot choose afterwards."""

    def __repr__(self) -> str:
        return f"<Bot {self.spec} for {self.game.name}>"


class StatefulBot(NamedBot):
    """A bot that can switch between games, if its `memory` is saved and restored.

    From a spec for a bot of this kind, a batch makes a bot for each of its threads.
    """

    @property
    @abstractmethod
    def memory(self) -> npt.NDArray[np.int64]:
        """The data that the bot keeps from one turn of a game to the next, int64 of a length that `prepare` settles.

        Setting the memory discards all other data of the bot on a game.
        """

    @memory.setter
    @abstractmethod
    def memory(self, saved: npt.NDArray[np.int64]) -> None: ...

    @abstractmethod
    def start(self, seed: int) -> None:
        """Reset the bot to its initial state with this seed."""

    def row_player(self, *batch: Any) -> RowPlayer | None:
        """Return machine code that plays for this bot within a batch; None if `choose` is called for each row.

        `batch` are the arguments of the batch's loop (`actions, arrays, scratch, opponents`) and the memories of all
        rows, wrapped for the game's build. The returned function takes an opponent's slot and a row. The function
        chooses and plays as long as the row waits for that slot, and updates the bot's memory.
        """
        return None


def is_bot(candidate: object) -> TypeGuard[Bot]:
    """Return whether an object is a bot: has a method `choose`, and is not a class or an array."""
    return callable(getattr(candidate, "choose", None)) and not isinstance(candidate, type | np.ndarray)


def choose_once(bot: NamedBot, seats: int, rng: npt.NDArray[np.int64]) -> None:
    """Compile what a bot's choices need, by one choice in another play, and restore the bot's generator `rng`."""
    play, before = Play.start(bot.game, seats, 0, {}), rng.copy()
    bot.choose(play.observe(play.turn))
    rng[:] = before


def check_turn(observation: Observation, spec: str) -> None:
    """Raise IllegalAction if it is not this seat's turn, and SetupError if `observation` is not an observation."""
    if not hasattr(observation, "seat"):
        raise SetupError(
            f"The bot {spec!r} chooses from an observation, such as play.observe(play.turn), not from {observation!r}."
        )
    if observation.over or observation.turn != observation.seat:
        raise IllegalAction(f"Seat {observation.seat + 1} is not to move, so the bot {spec!r} has nothing to choose.")
