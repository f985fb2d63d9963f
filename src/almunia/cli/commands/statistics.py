"""Play many games between bots, and show points and wins by seat, and what winners score with.

Intervals are 95%. A shared win counts in parts. Winners and others are compared within each game.

In a game's folder, as statistics.json, the result is what the site shows on the page of the game's statistics.
"""

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import SetupError
from ...files import atomic_write, check_folder
from .. import Exit, arguments

if TYPE_CHECKING:
    from ...statistics import Mean, TableStatistics

EXAMPLES = (
    "almunia statistics orchard --games 10000",
    "almunia statistics oregon --seats 2 4 --bot medium --games 200 --json",
)
PERCENTILES = (5, 50, 95)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    arguments.add_game(parser)
    parser.add_argument(
        "--games", type=arguments.positive_int_arg, default=1000, metavar="N",
        help="games for each number of seats (default: 1000)",
    )  # fmt: skip
    parser.add_argument(
        "--seats", type=arguments.int_arg, nargs="+", metavar="N", help="numbers of seats (default: all possible)"
    )
    parser.add_argument(
        "--bot", default="greedy", metavar="BOT", help="the bot that plays in all seats (default: greedy)"
    )
    arguments.add_seed(parser)
    parser.add_argument("--threads", type=arguments.positive_int_arg, metavar="N", help="cores to use (default: all)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the statistics here, as JSON")
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    from ...arena.seeds import resolve_seed
    from ...arena.simulate import simulate
    from ...play.play import Play
    from ...statistics import GameStatistics, Tally

    game = arguments.load_game(args)
    if args.games < 2:
        raise SetupError("Intervals need at least 2 games.")
    if args.out:
        check_folder(args.out)
    low, high = game.meta.seats
    numbers = [game.check_seats(seats) for seats in args.seats or range(low, high + 1)]
    seed, threads, tables = resolve_seed(args.seed, [args.bot]), args.threads or arguments.core_count(), {}
    for seats in numbers:
        tally = Tally(seats)

        def add(play: Play, tally: Tally = tally) -> None:
            tally.add(play.points, play.ranks(), game.text.score_breakdown(play.state))

        with arguments.progress_bar(f"{game.meta.title}, {seats} seats", args.games) as progress:
            simulate(game, args.games, seats, args.bot, seed, threads, progress, finished=add)
        tables[seats] = tally.statistics()
    found = GameStatistics(
        game.name, game.meta.rules_version, game.components_hash, args.bot, seed, dict(sorted(tables.items()))
    )
    if args.out:
        with atomic_write(args.out) as draft:
            draft.write_text(found.to_json() + "\n", "utf-8")
    lines = [line for seats, table in found.tables.items() for line in report_lines(seats, table)]
    arguments.print_result(args, asdict(found), [*lines, *arguments.seed_lines(args.seed, seed, [args.bot])])
    return Exit.OK


def report_lines(seats: int, table: "TableStatistics") -> Iterator[str]:
    """Yield a table of the seats, and a table of the sources of points."""
    yield f"{seats} seat{'s' if seats > 1 else ''}, {table.games:,} games"
    yield "seat     points" + "".join(f"{f'{percent}%':>7}" for percent in PERCENTILES) + "         won"
    for number, seat in enumerate(table.seats, 1):
        spread = "".join(f"{seat.percentile(percent):>7}" for percent in PERCENTILES)
        won, error = (100 * share for share in seat.wins)
        yield f"{number:>4} {with_error(seat.points):>10}{spread} {won:>5.1f}% ±{error:.1f}"
    if table.sources:
        yield f"{'points from':<24}{'all':>12}{'winners':>12}{'others':>12}{'difference':>13}"
    for source in table.sources:
        means = (source.points, source.winners, source.others)
        yield (
            f"{source.name:<24}"
            + "".join(f"{with_error(mean):>12}" for mean in means)
            + (f"{with_error(source.difference, sign='+'):>13}")
        )
    yield ""


def with_error(mean: "Mean | None", sign: str = "") -> str:
    """Return a mean with half of its interval, such as 23.4 ±0.2; empty without one."""
    return "" if mean is None else f"{mean.value:{sign}.1f} ±{mean.error:.1f}"
