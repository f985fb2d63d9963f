"""What a bot is, and what all of them share."""

from typing import Protocol

from ..errors import IllegalAction, SetupError
from ..play.play import Observation


class Bot(Protocol):
    """Anything that chooses from what its seat may see.

    It may have a method `ready(seats)`, to prepare for a table of so many before its time runs, and `close()`, to let
    go what it holds.
    """

    def choose(self, observation: Observation, /) -> int:
        """A legal action for the seat of this observation, whose turn it is."""
        ...


class NamedBot(Bot, Protocol):
    """A bot that was made from its spec."""

    spec: str


def get_ready(bot: Bot, seats: int) -> None:
    """Let a bot prepare for a play, if it needs to; BotFailure if it cannot."""
    if ready := getattr(bot, "ready", None):
        ready(seats)


def close(bot: Bot) -> None:
    """Close a bot that holds something, such as a program of its own."""
    if end := getattr(bot, "close", None):
        end()


def check_turn(observation: Observation, spec: str) -> None:
    """Raise IllegalAction if it is not this seat's turn, SetupError for what is no observation."""
    if not hasattr(observation, "seat"):
        raise SetupError(
            f"The bot {spec!r} chooses from an observation, such as play.observe(play.turn), not from {observation!r}."
        )
    if observation.over or observation.turn != observation.seat:
        raise IllegalAction(f"Seat {observation.seat + 1} is not to move, so the bot {spec!r} has nothing to choose.")
