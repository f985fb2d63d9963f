"""Play many games between bots, sum them up, and write them to a file.

The file has one row per play; its ending sets the format: .csv, .parquet or .jsonl. Its columns are
play, and for each seat S score_S, rank_S and score_table_S_1, score_table_S_2 and so on (points, then the
tie-breaks); then seed, which deals the same again, bot_seed, decisions, and ending, the game's
number for how the play ended. Parquet needs the extra `arena`. If an external program fails, the
simulation stops and says why.

With --trace every decision is written down for learning: what was seen, what was allowed, what was chosen, the shares
of a search's visits, and how the play ended. The same command goes on after an interruption. See docs/traces.md.
"""

import argparse
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...errors import SetupError
from ...files import check_folder
from .. import Exit
from ..options import (
    Progress,
    add_game,
    add_json,
    add_options,
    add_seed,
    cores,
    count,
    game_of,
    once,
    print_json,
    seed_lines,
    warn_of_seed,
    whole,
)

if TYPE_CHECKING:
    from ...arena.simulate import Simulated

EXAMPLES = (
    "almunia simulate orchard --plays 10000",
    "almunia simulate orchard --plays 500 --seats 2 --bot greedy --bot random --seed 7 --out games.csv",
)
PERCENTILES = (5, 25, 50, 75, 95)
FORMS = ("arrays", "parquet")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to play, how often, and where the rows go."""
    add_game(parser)
    parser.add_argument("--plays", type=count, default=1000, metavar="N", help="how many plays (default: 1000)")
    parser.add_argument(
        "--seats", type=whole, metavar="N", help="how many play (default: one for each --bot, or the fewest possible)"
    )
    parser.add_argument(
        "--bot",
        action="append",
        metavar="BOT",
        help="a bot for each seat in turn, or one for all; may be given several times (default: random)",
    )
    add_seed(parser)
    parser.add_argument("--threads", type=count, metavar="N", help="cores to use (default: all)")
    parser.add_argument(
        "--clairvoyant", action="store_true", help="tell searches everything that is hidden: for comparisons alone"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the plays here: .csv, .parquet or .jsonl")
    parser.add_argument("--trace", type=Path, metavar="FOLDER", help="write every decision into this folder")
    parser.add_argument(
        "--trace-form", choices=FORMS, help="arrays to map into memory (default), or parquet, with the extra arena"
    )
    parser.add_argument("--ray", action="store_true", help="make the trace on a Ray cluster instead of in threads")
    add_options(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Simulate, write, and print a summary."""
    from ...arena.export import write, writer_for
    from ...arena.recording import prepare_trace
    from ...arena.seeds import drawn_seed
    from ...arena.simulate import prepare, simulate

    game = game_of(args)
    check_trace(args)
    if args.out:
        writer_for(args.out)  # a wrong ending should be heard of before the work, not after it
        check_folder(args.out)
    bots = args.bot or ["random"]
    seed = drawn_seed(args.seed, bots)
    warn_of_seed(args.seed, bots)
    options = once("--option", args.option)
    (prepare_trace if args.trace else prepare)(game, args.seats, bots, **options)  # the rate is that of playing
    start = perf_counter()
    with Progress(game.meta.title, args.plays) as progress:
        common = (game, args.plays, args.seats, bots, seed)
        if args.trace:
            result = traced(args, common, progress, options)
        else:
            threads = args.threads or cores()
            result = simulate(*common, threads, progress, args.clairvoyant, **options)
    seconds = perf_counter() - start
    if args.out:
        write(result, args.out)
    figures = summary(result, bots) | {
        "seed": seed,
        "seconds": round(seconds, 3),
        "file": str(args.out) if args.out else None,
        "trace": str(args.trace) if args.trace else None,
    }
    if args.json:
        print_json(figures)
    else:
        print("\n".join([*lines(game.meta.title, figures), *seed_lines(args.seed, seed, bots)]))
    return Exit.OK


def check_trace(args: argparse.Namespace) -> None:
    """SetupError for what only goes with a trace, or not with one."""
    if args.trace and args.clairvoyant:
        raise SetupError("A trace is of what seats may know, so --clairvoyant does not go with --trace.")
    if args.ray and args.threads:
        raise SetupError("--threads is for this machine; a Ray cluster knows its own cores.")
    if not args.trace and (args.ray or args.trace_form):
        raise SetupError(f"{'--ray' if args.ray else '--trace-form'} goes with --trace FOLDER.")


def traced(args: argparse.Namespace, common: tuple[Any, ...], progress: Any, options: dict[str, str]) -> "Simulated":
    """Play, and write every decision into the folder that was asked for."""
    from ...arena.engines import Engine, Threads
    from ...arena.recording import trace

    engine: Engine = Threads(args.threads or cores())
    if args.ray:
        from ...arena.ray_engine import Ray

        engine = Ray()
    game, plays, seats, bots, seed = common
    form = args.trace_form or FORMS[0]
    return trace(game, args.trace, plays, seats, bots, seed, engine=engine, form=form, progress=progress, **options)


def summary(result: "Simulated", bots: list[str]) -> dict[str, Any]:
    """Means, spreads and wins by seat; `bots` are one for all seats, or one for each."""
    import numpy as np

    scores, ranks = result["scores"], result["ranks"]
    winners = ranks == 1
    shares = winners / winners.sum(axis=1, keepdims=True)
    seats = []
    for seat in range(scores.shape[1]):
        own = scores[:, seat]
        seats.append(
            {
                "seat": seat + 1,
                "bot": bots[seat % len(bots)],
                "mean": round(float(own.mean()), 3),
                "sd": round(float(own.std(ddof=1)), 3) if len(own) > 1 else 0.0,
                "percentiles": {str(p): float(np.percentile(own, p)) for p in PERCENTILES},
                "least": int(own.min()),
                "most": int(own.max()),
                "wins": round(float(shares[:, seat].sum()), 2),
            }
        )
    return {"plays": len(scores), "decisions": int(result["decisions"].sum()), "seats": seats}


def lines(title: str, figures: dict[str, Any]) -> list[str]:
    """The summary for people."""
    speed = figures["decisions"] / max(figures["seconds"], 1e-9)
    plays = figures["plays"]
    played = f"{title}: {plays:,} play{'' if plays == 1 else 's'}, {figures['decisions']:,} decisions"
    out = [
        f"{played} in {figures['seconds']:.2f} s ({speed:,.0f} per second)",
        "",
        "seat  bot            mean     sd   min" + "".join(f"{f'{p}%':>6}" for p in PERCENTILES) + "   max    wins",
    ]
    for row in figures["seats"]:
        spread = "".join(f"{value:>6.0f}" for value in row["percentiles"].values())
        out.append(
            f"{row['seat']:>4}  {row['bot']:<12} {row['mean']:>6.2f} {row['sd']:>6.2f} {row['least']:>5}{spread} "
            f"{row['most']:>5} {row['wins'] / figures['plays']:>6.1%}"
        )
    if figures["trace"]:
        out.append(f"\nThe decisions are in {figures['trace']}.")
    if figures["file"]:
        out.append(f"\nThe plays are in {figures['file']}.")
    return out
