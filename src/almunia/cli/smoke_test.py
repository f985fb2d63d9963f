"""A first look at a game: does it load, play and compile at all? What is wrong is told once, with its file and line."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import Any

from ..bots import make
from ..core.game import Game, game
from ..errors import AlmuniaError

MODULES = ("components", "rules", "observe", "text", "view", "bots")
DECISIONS = 500  # of one play
STEPS = 20  # decisions between two looks at everything


def fault(name: str) -> str:
    """What keeps a game from being checked, as a sentence with its place; empty if nothing does.

    What breaks the contract in another way is for the checks to say.
    """
    plain = game(name, "plain")
    try:
        with suppress(AlmuniaError):
            load(plain)
            play(plain)
            step(game(name))
    except ModuleNotFoundError as error:
        return "" if error.name == "svg" else described(error, plain)  # without it, pictures are not checked
    except Exception as error:  # noqa: BLE001 - a game that is being written may raise anything at all
        return described(error, plain)
    return ""


def load(this: Game) -> None:
    """Load every module of a game."""
    for module in MODULES:
        if this.has(module):
            this._module(module)  # noqa: SLF001 - the names of a game's modules are the contract's, not the game's


def play(this: Game) -> None:
    """A random play at every number of seats, with what every seat sees of it."""
    for seats in range(this.meta.seats[0], this.meta.seats[1] + 1):
        now, bot = this.new(seats, seed=1), make("random", this, seed=1)
        for number in range(DECISIONS):
            if now.over:
                break
            if number % STEPS == 0:
                look(now)
            now.apply(bot.choose(now.observe(now.turn)))
        look(now)


def look(now: Any) -> None:
    """Everything that is asked of a position."""
    for seat in (*range(now.seats), -1):
        seen = now.observe(seat)
        seen.tensor()
        seen.board()
    now.score_table()
    now.ranks()
    for action in now.legal[:3]:
        now.say(action)


def step(fast: Game) -> None:
    """Compile what most checks need."""
    now = fast.new(seed=1)
    seen = now.observe(now.turn)
    seen.tensor()
    seen.redeal(1)
    now.apply(make("greedy", fast, seed=1).choose(seen))
    now.score_table()
    now.ranks()


# --- where it is ----------------------------------------------------------------------------------


def described(error: Exception, this: Game) -> str:
    """An error with its place in the game's folder, as well as that can be found out."""
    folder = Path(str(this.file("")))
    words = sentence(error)
    where = place(error, folder)
    return words if where and words.startswith(where) else f"{where}{words}"


def sentence(error: Exception) -> str:
    """What an error says, on one line."""
    lines = [line.strip() for line in str(error).splitlines()]
    lines = [line for line in lines if line and not line.startswith("Failed in ")] or [""]
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg}"
    if isinstance(error, (AttributeError, TypeError)) and ", line " in lines[0]:  # as checked records say it
        return lines[0]
    if isinstance(error, KeyError):  # as Numba says it
        return f"there is no {lines[0]} here."
    return f"{type(error).__name__}: {lines[0]}"


def place(error: Exception, folder: Path) -> str:
    """The innermost line of the game that an error comes from, or that was being compiled: "rules.py, line 7: "."""
    if isinstance(error, SyntaxError) and error.filename:
        return line_of(Path(error.filename), error.lineno or 0, folder)
    found = ""
    for frame, number in walk_tb(error.__traceback__):
        for file, line in ((frame.f_code.co_filename, number), *being_compiled(frame)):
            found = line_of(Path(file), line, folder) or found
    return found


def being_compiled(frame: FrameType) -> Iterator[tuple[str, int]]:
    """The places in source files that a frame of Numba is busy with."""
    if str(frame.f_globals.get("__name__", "")).startswith("numba."):
        for thing in list(frame.f_locals.values()):
            loc: Any = getattr(thing, "loc", None)
            if isinstance(getattr(loc, "filename", None), str) and isinstance(getattr(loc, "line", None), int):
                yield loc.filename, loc.line


def line_of(file: Path, number: int, folder: Path) -> str:
    """A line for messages, if it is in this folder."""
    if not file.resolve().is_relative_to(folder.resolve()):
        return ""
    return f"{folder.name}/{file.resolve().relative_to(folder.resolve())}, line {number}: "
