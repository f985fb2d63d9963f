"""Games as tools for language models, by the Model Context Protocol: a model plays a seat against bots."""

import json
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import getdoc
from threading import Lock
from typing import Any, Protocol

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from .. import __version__
from ..bots import Bot, close, make
from ..bots.levels import LEVELS
from ..core.arguments import fresh_seed
from ..core.game import game as game_of
from ..core.lines import spoken
from ..core.play import Play
from ..core.registry import all_games, meta as meta_of
from ..core.words import listed
from ..errors import AlmuniaError, SetupError, one_of
from .narration import apply_and_tell, result_lines

MOST = 50  # games that are kept at a time
BOTS = (*LEVELS, "random")  # nothing that runs a program or thinks for hours
INSTRUCTIONS = """\
Board games to play against bots. list_games says what there is, read_rules has the rules of one of them, and
start_game begins one and gives it a name, which all other tools take. Each answer says what has happened and what you
see; choose with act, in the words of legal_actions. The first use of a game takes up to 20 seconds."""


class Seated:
    """A game in which one seat is played from outside, and bots have the others."""

    def __init__(self, play: Play, seat: int, bots: Mapping[int, Bot], names: list[str], seed_known: bool) -> None:
        self.play, self.seat, self.bots, self.names, self.seed_known = play, seat, bots, names, seed_known

    def act(self, action: int) -> list[str]:
        """Do an action and let the bots answer; returns the log of it as the seat may read it."""
        log = self._do(action)
        return log + self.bots_act()

    def bots_act(self) -> list[str]:
        """Let the bots play until the seat is asked; returns the log of it."""
        log = []
        while not self.play.over and self.play.turn != self.seat:
            log += self._do(self.bots[self.play.turn].choose(self.play.observe(self.play.turn)))
        return log

    def _do(self, action: int) -> list[str]:
        lines = apply_and_tell(self.play, action, [self.seat])[self.seat]
        return [spoken(line, self.names) for line in lines]

    def shown(self, log: list[str]) -> str:
        """What has happened, and what the seat sees now."""
        parts = ["\n".join(log)] if log else []
        parts.append(self.play.observe(self.seat).describe())
        if self.play.over:
            parts.append("\n".join(result_lines(self.play, self.names)))
        return "\n\n".join(parts)

    def close(self) -> None:
        """Close the bots."""
        for bot in self.bots.values():
            close(bot)


class Tools:
    """The tools, and the games they have begun. A method's docstring is what the model reads about it."""

    def __init__(self) -> None:
        self._games: dict[str, Seated] = {}
        self._begun = 0

    @property
    def tools(self) -> list[Any]:
        """All of them."""
        playing = [self.start_game, self.look, self.legal_actions, self.act, self.undo, self.end_game]
        return [self.list_games, self.read_rules, *playing]

    def list_games(self) -> str:
        """All games: the name by which tools take one, title, number of players, what it is about, and its options."""
        lines = []
        for meta in all_games():
            low, high = meta.seats
            makers = f"by {listed(meta.designers)} ({meta.year}), {low} to {high} players"
            options = "; ".join(f"{one.name} ({one.help or one.label})" for one in meta.options)
            about = f"{meta.about} Options: {options}" if options else meta.about
            lines.append(f"{meta.name}: {meta.title}, {makers}. {about}")
        return "\n".join(lines)

    def read_rules(self, game: str) -> str:
        """The rules of a game, whole.

        Args:
            game: a name from list_games.
        """
        return read_rules(game)

    def start_game(
        self,
        game: str,
        seats: int | None = None,
        seat: int = 1,
        bots: str = "medium",
        seed: int | None = None,
        options: dict[str, str] | None = None,
    ) -> str:
        """Start a game and take a seat; bots take the others. Answers with the game's name and what you see.

        Args:
            game: a name from list_games.
            seats: how many play, you included; the fewest the game allows if not given.
            seat: yours, from 1 on.
            bots: how well the others play: easy, medium, hard, expert, or random.
            seed: a whole number that deals the same again; leave it out for a deal that nobody knows.
            options: the game's options by name.
        """
        if len(self._games) >= MOST:
            raise SetupError(f"{MOST} games are going on, and no more can be kept. End one of them with end_game.")
        if bots not in BOTS:
            raise SetupError(f"There are no bots {bots!r} here. There are: {one_of(BOTS, bots)}")
        play = game_of(game).start(seats, seed, options or {})
        if not 1 <= seat <= play.seats:
            raise SetupError(f"There is no seat {seat} here; seats are 1 to {play.seats}.")
        others = [other for other in range(play.seats) if other != seat - 1]
        players = {other: make(bots, play.game, fresh_seed()) for other in others}
        names = [f"seat {other + 1} ({'you' if other == seat - 1 else bots})" for other in range(play.seats)]
        self._begun += 1
        name = f"{game}-{self._begun}"
        seated = self._games[name] = Seated(play, seat - 1, players, names, seed is not None)
        return f"The game is called {name}.\n\n{seated.shown(seated.bots_act())}"

    def look(self, name: str, as_json: bool = False) -> str:
        """What your seat sees of a game: in words, or as JSON with all that can be known.

        Args:
            name: of the game, as start_game gave it.
            as_json: answer with JSON instead of words.
        """
        seated = self._game(name)
        if as_json:
            return json.dumps(seated.play.observe(seated.seat).to_dict(), ensure_ascii=False)
        return seated.shown([])

    def legal_actions(self, name: str) -> str:
        """The actions you may choose now, one a line, in the words that act takes, some with their effect.

        Args:
            name: of the game, as start_game gave it.
        """
        seated = self._game(name)
        actions = seated.play.observe(seated.seat).to_dict()["legal"]
        lines = [one["words"] + (f" ({one['effect']})" if one["effect"] else "") for one in actions]
        return "\n".join(lines) or "The game is over, so nothing can be done."

    def act(self, name: str, action: str) -> str:
        """Do an action, and let the bots play until you are asked again. Answers with what happened and what you see.

        Args:
            name: of the game, as start_game gave it.
            action: the words of a legal action, without its effect in brackets.
        """
        seated = self._game(name)
        return seated.shown(seated.act(seated.play.hear(action)))

    def undo(self, name: str) -> str:
        """Undo your last action, unless it ended your turn or brought something new to light.

        Args:
            name: of the game, as start_game gave it.
        """
        seated = self._game(name)
        seated.play.undo()
        return seated.shown([])

    def end_game(self, name: str) -> str:
        """End a game, finished or not. Answers with its record, in which nothing is hidden any more.

        Args:
            name: of the game, as start_game gave it.
        """
        seated = self._game(name)
        del self._games[name]
        seated.close()
        return str(seated.play.record(seated.names, seated.seed_known))

    def close(self) -> None:
        """End all games."""
        for name in list(self._games):
            self.end_game(name)

    def _game(self, name: str) -> Seated:
        """A game that is going on; SetupError names those there are."""
        if name not in self._games:
            there = f"there are {listed(self._games)}" if self._games else "none has been started"
            raise SetupError(f"No game is called {name!r}; {there}. start_game begins one.")
        return self._games[name]


def read_rules(game: str) -> str:
    """The rules of a game, whole; SetupError if there is no such game."""
    return str(game_of(meta_of(game).name, "plain").file("RULES.md").read_text("utf-8"))


class Server(MCPServer[Any]):
    """A server that says in sentences which arguments a tool does not take."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool; answer with a sentence if arguments are missing or of the wrong kind."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            return refusal(f"{name} cannot be called so: {'; '.join(map(fault_of, error.__cause__.errors()))}.")


def fault_of(found: Any) -> str:
    """Return what is wrong with an argument, from what pydantic has found."""
    argument = ".".join(map(str, found["loc"]))
    return f"it needs {argument!r}" if found["type"] == "missing" else f"{argument}: {found['msg']}"


def refusal(sentence: str) -> CallToolResult:
    """The answer to a call that cannot be done."""
    return CallToolResult(content=[TextContent(type="text", text=sentence)], is_error=True)


class Offer(Protocol):
    """What has tools to offer."""

    @property
    def tools(self) -> list[Any]:
        """All of them: methods whose docstrings a model reads."""


def server(offer: Offer, instructions: str = INSTRUCTIONS) -> Server:
    """A server of the Model Context Protocol with these tools, of which one call at a time is answered."""
    made = Server("almunia", title="Almunia", instructions=instructions, version=__version__, log_level="WARNING")
    lock = Lock()
    for tool in offer.tools:
        made.add_tool(told(tool, lock), description=getdoc(tool), structured_output=False)
    return made


def told(tool: Callable[..., str], lock: Lock) -> Callable[..., Any]:
    """A tool that says in a sentence what is wrong."""

    @wraps(tool)
    def call(**arguments: Any) -> Any:
        with lock:
            try:
                return tool(**arguments)
            except AlmuniaError as error:
                return refusal(str(error))

    return call
