"""Arguments that several commands share, and helpers that read input and print results."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..arena.executors import Executor, RayExecutor, ThreadExecutor
from ..arena.seeds import external_bots
from ..bots import Bot
from ..core.contract import SPECTATOR
from ..engine import pool
from ..errors import RecordError, SetupError
from ..files import read_text
from ..library import Game, game
from ..play.play import Play
from ..play.record import Record

SPECTATOR_WORD = "spectator"


# --- arguments ----------------------------------------------------------------------------


def add_game(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="name of the game; 'almunia list' shows them all")
    add_build(parser)


def add_build(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--build",
        choices=("compiled", "plain"),
        default="compiled",
        help="machine code, or plain Python that checks every index and sum (default: compiled)",
    )


def add_seats(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seats", type=int_arg, metavar="N", help="number of seats (default: the fewest possible)")


def add_deal(parser: argparse.ArgumentParser) -> None:
    add_seats(parser)
    parser.add_argument(
        "--seed", type=int_arg, metavar="N", help="integer that makes the game reproducible (default: random)"
    )
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--option",
        type=option_arg,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game; repeat for more",
    )


def add_weights(parser: argparse.ArgumentParser, whose: str) -> None:
    """Add `--weights`, for the file with the evaluation's weights of the bots that `whose` describes."""
    parser.add_argument(
        "--weights", type=Path, metavar="FILE", help=f"weights {whose}, as 'almunia tune --weights' writes them"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="write JSON for programs instead of text for people")


def unique(option: str, pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return the values by name. Raise SetupError if a name occurs twice. `option` names the option in the message."""
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


def number_arg(convert: Callable[[str], Any], accepts: Callable[[Any], bool], what: str) -> Callable[[str], Any]:
    """Return a function that converts a text to a number, and raises ArgumentTypeError for other texts.

    `what` describes valid texts in the error message.
    """

    def parse(text: str) -> Any:
        with suppress(ValueError):
            number = convert(text)
            if accepts(number):
                return number
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not {what}")

    return parse


int_arg = number_arg(int, lambda _: True, "an integer")
positive_int_arg = number_arg(int, lambda number: number >= 1, "an integer of at least 1")


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


def parse_viewer(text: str | None, play: Play, default: int) -> int:
    """Return the seat of `--seat`, SPECTATOR, or the default. Raise SetupError if there is no such seat."""
    if text is None:
        return default
    return SPECTATOR if text == SPECTATOR_WORD else parse_seat("--seat", text, play.seats)


# --- games and plays ------------------------------------------------------------------------


def load_game(args: argparse.Namespace) -> Game:
    return game(args.game, args.build)


def start_play(args: argparse.Namespace) -> Play:
    return load_game(args).start(args.seats, args.seed, unique("--option", args.option))


def read_record(path: Path) -> Record:
    """Return the record in a text or JSON file.

    Raise SetupError if `path` is not a text file, and RecordError if its text is not a record. Both errors name the
    file.
    """
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
    parser.add_argument(
        "--seed",
        type=int_arg,
        metavar="N",
        help="integer that makes the run reproducible (default: 0; or a secret one with external programs)",
    )


def warn_public_seed(seed: int | None, bots: Iterable[str | Bot]) -> None:
    """Print a warning if an external program plays deals whose seed was given on the command line."""
    if seed is not None and external_bots(bots):
        print(
            "almunia: A program that knows the seed knows all cards, and --seed can be read while it runs; "
            "leave it out for a secret one.",
            file=sys.stderr,
        )


def seed_lines(given_seed: int | None, drawn_seed: int, bots: Iterable[str | Bot]) -> list[str]:
    """Return a list of one line, which reveals the seed, if the seed was secret during the run; else an empty list."""
    return [f"The seed was {drawn_seed}."] if given_seed is None and external_bots(bots) else []


# --- running ------------------------------------------------------------------------------------


def core_count() -> int:
    """Return the number of cores that this process may use, at most MAX_THREADS."""
    return min(pool.cores(), pool.MAX_THREADS)


def make_executor(args: argparse.Namespace) -> Executor:
    """Return the executor for plays: the threads of `--threads`, or the cluster of `--ray`.

    Raise SetupError if both options are given, and MissingExtra for a cluster without the extra `ray`.
    """
    if not args.ray:
        return ThreadExecutor(args.threads or core_count())
    if args.threads:
        raise SetupError("--threads is for this machine; a Ray cluster knows its own cores.")
    return RayExecutor()


@contextmanager
def progress_bar(label: str, total: int) -> Iterator[Callable[..., None]]:
    """Show a progress bar on stderr, if rich is installed and stderr is a terminal.

    Yield a function that takes the number of complete steps, and optionally a new label.
    """
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    except ImportError:
        yield lambda *_: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done, label=None: bar.update(task, completed=done, description=label)


# --- writing ------------------------------------------------------------------------------------


def print_result(args: argparse.Namespace, data: Any, lines: Iterable[str]) -> None:
    """Print data as an indented JSON document with `--json`, else lines of text."""
    print(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) if args.json else "\n".join(lines))
