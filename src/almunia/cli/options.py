"""What several commands share: arguments of the same meaning, and ways to write."""

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

WATCHING = "spectator"

if TYPE_CHECKING:
    from ..core.game import Game
    from ..core.play import Play
    from ..core.record import Record


# --- arguments ----------------------------------------------------------------------------


def add_game(parser: argparse.ArgumentParser) -> None:
    """The game, by name, and its build."""
    parser.add_argument("game", help="name of the game; 'almunia list' shows them all")
    add_build(parser)


def add_build(parser: argparse.ArgumentParser) -> None:
    """Which build of the rules to run."""
    parser.add_argument(
        "--build",
        choices=("compiled", "plain"),
        default="compiled",
        help="machine code, or plain Python that checks every index and sum (default: compiled)",
    )


def add_deal(parser: argparse.ArgumentParser) -> None:
    """What settles how a play starts."""
    parser.add_argument("--seats", type=whole, metavar="N", help="how many play (default: the fewest possible)")
    parser.add_argument(
        "--seed", type=whole, metavar="N", help="whole number that makes the game reproducible (default: random)"
    )
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the game."""
    parser.add_argument(
        "--option",
        type=_option,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game; may be given several times",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Figures for programs."""
    parser.add_argument("--json", action="store_true", help="write JSON for programs instead of text for people")


def once(what: str, pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """What was given by name, each a single time; SetupError for one given twice."""
    found: dict[Any, Any] = {}
    for name, value in pairs:
        if name in found:
            raise SetupError(f"{what} is given twice for {name}: choose one.")
        found[name] = value
    return found


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name.strip(), value.strip()


def whole(text: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number") from None


def count(text: str) -> int:
    """A whole number from 1 on."""
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number of at least 1")
    return number


def add_seat(parser: argparse.ArgumentParser, usual: str) -> None:
    """Whose view is shown."""
    watching = f", or {WATCHING!r}" if usual != WATCHING else ""
    parser.add_argument("--seat", metavar="N", help=f"as this seat sees it, from 1 on{watching} (default: {usual})")


def seat_given(option: str, words: str, seats: int) -> int:
    """The seat that somebody counted from 1; SetupError if there is none."""
    if words.isascii() and words.isdecimal() and len(words) < 4 and 1 <= int(words) <= seats:
        return int(words) - 1
    there_are = f"only 1 to {seats}" if seats > 1 else "only seat 1"
    raise SetupError(f"{option}: there is no seat {words!r}, {there_are}.")


def reader_given(words: str | None, play: "Play", usual: int) -> int:
    """The seat of --seat, or SPECTATOR; SetupError if there is none."""
    if words is None:
        return usual
    return SPECTATOR if words == WATCHING else seat_given("--seat", words, play.seats)


# --- games and plays ------------------------------------------------------------------------


def game_of(args: argparse.Namespace) -> "Game":
    """The game that was asked for."""
    from ..core.game import game

    return game(args.game, args.build)


def new_play(args: argparse.Namespace) -> "Play":
    """The new play that was asked for."""
    return game_of(args).start(args.seats, args.seed, once("--option", args.option))


def read_record(path: Path) -> "Record":
    """The record in a file, text or JSON."""
    from ..core.record import Record

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
    """What settles deals that are the same each time, unless a program might profit from that."""
    parser.add_argument(
        "--seed",
        type=whole,
        metavar="N",
        help="makes the run reproducible (default: 0; where an external program plays, a secret one, shown afterwards)",
    )


def warn_of_seed(seed: int | None, bots: Iterable[str]) -> None:
    """Say so if a program plays deals that it can know."""
    from ..arena.seeds import programs

    if seed is not None and programs(bots):
        print(
            "almunia: A program that knows the seed knows all cards, and --seed can be read while it runs; "
            "leave it out for a secret one.",
            file=sys.stderr,
        )


def seed_lines(given: int | None, drawn: int, bots: Iterable[str]) -> list[str]:
    """The seed that was drawn, if it was kept secret until now."""
    from ..arena.seeds import programs

    return [f"The seed was {drawn}."] if given is None and programs(bots) else []


def cores() -> int:
    """How many cores this process may use, as far as there may be threads for them."""
    from ..core import threads

    return min(threads.cores(), threads.MOST_THREADS)


# --- writing ------------------------------------------------------------------------------------


def print_json(facts: Any) -> None:
    """One JSON document, indented."""
    print(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))


def need(module: str, extra: str) -> Any:
    """A module that comes with one of Almunia's extras; MissingExtra says how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra.named("This needs", module.partition(".")[0], extra) from None


class Progress:
    """A progress bar on stderr, where rich is installed and somebody is watching."""

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
        """So much is done; the label may change on the way."""
        if self._bar:
            self._bar.update(self._task, completed=done, **({"description": label} if label else {}))
