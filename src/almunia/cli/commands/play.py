"""Play in the terminal: alone, with others on the same device, or against bots.

The command needs the extra `cli`.
"""

import argparse
from contextlib import ExitStack
from pathlib import Path
from random import Random

from ...bots import NamedBot, make
from ...core.english import pluralize
from ...errors import SetupError, needs_extra
from ...files import check_folder
from ...play.play import Play
from .. import Exit
from ..arguments import add_deal, add_game, add_weights, parse_seat, seed_lines, start_play, unique, warn_public_seed
from ..narration import seat_names

EXAMPLES = (
    "almunia play orchard",
    "almunia play orchard --seats 2 --bot greedy --save game.txt",
    "almunia play orchard --seats 3 --name Ann --name Bo --bot 3=random",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_game(parser)
    add_deal(parser)
    parser.add_argument(
        "--bot",
        action="append",
        default=[],
        metavar="[SEAT=]BOT",
        help="put a bot into a seat, or into every seat but the first; repeat for more",
    )
    add_weights(parser, "of the bots")
    parser.add_argument("--name", action="append", default=[], help="names of the people, seat by seat")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the record here when you finish or quit")


def run(args: argparse.Namespace) -> int:
    with needs_extra("This needs", "cli"):
        from ..terminal import Terminal
    if args.save:
        check_folder(args.save)
    play = start_play(args)
    bots = make_bots(play, args.bot, args.weights)
    specs = [spec for spec, _ in bots.values()]
    warn_public_seed(args.seed, specs)
    if len(args.name) > play.seats:
        raise SetupError(f"{len(args.name)} names are too many for {pluralize(play.seats, 'seat')}.")
    names = seat_names(play.seats, args.name)
    for seat, (spec, _) in bots.items():
        names[seat] = f"{names[seat]} ({spec})"
    with ExitStack() as stack:
        for _, bot in bots.values():
            stack.callback(bot.close)
        bots_by_seat = {seat: bot for seat, (_, bot) in bots.items()}
        Terminal(play, names, bots_by_seat, args.save, seed_known=args.seed is not None).run()
    if play.seed is not None:
        for line in seed_lines(args.seed, play.seed, specs):
            print(line)
    return Exit.OK


def make_bots(play: Play, arguments: list[str], weights: Path | None = None) -> dict[int, tuple[str, NamedBot]]:
    """Return each bot with its spec, by seat, all with the same weights.

    The bots' random choices depend on the seed of the play. Raise SetupError for invalid arguments.
    """
    specs: list[tuple[int, str]] = []
    for word in arguments:
        seat, equals, spec = word.partition("=")
        if not equals or set(seat) & set(":,"):  # the "=" belongs to the spec
            if play.seats == 1:
                raise SetupError(f"The only seat is yours; use --bot 1={word} to watch the bot play in it.")
            specs += [(other, word) for other in range(1, play.seats)]
        else:
            specs.append((parse_seat(f"--bot {word}", seat, play.seats), spec))
    seats = unique("--bot", ((f"seat {seat + 1}", (seat, spec)) for seat, spec in specs))
    rng = Random(play.seed)
    return {seat: (spec, make(spec, play.game, rng.getrandbits(63), weights=weights)) for seat, spec in seats.values()}
