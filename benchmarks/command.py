"""The command line that the programs share: games, repeats, JSON, and errors in one sentence."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from almunia.arena.bench import Figure
from almunia.cli import Exit, Parser
from almunia.cli.arguments import add_json, positive_int_arg
from almunia.cli.commands.bench import DEFAULT_REPEATS, collect, print_figures, selected_games
from almunia.errors import AlmuniaError

Measure = Callable[[str, int], Iterable[Figure]]  # takes a game and the number of repeats


def make_parser(program: str, description: str | None, *, repeats: bool = True) -> Parser:
    """Return a parser of games, `--repeats` and `--json`. `program` is the path of the module, `__file__`."""
    parser = Parser(
        prog=f"python -m benchmarks.{Path(program).stem}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("games", nargs="*", metavar="GAME", help="names of games (default: all)")
    if repeats:
        parser.add_argument(
            "--repeats",
            type=positive_int_arg,
            default=DEFAULT_REPEATS,
            metavar="N",
            help=f"repeats of each figure (default: {DEFAULT_REPEATS})",
        )
    add_json(parser)
    return parser


def measure_games(parser: Parser, measure: Measure, per_game: int, argv: Sequence[str] | None = None) -> int:
    """Measure the games on the command line, and print the figures. Return the exit code.

    Args:
        parser: a parser from `make_parser`.
        measure: a function that returns the figures of one game.
        per_game: approximate number of figures per game, for the progress bar.
        argv: words of the command line (default: those of this process).
    """

    def run(args: argparse.Namespace) -> None:
        names = selected_games(args.games)
        measured = ((name, figure) for name in names for figure in measure(name, args.repeats))
        print_figures(args, collect(measured, per_game * len(names)))

    return run_command(parser, run, argv)


def run_command(parser: Parser, run: Callable[[argparse.Namespace], None], argv: Sequence[str] | None = None) -> int:
    """Parse the command line and run it. Return the exit code. Write the message of an error to stderr."""
    args = parser.parse_args(argv)
    try:
        run(args)
    except AlmuniaError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return Exit.BAD_INPUT
    return Exit.OK
