"""Arguments that several commands share, and helpers that read input and print results."""

import argparse
import json
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..core.contract import SPECTATOR
from ..errors import MissingExtra, RecordError, SetupError
from ..files import read_text

SPECTATOR_WORD = "spectator"

if TYPE_CHECKING:
    from ..library import Game
    from ..play.play import Play
    from ..play.record import Record


# --- arguments ----------------------------------------------------------------------------


def add_game(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the game's name and its build."""
    parser.add_argument("game", help="name of the game; 'almunia list' shows them all")
    add_build(parser)


def add_build(parser: argparse.ArgumentParser) -> None:
    """Add `--build`, for the build of the rules."""
    parser.add_argument(
        "--build",
        choices=("compiled", "plain"),
        default="compiled",
        help="machine code, or plain Python that checks every index and sum (default: compiled)",
    )


def add_deal(parser: argparse.ArgumentParser) -> None:
    """Add the options that determine the start of a play: seats, seed and options of the game."""
    parser.add_argument("--seats", type=int_arg, metavar="N", help="number of seats (default: the fewest possible)")
    parser.add_argument(
        "--seed", type=int_arg, metavar="N", help="integer that makes the game reproducible (default: random)"
    )
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--option`, for the game's own options."""
    parser.add_argument(
        "--option",
        type=option_arg,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game; repeat for more",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="write JSON for programs instead of text for people")


def unique(option: str, pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return the values by name. Raise SetupError if a name is given twice."""
    values: dict[Any, Any] = {}
    for name, value in pairs:
        if name in values:
            raise SetupError(f"{option} is given twice for {name}: choose one.")
        values[name] = value
    return values


def option_arg(text: str) -> tuple[str, str]:
    """Return the name and the value in NAME=VALUE. Raise ArgumentTypeError for any other text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name.strip(), value.strip()


def int_arg(text: str) -> int:
    """Return an integer. Raise ArgumentTypeError for any other text."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not an integer") from None


def positive_int_arg(text: str) -> int:
    """Return an integer of at least 1. Raise ArgumentTypeError for any other text."""
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be an integer of at least 1")
    return number


def add_seat(parser: argparse.ArgumentParser, default: str) -> None:
    """Add `--seat`, for the seat whose view is shown. `default` describes the default in the help."""
    or_spectator = f", or {SPECTATOR_WORD!r}" if default != SPECTATOR_WORD else ""
    parser.add_argument(
        "--seat", metavar="N", help=f"show the view of this seat, from 1 on{or_spectator} (default: {default})"
    )


def parse_seat(option: str, text: str, seats: int) -> int:
    """Return the seat (from 0) for a number that counts from 1. Raise SetupError if there is no such seat."""
    if text.isascii() and text.isdecimal() and len(text) < 4 and 1 <= int(text) <= seats:
        return int(text) - 1
    there_are = f"only 1 to {seats}" if seats > 1 else "only seat 1"
    raise SetupError(f"{option}: there is no seat {text!r}, {there_are}.")


def parse_viewer(text: str | None, play: "Play", default: int) -> int:
    """Return the seat of `--seat`, SPECTATOR, or the default. Raise SetupError if there is no such seat."""
    if text is None:
        return default
    return SPECTATOR if text == SPECTATOR_WORD else parse_seat("--seat", text, play.seats)


# --- games and plays ------------------------------------------------------------------------


def load_game(args: argparse.Namespace) -> "Game":
    """Return the game that the arguments name."""
    from ..library import game

    return game(args.game, args.build)


def start_play(args: argparse.Namespace) -> "Play":
    """Start the play that the arguments describe, and return it."""
    return load_game(args).start(args.seats, args.seed, unique("--option", args.option))


def read_record(path: Path) -> "Record":
    """Return the record in a text or JSON file.

    Raise SetupError or RecordError, with the file's name, if the file has no record.
    """
    from ..play.record import Record

    if path.is_dir():
        raise SetupError(f"{path} is a folder, not the file of a record.")
    if not path.is_file():
        raise SetupError(f"There is no file {str(path)!r}.")
    try:
        return Record.read(read_text(path))
    except UnicodeDecodeError:
        raise SetupError(f"{path} is not a text file, so it holds no record.") from None
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


# --- seeds ----------------------------------------------------------------------------------------


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add `--seed`. Its default is 0, or a secret random seed if an external program plays."""
    parser.add_argument(
        "--seed",
        type=int_arg,
        metavar="N",
        help="integer that makes the run reproducible (default: 0; or a secret one with external programs)",
    )


def warn_public_seed(seed: int | None, bots: Iterable[str]) -> None:
    """Warn if an external program plays deals whose seed is public."""
    from ..arena.seeds import external_bots

    if seed is not None and external_bots(bots):
        print(
            "almunia: A program that knows the seed knows all cards, and --seed can be read while it runs; "
            "leave it out for a secret one.",
            file=sys.stderr,
        )


def seed_lines(given_seed: int | None, drawn_seed: int, bots: Iterable[str]) -> list[str]:
    """Return a line that reveals the seed if it was secret during the run, else an empty list."""
    from ..arena.seeds import external_bots

    return [f"The seed was {drawn_seed}."] if given_seed is None and external_bots(bots) else []


def core_count() -> int:
    """Return the number of cores this process may use, limited by the maximum number of threads."""
    from ..engine import pool

    return min(pool.cores(), pool.MAX_THREADS)


# --- writing ------------------------------------------------------------------------------------


def print_json(data: Any) -> None:
    """Print data as an indented JSON document."""
    print(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))


def require_extra(module: str, extra: str) -> Any:
    """Import a module of an extra, and return it. If it is missing, raise MissingExtra, which names the extra."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra.named("This needs", module.partition(".")[0], extra) from None


class Progress:
    """A progress bar on stderr, if rich is installed and stderr is a terminal."""

    def __init__(self, label: str, total: int) -> None:
        self._label, self._total = label, total
        self._bar: Any = None

    def __enter__(self) -> Self:
        try:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bar, TextColumn, TimeRemainingColumn
        except ImportError:
            return self
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
        self._bar.start()
        self._task = self._bar.add_task(self._label, total=self._total)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def __call__(self, done: int, label: str | None = None) -> None:
        """Show that `done` steps are complete, optionally with a new label."""
        if self._bar:
            self._bar.update(self._task, completed=done, **({"description": label} if label else {}))
