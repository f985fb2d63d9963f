"""Find the settings with which a search bot does best against a fixed opponent, or weights of a game's evaluation.

Every trial plays the same deals. The result of a trial is the share of wins, or the mean points of a bot that plays
alone. The bot with its own settings takes part for comparison. If you interrupt the command, it prints the results so
far. This needs the extra `arena`.

With --weights, greedy bots play against each other with scattered weights, and the best weights are written into a file
after each round. The same command continues an interrupted run. Other bots use the file with `almunia match --weights`.
"""

import argparse
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...arena.executors import ThreadExecutor
from ...errors import SetupError
from ...files import check_folder
from ...library import Game, game
from .. import Exit, arguments

if TYPE_CHECKING:
    from ...arena.tuning import Trial

EXAMPLES = (
    "almunia tune orchard --bot search:100 --seats 1 --set beam_width=1:8 --set candidates=5:40 --trials 10 --deals 20",
    "almunia tune orchard --bot search:200 --against greedy --seats 2 --set exploration=0.01:1 --trials 20 --deals 30",
    "almunia tune oregon --weights oregon.json --seats 2 --seats 3 --rounds 12",
)
MAX_ROWS = 10  # of the printed table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="name of the game; 'almunia list' shows them all")
    parser.add_argument("--bot", metavar="BOT", help="a search with its budget, such as search:200")
    parser.add_argument("--against", metavar="BOT", help="the opponent, at a table of several (default: greedy)")
    parser.add_argument(
        "--seats", type=arguments.int_arg, action="append", metavar="N",
        help="number of seats (default: the fewest possible); repeat it for --weights, whose rounds take turns",
    )  # fmt: skip
    parser.add_argument(
        "--set", dest="ranges", type=range_arg, action="append", default=[], metavar="NAME=LOW:HIGH",
        help="a setting and its bounds; repeat for more",
    )  # fmt: skip
    parser.add_argument(
        "--trials", type=arguments.positive_int_arg, default=30, metavar="N", help="settings to try (default: 30)"
    )
    parser.add_argument(
        "--deals", type=arguments.positive_int_arg, default=50, metavar="N", help="deals for each trial (default: 50)"
    )
    parser.add_argument(
        "--weights", type=Path, metavar="FILE", help="tune the weights of the game's evaluation, and keep them here"
    )
    parser.add_argument(
        "--rounds", type=arguments.positive_int_arg, default=12, metavar="N", help="rounds of --weights (default: 12)"
    )
    parser.add_argument(
        "--plays", type=arguments.positive_int_arg, default=4000, metavar="N", help="plays of a round (default: 4000)"
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
    seats = [this.check_seats(seats) for seats in args.seats or [None]]
    if args.weights:
        return tune_weights(args, this, seats)
    if len(seats) > 1:
        raise SetupError(f"Settings are tuned for one number of seats, not for {seats}: give --seats once.")
    if not (args.bot and args.ranges):
        raise SetupError("Say what to tune: a search by --bot and --set, or the weights of an evaluation by --weights.")
    ranges = arguments.unique("--set", args.ranges)
    tuning = Tuning(this, args.bot, ranges, seats[0], args.deals, args.against, args.seed)
    arguments.warn_public_seed(args.seed, tuning.all_bots)
    with arguments.progress_bar(this.meta.title, args.trials) as progress:
        trials = tune(tuning, args.trials, ThreadExecutor(args.threads or arguments.core_count()), progress)
    lines = [f"{interval(trial.result.rounded(4), '8.3f')}  {trial.spec}" for trial in trials[:MAX_ROWS]]
    lines += arguments.seed_lines(args.seed, tuning.resolved_seed, tuning.all_bots)
    arguments.print_result(args, {"trials": [trial_data(trial) for trial in trials]}, lines)
    return Exit.OK if len(trials) > args.trials else Exit.INTERRUPTED


def tune_weights(args: argparse.Namespace, this: Game, seats: list[int]) -> int:
    """Run or continue an evolution of weights, and print the weights."""
    from ...arena.evolution import Evolution, evolve

    if args.bot or args.ranges or args.against:
        raise SetupError("Weights are tuned by greedy bots among themselves: leave out --bot, --set and --against.")
    check_folder(args.weights)
    evolution = Evolution(this, seats, args.plays, args.seed or 0)
    executor = ThreadExecutor(args.threads or arguments.core_count())
    with suppress(KeyboardInterrupt), arguments.progress_bar(this.meta.title, args.rounds) as progress:
        evolve(evolution, args.rounds, args.weights, executor, progress)
    own, tuned = this.bots.WEIGHTS, evolution.result
    width = max(map(len, own))
    lines = [f"{name:{width}}  {old} -> {tuned[name]}" for name, old in own.items()]
    arguments.print_result(args, {"rounds": len(evolution.means), "weights": tuned}, lines)
    return Exit.OK if len(evolution.means) >= args.rounds else Exit.INTERRUPTED
