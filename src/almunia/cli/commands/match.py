"""Let bots play the same deals in every seat, and report which is stronger, with confidence intervals.

Each bot in turn takes one seat while one other bot takes all the rest, in every seat, on the same deals. So with
N seats a fair share of the wins is 1/N. Intervals cover 95% and count each deal as one observation. With --folder
every play is kept, and an interrupted match continues where it stopped. It needs the extra `arena`.
"""

import argparse
from math import inf
from pathlib import Path
from typing import Any

from ...arena.lineups import PLANS
from ...errors import SetupError
from ...files import check_folder
from .. import Exit
from ..options import (
    Progress,
    add_json,
    add_options,
    add_seed,
    core_count,
    int_arg,
    positive_int_arg,
    print_json,
    require_extra,
    seed_lines,
    unique,
    warn_public_seed,
)

EXAMPLES = (
    "almunia match orchard --bot greedy --bot search:300ms --seats 1 --deals 50",
    "almunia match orchard --bot search:500 --against greedy --seats 2 --deals 100 --folder match --plot match.svg",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the game, bots, deals, limits and output."""
    parser.add_argument("game", help="name of the game; 'almunia list' shows them all")
    parser.add_argument("--bot", action="append", required=True, metavar="BOT", help="a bot; repeat for more")
    parser.add_argument("--against", metavar="BOT", help="the opponent of all bots, instead of one another")
    parser.add_argument(
        "--plan",
        choices=PLANS,
        default="round-robin",
        help="all pairs, each with the next, or all at one table (default: round-robin)",
    )
    parser.add_argument("--seats", type=int_arg, metavar="N", help="number of seats (default: the fewest possible)")
    parser.add_argument(
        "--deals", type=positive_int_arg, default=100, metavar="N", help="deals for each pairing (default: 100)"
    )
    add_seed(parser)
    parser.add_argument(
        "--stop",
        type=share_arg,
        metavar="SHARE",
        help="end a pairing once it is clear whether its share of wins beats the fair share by SHARE",
    )
    parser.add_argument(
        "--minutes",
        type=minutes_arg,
        default=inf,
        metavar="M",
        help="start no new deal after M minutes; 0 only sums up what --folder holds already",
    )
    parser.add_argument("--threads", type=positive_int_arg, metavar="N", help="cores to use (default: all)")
    parser.add_argument("--ray", action="store_true", help="play on a Ray cluster instead of in threads")
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER", help="keep every play here, and continue from the plays kept here"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the result here, as SVG")
    add_options(parser)
    add_json(parser)


def share_arg(text: str) -> float:
    """Return a number between 0 and 1. Raise ArgumentTypeError for any other text."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number between 0 and 1")
    return number


def minutes_arg(text: str) -> float:
    """Return a number of minutes, 0 or more. Raise ArgumentTypeError for any other text."""
    try:
        number = float(text)
    except ValueError:
        number = inf
    if not 0 <= number < inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of minutes, 0 or more")
    return number


def run(args: argparse.Namespace) -> int:
    """Play the match, print the summary, and return the exit code. Raise SetupError if nothing has been played."""
    from ...arena import match as matches, report
    from ...arena.simulate import warm_up_python
    from ...arena.sprt import SprtRule
    from ...library import game

    if args.plot:
        check_folder(args.plot)
        if args.plot.suffix != ".svg":
            raise SetupError(f"{args.plot.name!r} should end in .svg, the only format of plots.")
    for module in ("scipy", "openskill", "choix", *(["matplotlib"] if args.plot else [])):
        require_extra(module, "arena")  # a missing package is reported before the plays, not after
    this = game(args.game)
    match = matches.Match(
        game=this,
        bots=args.bot,
        seats=this.checked_seats(args.seats),
        deals=args.deals,
        seed=args.seed,
        plan=args.plan,
        against=args.against,
        options=unique("--option", args.option),
        rule=SprtRule(args.stop) if args.stop else None,
    )
    match = matches.with_stored_seed(match, args.folder)
    warn_public_seed(args.seed, match.all_bots)
    if args.minutes and not args.ray:
        warm_up_python(this, match.seats, match.all_bots, match.options)  # compilation must not count as the bots' time
    with Progress(this.meta.title, match.total()) as progress:
        rows = matches.run(match, args.folder, make_executor(args), progress, args.minutes)
    if not rows:
        raise SetupError("Nothing has been played: there was no time for it, and no plays of this match are kept.")
    summary = report.summarize(rows)
    if args.json:
        print_json(summary | {"seed": match.resolved_seed})
    else:
        print("\n".join([*report.format_summary(summary), *seed_lines(args.seed, match.resolved_seed, match.all_bots)]))
    if args.plot:
        report.plot(summary, f"{this.meta.title}, {match.seats} seats, {len(rows):,} plays", args.plot)
    return Exit.OK


def make_executor(args: argparse.Namespace) -> Any:
    """Return the executor that runs the plays: threads, or Ray."""
    from ...arena.executors import RayExecutor, ThreadExecutor

    if args.ray:
        if args.threads:
            raise SetupError("--threads is for this machine; a Ray cluster knows its own cores.")
        return RayExecutor()
    return ThreadExecutor(args.threads or core_count())
