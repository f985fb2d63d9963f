"""Find settings with which a searching bot does best against a fixed opponent.

Every trial plays the same deals. The result is the share of wins, or the mean points of a bot that
plays alone. The bot as it is takes part too, for comparison. An interruption shows what was found so far.
It needs the extra `arena`.
"""

import argparse
from typing import TYPE_CHECKING, Any

from .. import Exit
from ..options import Progress, add_json, add_seed, cores, count, once, print_json, seed_lines, warn_of_seed, whole

if TYPE_CHECKING:
    from ...arena.tuning import Trial

EXAMPLES = (
    "almunia tune orchard --bot search:100 --seats 1 --set beam=1:8 --set candidates=5:40 --trials 10 --deals 20",
    "almunia tune orchard --bot search:200 --against greedy --seats 2 --set explore=0.01:1 --trials 20 --deals 30",
)
SHOWN = 10  # trials in the table


def arguments(parser: argparse.ArgumentParser) -> None:
    """What is tuned, against whom, and how long."""
    parser.add_argument("game", help="name of the game; 'almunia list' shows them all")
    parser.add_argument("--bot", required=True, metavar="BOT", help="a search with its budget, such as search:200")
    parser.add_argument("--against", metavar="BOT", help="the opponent, at a table of several (default: greedy)")
    parser.add_argument("--seats", type=whole, metavar="N", help="how many play (default: the fewest possible)")
    parser.add_argument(
        "--set", dest="ranges", type=bounds, action="append", required=True, metavar="NAME=LOW:HIGH",
        help="a setting and its bounds; may be given several times",
    )  # fmt: skip
    parser.add_argument("--trials", type=count, default=30, metavar="N", help="settings to try (default: 30)")
    parser.add_argument("--deals", type=count, default=50, metavar="N", help="deals for each trial (default: 50)")
    add_seed(parser)
    parser.add_argument("--threads", type=count, metavar="N", help="cores to use (default: all)")
    add_json(parser)


def bounds(text: str) -> tuple[str, tuple[float, float]]:
    """A setting with two bounds."""
    name, _, ends = text.partition("=")
    low, _, high = ends.partition(":")
    try:
        return name, (float(low), float(high))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=LOW:HIGH") from None


def facts(trial: "Trial") -> dict[str, Any]:
    """A trial as plain data; None for a bound that is not known."""
    value, low, high = trial.result.known(4)
    return {"spec": trial.spec, "value": value, "low": low, "high": high}


def run(args: argparse.Namespace) -> int:
    """Tune, and print the best settings found."""
    from ...arena.engines import Threads
    from ...arena.report import interval
    from ...arena.tuning import Tuning, tune
    from ...core.game import game

    this = game(args.game)
    seats = this.checked_seats(args.seats)
    tuning = Tuning(this, args.bot, once("--set", args.ranges), seats, args.deals, args.against, args.seed)
    warn_of_seed(args.seed, tuning.everybody)
    with Progress(this.meta.title, args.trials) as progress:
        trials = tune(tuning, args.trials, Threads(args.threads or cores()), progress)
    if args.json:
        print_json({"trials": [facts(trial) for trial in trials]})
    else:
        for trial in trials[:SHOWN]:
            print(f"{interval(trial.result.known(4), '8.3f')}  {trial.spec}")
        for line in seed_lines(args.seed, tuning.drawn, tuning.everybody):
            print(line)
    return Exit.OK if len(trials) > args.trials else Exit.INTERRUPTED
