"""Find the settings with which a search bot does best against a fixed opponent.

Every trial plays the same deals. The result of a trial is the share of wins, or the mean points of a bot that plays
alone. The bot with its own settings takes part for comparison. If you interrupt the command, it prints the results so
far. The command needs the extra `arena`.
"""

import argparse
from typing import TYPE_CHECKING, Any

from ...arena.executors import ThreadExecutor
from ...library import game
from .. import Exit, arguments

if TYPE_CHECKING:
    from ...arena.tuning import Trial

EXAMPLES = (
    "almunia tune orchard --bot search:100 --seats 1 --set beam_width=1:8 --set candidates=5:40 --trials 10 --deals 20",
    "almunia tune orchard --bot search:200 --against greedy --seats 2 --set exploration=0.01:1 --trials 20 --deals 30",
)
MAX_ROWS = 10  # of the printed table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="name of the game; 'almunia list' shows them all")
    parser.add_argument("--bot", required=True, metavar="BOT", help="a search with its budget, such as search:200")
    parser.add_argument("--against", metavar="BOT", help="the opponent, at a table of several (default: greedy)")
    arguments.add_seats(parser)
    parser.add_argument(
        "--set", dest="ranges", type=range_arg, action="append", required=True, metavar="NAME=LOW:HIGH",
        help="a setting and its bounds; repeat for more",
    )  # fmt: skip
    parser.add_argument(
        "--trials", type=arguments.positive_int_arg, default=30, metavar="N", help="settings to try (default: 30)"
    )
    parser.add_argument(
        "--deals", type=arguments.positive_int_arg, default=50, metavar="N", help="deals for each trial (default: 50)"
    )
    arguments.add_seed(parser)
    parser.add_argument("--threads", type=arguments.positive_int_arg, metavar="N", help="cores to use (default: all)")
    arguments.add_json(parser)


def range_arg(text: str) -> tuple[str, tuple[float, float]]:
    """Return the name and the bounds in NAME=LOW:HIGH. Raise ArgumentTypeError for any other text."""
    name, _, ends = text.partition("=")
    low, _, high = ends.partition(":")
    try:
        return name, (float(low), float(high))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=LOW:HIGH") from None


def trial_data(trial: "Trial") -> dict[str, Any]:
    value, low, high = trial.result.rounded(4)
    return {"spec": trial.spec, "value": value, "low": low, "high": high}


def run(args: argparse.Namespace) -> int:
    from ...arena.report import interval
    from ...arena.tuning import Tuning, tune

    this = game(args.game)
    seats = this.check_seats(args.seats)
    tuning = Tuning(this, args.bot, arguments.unique("--set", args.ranges), seats, args.deals, args.against, args.seed)
    arguments.warn_public_seed(args.seed, tuning.all_bots)
    with arguments.progress_bar(this.meta.title, args.trials) as progress:
        trials = tune(tuning, args.trials, ThreadExecutor(args.threads or arguments.core_count()), progress)
    lines = [f"{interval(trial.result.rounded(4), '8.3f')}  {trial.spec}" for trial in trials[:MAX_ROWS]]
    lines += arguments.seed_lines(args.seed, tuning.resolved_seed, tuning.all_bots)
    arguments.print_result(args, {"trials": [trial_data(trial) for trial in trials]}, lines)
    return Exit.OK if len(trials) > args.trials else Exit.INTERRUPTED
