"""Let bots play the same deals in every seat, and report which is stronger, with confidence intervals.

In a pairing, one bot takes a single seat and another bot takes all other seats, in every seat in turn, on the same
deals. With --plan table, all bots play at one table. With N seats, a fair share of the wins is 1/N. Intervals cover
95%. With --folder every play is kept, and an interrupted match continues where it stopped. The command needs the extra
`arena`.
"""

import argparse
from importlib import import_module
from math import inf
from pathlib import Path

from ...arena.lineups import PLANS
from ...errors import SetupError, needs_extra
from ...files import check_folder
from ...library import game
from .. import Exit, arguments

EXAMPLES = (
    "almunia match orchard --bot greedy --bot search:300ms --seats 1 --deals 50",
    "almunia match orchard --bot search:500 --against greedy --seats 2 --deals 100 --folder match --plot match.svg",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="name of the game; 'almunia list' shows them all")
    parser.add_argument("--bot", action="append", required=True, metavar="BOT", help="a bot; repeat for more")
    parser.add_argument("--against", metavar="BOT", help="the opponent of all bots, instead of one another")
    parser.add_argument(
        "--plan",
        choices=PLANS,
        default="round-robin",
        help="all pairs, each with the next, or all at one table (default: round-robin)",
    )
    arguments.add_weights(parser, "of every --bot; the opponent of --against has the game's own")
    arguments.add_seats(parser)
    parser.add_argument(
        "--deals",
        type=arguments.positive_int_arg,
        default=100,
        metavar="N",
        help="deals for each pairing (default: 100)",
    )
    arguments.add_seed(parser)
    parser.add_argument(
        "--stop",
        type=arguments.number_arg(float, lambda share: 0 < share < 1, "a number between 0 and 1"),
        metavar="SHARE",
        help="end a pairing once it is clear whether its share of wins beats the fair share by SHARE",
    )
    parser.add_argument(
        "--minutes",
        type=arguments.number_arg(float, lambda minutes: 0 <= minutes < inf, "a number of minutes, 0 or more"),
        default=inf,
        metavar="M",
        help="start no new deal after M minutes; 0 only sums up what --folder holds already",
    )
    parser.add_argument("--threads", type=arguments.positive_int_arg, metavar="N", help="cores to use (default: all)")
    parser.add_argument("--ray", action="store_true", help="play on a Ray cluster instead of in threads")
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER", help="keep every play here, and continue from the plays kept here"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the result here, as SVG")
    arguments.add_options(parser)
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    from ...arena import match as matches, report
    from ...arena.simulate import warm_up_python
    from ...arena.sprt import SprtRule

    if args.plot:
        check_folder(args.plot)
        if args.plot.suffix != ".svg":
            raise SetupError(f"{args.plot.name!r} should end in .svg, the only format of plots.")
    with needs_extra("This needs", "arena"):  # a missing package is reported before the plays, not after
        for module in ("scipy", "openskill", "choix", *(["matplotlib"] if args.plot else [])):
            import_module(module)
    this = game(args.game)
    match = matches.Match(
        game=this,
        bots=args.bot,
        seats=this.check_seats(args.seats),
        deals=args.deals,
        seed=args.seed,
        plan=args.plan,
        against=args.against,
        options=arguments.unique("--option", args.option),
        rule=SprtRule(args.stop) if args.stop else None,
        weights=args.weights,
    )
    match = matches.with_stored_seed(match, args.folder)
    arguments.warn_public_seed(args.seed, match.all_bots)
    if args.minutes and not args.ray:
        warm_up_python(this, match.seats, match.all_bots, match.options)  # compilation must not count as the bots' time
    with arguments.progress_bar(this.meta.title, match.total()) as progress:
        rows = matches.run(match, args.folder, arguments.make_executor(args), progress, args.minutes)
    if not rows:
        raise SetupError("Nothing has been played: there was no time for it, and no plays of this match are kept.")
    summary = report.summarize(rows)
    lines = [*report.format_summary(summary), *arguments.seed_lines(args.seed, match.resolved_seed, match.all_bots)]
    arguments.print_result(args, summary | {"seed": match.resolved_seed}, lines)
    if args.plot:
        report.plot(summary, f"{this.meta.title}, {match.seats} seats, {len(rows):,} plays", args.plot)
    return Exit.OK
