"""Games as tools for language models, by the Model Context Protocol: a model plays a seat against bots."""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import wraps
from inspect import getdoc
from threading import Lock
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from .. import __version__
from ..bots import NamedBot, make
from ..bots.levels import LEVELS
from ..catalog import all_games, game_file
from ..core.english import join_words
from ..core.rich_text import plain_text
from ..errors import AlmuniaError, SetupError, one_of
from ..library import game as game_of
from ..play.play import Play
from ..validation import random_seed
from .narration import apply_and_log, result_lines

MAX_GAMES = 50  # open at once; each keeps its bots in memory
BOTS = (*LEVELS, "random")  # no external programs, and no unbounded search
INSTRUCTIONS = """\
Board games to play against bots. list_games lists them, read_rules returns the rules of one, and start_game starts one
and returns a name for it, which all other tools take. Each answer says what has happened and what you see. Choose with
act, in the words of legal_actions. The first use of a game takes up to 20 seconds."""


class McpGame:
    def __init__(self, play: Play, seat: int, bots: Mapping[int, NamedBot], names: list[str], seed_known: bool) -> None:
        self.play, self.seat, self.bots, self.names, self.seed_known = play, seat, bots, names, seed_known

    def act(self, action: int) -> list[str]:
        return self._apply(action) + self.play_bots()

    def play_bots(self) -> list[str]:
        """Let the bots play until it is the seat's turn, or the game is over. Return the log lines."""
        log = []
        while not self.play.over and self.play.turn != self.seat:
            log += self._apply(self.bots[self.play.turn].choose(self.play.observe(self.play.turn)))
        return log

    def _apply(self, action: int) -> list[str]:
        lines = apply_and_log(self.play, action, [self.seat])[self.seat]
        return [plain_text(line, self.names) for line in lines]

    def render(self, log: list[str]) -> str:
        """Return the log, the position and, at the end, the result, as the seat may see them."""
        parts = ["\n".join(log)] if log else []
        parts.append(self.play.observe(self.seat).describe())
        if self.play.over:
            parts.append("\n".join(result_lines(self.play, self.names)))
        return "\n\n".join(parts)

    def close(self) -> None:
        for bot in self.bots.values():
            bot.close()


class Tools:
    """The tools, and the games that they have started. The model reads the docstrings of the methods."""

    def __init__(self) -> None:
        self._games: dict[str, McpGame] = {}
        self._games_started = 0

    @property
    def tools(self) -> list[Any]:
        playing = [self.start_game, self.look, self.legal_actions, self.act, self.undo, self.end_game]
        return [self.list_games, self.read_rules, *playing]

    def list_games(self) -> str:
        """List all games: name (as tools take it), title, designers, year, number of players, summary and options."""
        lines = []
        for meta in all_games():
            low, high = meta.seats
            makers = f"by {join_words(meta.designers)} ({meta.year}), {low} to {high} players"
            options = "; ".join(f"{one.name} ({one.help or one.label})" for one in meta.options)
            about = f"{meta.about} Options: {options}" if options else meta.about
            lines.append(f"{meta.name}: {meta.title}, {makers}. {about}")
        return "\n".join(lines)

    def read_rules(self, game: str) -> str:
        """Return the full rules of a game.

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
        """Start a game and take a seat; bots take the others. Returns the game's name and the position.

        Args:
            game: a name from list_games.
            seats: number of players, including you; default: the fewest the game allows.
            seat: your seat, counted from 1.
            bots: the level of the bots: beginner, easy, medium, hard, expert, or random.
            seed: an integer that makes the deal reproducible; leave it out for a secret deal.
            options: the game's options by name.
        """
        if len(self._games) >= MAX_GAMES:
            raise SetupError(f"{MAX_GAMES} games are running, which is the maximum. End one of them with end_game.")
        if bots not in BOTS:
            raise SetupError(f"There are no bots {bots!r} here. There are: {one_of(BOTS, bots)}")
        play = game_of(game).start(seats, seed, options or {})
        if not 1 <= seat <= play.seats:
            raise SetupError(f"There is no seat {seat} here; seats are 1 to {play.seats}.")
        others = [other for other in range(play.seats) if other != seat - 1]
        players = {other: make(bots, play.game, random_seed()) for other in others}
        names = [f"seat {other + 1} ({'you' if other == seat - 1 else bots})" for other in range(play.seats)]
        self._games_started += 1
        name = f"{game}-{self._games_started}"
        mcp_game = self._games[name] = McpGame(play, seat - 1, players, names, seed is not None)
        return f"The game is called {name}.\n\n{mcp_game.render(mcp_game.play_bots())}"

    def look(self, name: str, as_json: bool = False) -> str:
        """Return the position of a game as your seat sees it, in words or as JSON.

        Args:
            name: the game's name, from start_game.
            as_json: answer with JSON instead of words.
        """
        mcp_game = self._game(name)
        if as_json:
            return json.dumps(mcp_game.play.observe(mcp_game.seat).to_dict(), ensure_ascii=False)
        return mcp_game.render([])

    def legal_actions(self, name: str) -> str:
        """List your legal actions, one per line, in the words that act takes, some with their effect.

        Args:
            name: the game's name, from start_game.
        """
        mcp_game = self._game(name)
        actions = mcp_game.play.observe(mcp_game.seat).to_dict()["legal"]
        lines = [one["words"] + (f" ({one['effect']})" if one["effect"] else "") for one in actions]
        return "\n".join(lines) or "The game is over, so nothing can be done."

    def act(self, name: str, action: str) -> str:
        """Take an action, and let the bots play until your next turn. Returns the log and the position.

        Args:
            name: the game's name, from start_game.
            action: the words of a legal action, without its effect in brackets.
        """
        mcp_game = self._game(name)
        return mcp_game.render(mcp_game.act(mcp_game.play.string_to_action(action)))

    def undo(self, name: str) -> str:
        """Undo your last action, unless it ended your turn or revealed hidden information. Returns the position.

        Args:
            name: the game's name, from start_game.
        """
        mcp_game = self._game(name)
        mcp_game.play.undo()
        return mcp_game.render([])

    def end_game(self, name: str) -> str:
        """End a game, finished or not. Returns the record, which reveals all hidden information.

        Args:
            name: the game's name, from start_game.
        """
        mcp_game = self._game(name)
        del self._games[name]
        mcp_game.close()
        return str(mcp_game.play.record(mcp_game.names, mcp_game.seed_known))

    def close(self) -> None:
        with ExitStack() as stack:
            for mcp_game in self._games.values():
                stack.callback(mcp_game.close)
        self._games.clear()

    def _game(self, name: str) -> McpGame:
        if name not in self._games:
            names = f"there are {join_words(self._games)}" if self._games else "none has been started"
            raise SetupError(f"No game is called {name!r}; {names}. start_game begins one.")
        return self._games[name]


def read_rules(game: str) -> str:
    """Return the full rules of a game. Raise SetupError if there is no such game."""
    return str(game_file(game, "RULES.md").read_text("utf-8"))


class Server(MCPServer[Any]):
    """A server that reports invalid arguments of a tool in one sentence."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool and return its result; an error sentence if the tool rejects the arguments' names or types."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            return error_result(
                f"{name} got wrong arguments: {'; '.join(map(describe_error, error.__cause__.errors()))}."
            )


def describe_error(error: Any) -> str:
    argument = ".".join(map(str, error["loc"]))
    return f"it needs {argument!r}" if error["type"] == "missing" else f"{argument}: {error['msg']}"


def error_result(sentence: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=sentence)], is_error=True)


def make_server(tools: Iterable[Callable[..., str]], instructions: str = INSTRUCTIONS) -> Server:
    """Return an MCP server with these tools, described by their docstrings. The server runs one call at a time."""
    server = Server("almunia", title="Almunia", instructions=instructions, version=__version__, log_level="WARNING")
    lock = Lock()
    for tool in tools:
        server.add_tool(as_tool(tool, lock), description=getdoc(tool), structured_output=False)
    return server


def as_tool(tool: Callable[..., str], lock: Lock) -> Callable[..., Any]:
    """Return a function that holds the lock while it calls the tool, and returns an AlmuniaError as an error result."""

    @wraps(tool)
    def call(**arguments: Any) -> Any:
        with lock:
            try:
                return tool(**arguments)
            except AlmuniaError as error:
                return error_result(str(error))

    return call
