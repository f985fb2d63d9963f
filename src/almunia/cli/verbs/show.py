"""Show a position as text or as a picture.

The position is that of a new play, or of a record after some of its actions.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.game import game
from ...core.registry import packages
from ...errors import SetupError
from ...files import write
from .. import Exit
from ..shared import add_build, add_deal, read_record

if TYPE_CHECKING:
    from ...core.play import Play

EXAMPLES = (
    "almunia show orchard --seed 7",
    "almunia show game.txt --ply 5 --out position.svg",
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to show, as whom, and where to."""
    parser.add_argument("what", help="name of a game, or a record file")
    parser.add_argument("--ply", type=int, metavar="N", help="of a record: after so many actions (default: all)")
    parser.add_argument("--seat", type=int, metavar="N", help="as this seat sees it; -1 for a spectator")
    parser.add_argument("--format", choices=("text", "svg"), help="default: by the ending of --out, else text")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to a file instead of the terminal")
    add_deal(parser)
    add_build(parser)


def run(args: argparse.Namespace) -> int:
    """Write the position."""
    play = position(args)
    seat = play.turn if args.seat is None else args.seat
    observation = play.observe(seat)
    as_svg = args.format == "svg" or (args.format is None and args.out and args.out.suffix == ".svg")
    text = observation.svg() if as_svg else observation.board() + "\n"
    if args.out:
        write(args.out, text)
    else:
        print(text, end="")
    return Exit.OK


def position(args: argparse.Namespace) -> "Play":
    """The play in the position asked for."""
    if args.what in packages():
        if args.ply:
            raise SetupError("A new play has no actions yet: --ply goes with a record file.")
        return game(args.what, args.build).new(args.seats, args.seed, **dict(args.option))
    if not Path(args.what).is_file():
        raise SetupError(f"{args.what!r} is neither a record file nor a game; games are: {', '.join(packages())}.")
    if args.seats is not None or args.seed is not None or args.option:
        raise SetupError("A record says its own seats, seed and options: leave out --seats, --seed and --option.")
    record = read_record(Path(args.what))
    if args.ply is not None and not 0 <= args.ply <= len(record.actions):
        raise SetupError(f"--ply {args.ply} is outside this record, which has {len(record.actions)} actions.")
    return record.replay(args.ply, args.build)
