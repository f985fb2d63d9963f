"""Play many games between bots, summarize them, and write them to a file.

The file has one row per play. The suffix of the file sets the format: .csv, .jsonl, or .parquet, which needs the extra
`arena`. The first column is play. Then each seat S has score_S, rank_S, and score_table_S_1, score_table_S_2 and so on:
points, then the tie-breaks. The last columns are seed, which reproduces the deal, bot_seed, decisions, and ending, the
game's number for how the play ended. If an external program fails, the simulation stops and reports why.

With --trace every decision is written for learning: the observation, the legal actions, the choice, the policy and
value of a search, the reward, and the result of the play. The same command continues after an interruption. See
docs/traces.md.
"""

import argparse
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arena.seeds import resolve_seed
from ...errors import SetupError
from ...files import check_folder
from .. import Exit, arguments

if TYPE_CHECKING:
    from ...arena.simulate import Simulated

EXAMPLES = (
    "almunia simulate orchard --games 10000",
    "almunia simulate orchard --games 500 --seats 2 --bot greedy --bot random --seed 7 --out games.csv",
)
PERCENTILES = (5, 25, 50, 75, 95)
TRACE_FORMS = ("arrays", "parquet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    arguments.add_game(parser)
    parser.add_argument(
        "--games", type=arguments.positive_int_arg, default=1000, metavar="N", help="number of games (default: 1000)"
    )
    parser.add_argument(
        "--seats",
        type=arguments.int_arg,
        metavar="N",
        help="number of seats (default: one for each --bot, or the fewest possible)",
    )
    parser.add_argument(
        "--bot",
        action="append",
        metavar="BOT",
        help="a bot for each seat in turn, or one for all; repeat for more (default: random)",
    )
    arguments.add_seed(parser)
    parser.add_argument("--threads", type=arguments.positive_int_arg, metavar="N", help="cores to use (default: all)")
    parser.add_argument(
        "--clairvoyant", action="store_true", help="let searches see hidden information, for comparisons only"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the plays here: .csv, .parquet or .jsonl")
    parser.add_argument("--trace", type=Path, metavar="FOLDER", help="write every decision into this folder")
    parser.add_argument(
        "--trace-form",
        choices=TRACE_FORMS,
        help="memory-mapped arrays (default), or parquet, which needs the extra arena",
    )
    parser.add_argument("--ray", action="store_true", help="make the trace on a Ray cluster instead of in threads")
    arguments.add_options(parser)
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    from ...arena.export import write, writer_for
    from ...arena.simulate import prepare, simulate
    from ...arena.trace_writer import prepare_trace, trace

    game = arguments.load_game(args)
    check_trace_options(args)
    executor = arguments.make_executor(args)
    if args.out:
        writer_for(args.out)  # a wrong suffix is reported before the work, not after it
        check_folder(args.out)
    bots = args.bot or ["random"]
    seed = resolve_seed(args.seed, bots)
    arguments.warn_public_seed(args.seed, bots)
    game_options = arguments.unique("--option", args.option)
    prepare_games = prepare_trace if args.trace else prepare  # compilation must not count in the rate
    prepare_games(game, args.seats, bots, **game_options)
    start = perf_counter()
    with arguments.progress_bar(game.meta.title, args.games) as progress:
        common = (args.games, args.seats, bots, seed)
        if args.trace:
            form = args.trace_form or TRACE_FORMS[0]
            result = trace(game, args.trace, *common, executor=executor, form=form, progress=progress, **game_options)
        else:
            threads = args.threads or arguments.core_count()
            result = simulate(game, *common, threads, progress, args.clairvoyant, **game_options)
    seconds = perf_counter() - start
    if args.out:
        write(result, args.out)
    figures = summarize(result, bots) | {
        "seed": seed,
        "seconds": round(seconds, 3),
        "file": str(args.out) if args.out else None,
        "trace": str(args.trace) if args.trace else None,
    }
    lines = [*format_summary(game.meta.title, figures), *arguments.seed_lines(args.seed, seed, bots)]
    arguments.print_result(args, figures, lines)
    return Exit.OK


def check_trace_options(args: argparse.Namespace) -> None:
    """Raise SetupError if an option needs --trace, which is not given, or if --clairvoyant is given with --trace."""
    if args.trace and args.clairvoyant:
        raise SetupError("A trace holds only what seats may know, so --clairvoyant and --trace exclude each other.")
    if not args.trace and (args.ray or args.trace_form):
        raise SetupError(f"{'--ray' if args.ray else '--trace-form'} needs --trace FOLDER.")


def summarize(result: "Simulated", bots: list[str]) -> dict[str, Any]:
    """Return the numbers of plays and decisions, and the statistics of each seat.

    `bots` has one bot for all seats, or one for each seat.
    """
    scores, ranks = result["scores"], result["ranks"]
    winners = ranks == 1
    shares = winners / winners.sum(axis=1, keepdims=True)
    seats = []
    for seat in range(scores.shape[1]):
        seat_scores = scores[:, seat]
        seats.append(
            {
                "seat": seat + 1,
                "bot": bots[seat % len(bots)],
                "mean": round(float(seat_scores.mean()), 3),
                "sd": round(float(seat_scores.std(ddof=1)), 3) if len(seat_scores) > 1 else 0.0,
                "percentiles": {str(p): float(np.percentile(seat_scores, p)) for p in PERCENTILES},
                "least": int(seat_scores.min()),
                "most": int(seat_scores.max()),
                "wins": round(float(shares[:, seat].sum()), 2),
            }
        )
    return {"plays": len(scores), "decisions": int(result["decisions"].sum()), "seats": seats}


def format_summary(title: str, figures: dict[str, Any]) -> list[str]:
    speed = figures["decisions"] / max(figures["seconds"], 1e-9)
    plays = figures["plays"]
    head = f"{title}: {plays:,} play{'' if plays == 1 else 's'}, {figures['decisions']:,} decisions"
    lines = [
        f"{head} in {figures['seconds']:.2f} s ({speed:,.0f} per second)",
        "",
        "seat  bot            mean     sd   min" + "".join(f"{f'{p}%':>6}" for p in PERCENTILES) + "   max    wins",
    ]
    for row in figures["seats"]:
        percentiles = "".join(f"{value:>6.0f}" for value in row["percentiles"].values())
        lines.append(
            f"{row['seat']:>4}  {row['bot']:<12} {row['mean']:>6.2f} {row['sd']:>6.2f} {row['least']:>5}{percentiles} "
            f"{row['most']:>5} {row['wins'] / figures['plays']:>6.1%}"
        )
    if figures["trace"]:
        lines.append(f"\nThe decisions are in {figures['trace']}.")
    if figures["file"]:
        lines.append(f"\nThe plays are in {figures['file']}.")
    return lines
