"""A smoke test of a game before its checks: the game is loaded, played and compiled."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import Any

from ..bots import make
from ..core.contract import SPECTATOR
from ..errors import AlmuniaError
from ..library import Game, game
from ..play.play import Play
from .commands.warm import run_play

MODULES = ("components", "rules", "observe", "text", "view", "bots")
MAX_DECISIONS = 500  # in one play
QUERY_INTERVAL = 20  # decisions between two calls of `exercise_queries`


def first_error(name: str) -> str:
    """Return the error that keeps a game from being checked, in one sentence; "" if there is none.

    The sentence has file and line if they are known. Violations of the contract (`AlmuniaError`) are left to the
    checks. A missing svg.py is no error.
    """
    plain = game(name, "plain")
    try:
        with suppress(AlmuniaError):
            load_modules(plain)
            play_at_random(plain)
            exercise_compiled(game(name))
    except ModuleNotFoundError as error:
        return "" if error.name == "svg" else format_error(error, plain)  # pictures cannot be checked without it
    except Exception as error:  # noqa: BLE001 - a game under development may raise any error
        return format_error(error, plain)
    return ""


def load_modules(this: Game) -> None:
    for module in MODULES:
        if this.has(module):
            this._module(module)  # noqa: SLF001 - optional modules have no public attribute


def play_at_random(this: Game) -> None:
    """Play up to MAX_DECISIONS at random with every number of seats, and call `exercise_queries` repeatedly."""
    for seats in range(this.meta.seats[0], this.meta.seats[1] + 1):
        play, bot = this.new(seats, seed=1), make("random", this, seed=1)
        for ply in range(MAX_DECISIONS):
            if play.over:
                break
            if ply % QUERY_INTERVAL == 0:
                exercise_queries(play)
            play.apply(bot.choose(play.observe(play.turn)))
        exercise_queries(play)


def exercise_queries(play: Play) -> None:
    """Call the queries of a position, observe the position from every seat and as a spectator, and draw a picture."""
    play.observe(play.turn).svg()
    for seat in (*range(play.seats), SPECTATOR):
        observation = play.observe(seat)
        observation.tensor()
        observation.board()
    play.score_table()
    play.ranks()
    for action in play.legal_actions[:3]:
        play.action_to_string(action)


def exercise_compiled(fast: Game) -> None:
    """Compile the functions that most checks need."""
    run_play(fast)
    play = fast.new(seed=1)
    play.apply(make("greedy", fast, seed=1).choose(play.observe(play.turn)))
    play.ranks()


# --- locating an error ----------------------------------------------------------------------------


def format_error(error: Exception, this: Game) -> str:
    """Return an error in one line, with its location in the game's folder if it is known."""
    folder = Path(str(this.file("")))
    summary = summarize(error)
    location = error_location(error, folder)
    return summary if location and summary.startswith(location) else f"{location}{summary}"


def summarize(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines()]
    lines = [line for line in lines if line and not line.startswith("Failed in ")] or [""]
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg}"
    if isinstance(error, (AttributeError, TypeError)) and ", line " in lines[0]:  # the format of checked records
        return lines[0]
    if isinstance(error, KeyError):  # the format of Numba
        return f"there is no {lines[0]} here."
    return f"{type(error).__name__}: {lines[0]}"


def error_location(error: Exception, folder: Path) -> str:
    """Return the innermost line of the game in a traceback, or the line being compiled: "lantern/rules.py, line 7: ".

    Return "" if neither is known.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return format_location(Path(error.filename), error.lineno or 0, folder)
    location = ""
    for frame, number in walk_tb(error.__traceback__):
        for file, line in ((frame.f_code.co_filename, number), *compiling_locations(frame)):
            location = format_location(Path(file), line, folder) or location
    return location


def compiling_locations(frame: FrameType) -> Iterator[tuple[str, int]]:
    """Yield file and line of the source locations that a frame of Numba holds."""
    if str(frame.f_globals.get("__name__", "")).startswith("numba."):
        for value in list(frame.f_locals.values()):
            loc: Any = getattr(value, "loc", None)
            if isinstance(getattr(loc, "filename", None), str) and isinstance(getattr(loc, "line", None), int):
                yield loc.filename, loc.line


def format_location(file: Path, number: int, folder: Path) -> str:
    """Return a file and a line number in the format of error messages, or "" for a file outside this folder."""
    if not file.resolve().is_relative_to(folder.resolve()):
        return ""
    return f"{folder.name}/{file.resolve().relative_to(folder.resolve())}, line {number}: "
