"""Agents: bots of your own for matches and traces, with a name and a hash."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from re import ASCII, fullmatch
from threading import Lock

from ..bots.base import Bot, PreparedBot, is_bot
from ..errors import SetupError
from ..play.play import Observation
from .executors import Executor, ThreadExecutor


@dataclass(frozen=True, eq=False)
class Agent:
    """A bot of your own with a name and a hash, for matches and traces. It plays in this process.

    Results call the agent `name@hash`. Change the hash when the bot would choose differently: stored results of another
    hash are those of another bot. One thread at a time calls the bot. If the bot has a method `prepare(seats)`, a match
    calls it before each game.

    Raise SetupError for an object without a method `choose`, and for a name or hash with other characters than letters,
    digits, `_`, `.`, `+` and `-`.
    """

    bot: Bot  # plays all games of the agent
    name: str  # such as "net"
    hash: str  # such as "3", or a hash of weights
    lock: AbstractContextManager[bool] = field(default_factory=Lock, init=False, repr=False)  # for calls of the bot

    def __post_init__(self) -> None:
        if not is_bot(self.bot):
            raise SetupError(f"An agent needs a bot with a method choose(observation), and {self.bot!r} has none.")
        for what, text in (("name", self.name), ("hash", self.hash)):
            if not isinstance(text, str) or not fullmatch(r"[\w.+-]+", text, ASCII):
                raise SetupError(
                    f"{text!r} cannot be the {what} of an agent: use letters, digits, '_', '.', '+' and '-'."
                )

    def __str__(self) -> str:
        return f"{self.name}@{self.hash}"

    def prepare(self, seats: int, /) -> None:
        """Prepare the bot for a game, if it has a method `prepare`."""
        if isinstance(self.bot, PreparedBot):
            with self.lock:
                self.bot.prepare(seats)

    def choose(self, observation: Observation, /) -> int:
        """Return the choice of the bot."""
        with self.lock:
            return self.bot.choose(observation)

    def close(self) -> None:
        """Do nothing: the bot may play further games."""


def agents_by_name(bots: Iterable[object], executor: Executor | None = None) -> dict[str, Agent]:
    """Return the agents among specs and agents, by `name@hash`.

    Raise SetupError for other objects, for two agents with the same name and hash, and for agents with an executor that
    may run tasks outside this process.
    """
    agents: dict[str, Agent] = {}
    for bot in bots:
        if isinstance(bot, Agent):
            if agents.setdefault(str(bot), bot).bot is not bot.bot:
                raise SetupError(f"Two different agents are called {str(bot)!r}: give one another name or hash.")
        elif not isinstance(bot, str):
            raise SetupError(
                f"{bot!r} is neither a spec such as 'greedy' nor an agent. "
                "To use a bot of your own, name it: almunia.Agent(bot, 'net', '1')."
            )
    if agents and not isinstance(executor, ThreadExecutor | None):
        raise SetupError(
            f"The agent {min(agents)!r} plays in this process only. Use a ThreadExecutor, not {executor!r}."
        )
    return agents
