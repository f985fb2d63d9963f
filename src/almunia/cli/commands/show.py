"""Show a position as text or as a picture.

The position is that of a new play, or of a record after all or some of its actions.
"""

import argparse
from pathlib import Path

from ...catalog import all_packages, game_packages
from ...errors import SetupError, one_of
from ...files import check_folder, write
from ...library import game, replay
from ...play.play import Play
from .. import Exit
from ..arguments import add_build, add_deal, add_seat, int_arg, parse_viewer, read_record, unique

EXAMPLES = (
    "almunia show orchard --seed 7",
    "almunia show game.txt --ply 5 --out position.svg",
)

FORMATS = {".txt": "text", ".svg": "svg"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="GAME_OR_RECORD", help="name of a game, or a record file")
    parser.add_argument(
        "--ply", type=int_arg, metavar="N", help="of a record: show the position after N actions (default: all)"
    )
    add_seat(parser, "the seat to move")
    parser.add_argument(
        "--format", choices=("text", "svg"), help="text or svg (default: by the suffix of --out, else text)"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file instead: .txt or .svg")
    add_deal(parser)
    add_build(parser)


def run(args: argparse.Namespace) -> int:
    as_svg = is_picture(args)
    play = load_position(args)
    observation = play.observe(parse_viewer(args.seat, play, play.turn))
    text = observation.svg() if as_svg else observation.board() + "\n"
    if args.out:
        write(args.out, text)
    else:
        print(text, end="")
    return Exit.OK


def is_picture(args: argparse.Namespace) -> bool:
    """Return whether to write SVG. Raise SetupError if the file cannot be written, or not in this format."""
    if args.out is None:
        return bool(args.format == "svg")
    check_folder(args.out)
    if args.out.suffix not in FORMATS:
        raise SetupError(f"{args.out.name!r} should end in one of: {', '.join(FORMATS)}.")
    format_ = FORMATS[args.out.suffix]
    if args.format not in (None, format_):
        raise SetupError(f"{args.out.name!r} would hold {format_}, not {args.format}: leave out --format or rename it.")
    return format_ == "svg"


def load_position(args: argparse.Namespace) -> Play:
    """Return the play in the position that the arguments name.

    Raise SetupError for an unknown game or file and for contradictory arguments, and RecordError for a damaged record.
    """
    if args.what in all_packages():
        if args.ply:
            raise SetupError("A new play has no actions yet: use --ply with a record file.")
        return game(args.what, args.build).start(args.seats, args.seed, unique("--option", args.option))
    if not Path(args.what).is_file():
        raise SetupError(
            f"{args.what!r} is neither a record file nor a game; games are: {one_of(game_packages(), args.what)}"
        )
    if args.seats is not None or args.seed is not None or args.option:
        raise SetupError("A record states its own seats, seed and options: leave out --seats, --seed and --option.")
    record = read_record(Path(args.what))
    if args.ply is not None and not 0 <= args.ply <= len(record.actions):
        raise SetupError(f"--ply {args.ply} is outside this record, which has {len(record.actions)} actions.")
    return replay(record, args.ply, args.build)
