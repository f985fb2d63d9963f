"""Interfaces of bots."""

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
    """An object with a method `choose`.

    If a bot also has a method `prepare(seats)`, a batch calls it before the first play begins.
    """

    def choose(self, observation: Observation, /) -> int:
        """Return the code of a legal action. The seat of the observation is to move."""
        ...


class BatchBot(Protocol):
    """An opponent of batches that chooses for many plays at a time, such as a network."""

    def choose_batch(
        self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.bool_], seats: npt.NDArray[np.int8], /
    ) -> npt.ArrayLike:
        """Return the code of a legal action for each of k plays, integers of shape (k,).

        The next call overwrites the arrays.

        Args:
            observations: float32 (k, game.tensor_size), what the seats to move see, as `Observation.tensor`.
            masks: bool (k, game.rules.ACTIONS), the legal actions.
            seats: int8 (k,), the seats to move, from 0.
        """
        ...


@runtime_checkable
class PreparedBot(Bot, Protocol):
    """A bot with a method `prepare`, which a batch calls before its first play begins."""

    def prepare(self, seats: int, /) -> None: ...


class NamedBot(ABC):
    """A bot with a spec, such as `almunia.bots.make` makes."""

    spec: str  # its name
    game: LoadedGame  # the game it plays

    @abstractmethod
    def choose(self, observation: Observation, /) -> int:
        """Return the code of a legal action. The seat of the observation must be to move.

        Raises:
            BotFailure: an external program does not start, does not choose a legal action in time, or has been closed.
            IllegalAction: the seat of the observation is not to move.
            SetupError: `observation` is not an observation.
        """

    def prepare(self, seats: int, /) -> None:  # noqa: B027 - most bots need not
        """Prepare for plays with `seats` seats: a bot may compile code or start a program.

        Raises:
            BotFailure: the program cannot start, or the bot has been closed.
            SetupError: the game cannot have this number of seats. External programs do not check the number.
        """

    def close(self) -> None:  # noqa: B027 - most bots hold nothing
        """End the bot's program, if the bot has one. Such a bot cannot choose afterwards."""

    def __repr__(self) -> str:
        return f"<Bot {self.spec} for {self.game.name}>"


class StatefulBot(NamedBot):
    """A bot that can switch between plays, if its `memory` is saved and restored.

    A batch makes such a bot for each of its threads, if the bot is given as a spec.
    """

    @property
    @abstractmethod
    def memory(self) -> npt.NDArray[np.int64]:
        """The data that the bot keeps from one turn to the next, int64 of one axis. `prepare` fixes the length.

        Setting the memory discards all other data of the bot on a play.
        """

    @memory.setter
    @abstractmethod
    def memory(self, saved: npt.NDArray[np.int64]) -> None: ...

    @abstractmethod
    def start(self, seed: int) -> None:
        """Reset the bot to its initial state with this seed."""

    def row_player(self, *batch: Any) -> RowPlayer | None:
        """Return a function that plays for this bot in a batch, or None if `choose` is called for each decision.

        `batch` are the arguments of the batch's loop (`actions, arrays, scratch, opponents`) and the memories of all
        rows, wrapped for the game's build. The returned function takes an opponent's slot and a row. The function
        chooses and plays as long as the row waits for that slot, and updates the bot's memory.
        """
        return None


def is_bot(candidate: object) -> TypeGuard[Bot]:
    """Return whether an object has a method `choose`, and is not a class or an array."""
    return callable(getattr(candidate, "choose", None)) and not isinstance(candidate, type | np.ndarray)


def is_batch_bot(candidate: object) -> TypeGuard[BatchBot]:
    """Return whether an object has a method `choose_batch`, and is not a class or an array."""
    return callable(getattr(candidate, "choose_batch", None)) and not isinstance(candidate, type | np.ndarray)


def choose_once(bot: NamedBot, seats: int, rng: npt.NDArray[np.int64]) -> None:
    """Let the bot choose once in a new play, to compile the bot's kernels, and restore the bot's generator `rng`."""
    play, before = Play.start(bot.game, seats, 0, {}), rng.copy()
    bot.choose(play.observe(play.turn))
    rng[:] = before


def check_turn(observation: Observation, spec: str) -> None:
    """Raise IllegalAction if the observation's seat is not to move, and SetupError for an object without a seat."""
    if not hasattr(observation, "seat"):
        raise SetupError(
            f"The bot {spec!r} chooses from an observation, such as play.observe(play.turn), not from {observation!r}."
        )
    if observation.over or observation.turn != observation.seat:
        raise IllegalAction(f"Seat {observation.seat + 1} is not to move, so the bot {spec!r} has nothing to choose.")
