"""Play in the terminal: alone, with others on the same device, or against bots.

It needs the extra `cli`.
"""

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.words import count_of
from ...errors import SetupError
from ...files import check_folder
from .. import Exit
from ..narration import seat_names
from ..options import add_deal, add_game, need, new_play, once, seat_given, seed_lines, warn_of_seed

if TYPE_CHECKING:
    from ...core.play import Play

EXAMPLES = (
    "almunia play orchard",
    "almunia play orchard --seats 2 --bot greedy --save game.txt",
    "almunia play orchard --seats 3 --name Ann --name Bo --bot 3=random",
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The game, and who sits where."""
    add_game(parser)
    add_deal(parser)
    parser.add_argument(
        "--bot",
        action="append",
        default=[],
        metavar="[SEAT=]BOT",
        help="put a bot into a seat, or into every seat but the first; may be given several times",
    )
    parser.add_argument("--name", action="append", default=[], help="names of the people, seat by seat")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the record here at the end, or on leaving")


def run(args: argparse.Namespace) -> int:
    """Play to the end, or until the player leaves."""
    need("rich", "cli")
    from ...bots import close
    from ..terminal import Terminal

    if args.save:
        check_folder(args.save)

    play = new_play(args)
    bots = seated_bots(play, args.bot)
    specs = [spec for spec, _ in bots.values()]
    warn_of_seed(args.seed, specs)
    if len(args.name) > play.seats:
        raise SetupError(f"{len(args.name)} names are too many for {count_of(play.seats, 'seat')}.")
    names = seat_names(play.seats, args.name)
    for seat, (spec, _) in bots.items():
        names[seat] = f"{names[seat]} ({spec})"
    with ExitStack() as stack:
        for _, bot in bots.values():
            stack.callback(close, bot)
        Terminal(play, names, {seat: bot for seat, (_, bot) in bots.items()}, args.save).run()
    if play.seed is not None:
        for line in seed_lines(args.seed, play.seed, specs):
            print(line)
    return Exit.OK


def seated_bots(play: "Play", given: list[str]) -> dict[int, tuple[str, Any]]:
    """The bots by seat, each with its spec; SetupError for a seat or bot that does not exist."""
    from ...bots import make

    specs: list[tuple[int, str]] = []
    for word in given:
        seat, equals, spec = word.partition("=")
        if not equals or set(seat) & set(":,"):  # then it is in the spec
            if play.seats == 1:
                raise SetupError(f"There is one seat, and it is yours: say --bot 1={word} to watch the bot in it.")
            specs += [(other, word) for other in range(1, play.seats)]
        else:
            specs.append((seat_given(f"--bot {word}", seat, play.seats), spec))
    seats = once("--bot", ((f"seat {seat + 1}", (seat, spec)) for seat, spec in specs))
    return {seat: (spec, make(spec, play.game, seat)) for seat, spec in seats.values()}
