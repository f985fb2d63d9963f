"""Judge every choice in a record: what it cost, and what would have been better.

A search judges each choice by what its player could know. A choice costs the difference between the chances to win
after the best action and after the chosen one: up to 2% is good, up to 5% fair, up to 10% an inaccuracy, up to 20% a
mistake, and more a blunder. With a single player, points count instead, like a lead over an equal opponent.

The accuracy of a player is 100 if no choice cost anything. The record may be of a game that was not finished.

Draws are cards, dice and other reveals: how far they moved what a player could expect. A result is what greedy bots get
on average, plus the draws, plus the choices of all players. Intervals cover 95%.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...library import replay
from .. import Exit, arguments
from ..narration import seat_names

if TYPE_CHECKING:
    from ...analysis import Decision, PlayAnalysis, Words
    from ...luck import Balance

EXAMPLES = (
    "almunia analyse game.txt",
    "almunia analyse game.txt --simulations 2000 --json",
)
PLURALS = {"inaccuracy": "inaccuracies", "mistake": "mistakes", "blunder": "blunders"}  # of the verdicts to count
COSTLIEST = 3  # choices that are printed for each seat


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("record", type=Path, help="record file, text or JSON")
    parser.add_argument(
        "--simulations", type=arguments.positive_int_arg, default=400, metavar="N",
        help="simulations of the search for each choice (default: 400)",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=arguments.int_arg, default=0, metavar="N", help="seed of the searches (default: 0)"
    )
    parser.add_argument(
        "--threads", type=arguments.positive_int_arg, default=1, metavar="N", help="cores to use (default: 1)"
    )
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    from ...analysis import analyse_play, analysis_data, words_of_decisions

    record = arguments.read_record(args.record)
    play = replay(record)
    with arguments.progress_bar("Analysing", len(play.actions)) as progress:
        analysis = analyse_play(
            play, args.simulations, args.seed, args.threads, progress=lambda done, _total: progress(done)
        )
    words, names = words_of_decisions(analysis, play), seat_names(record.seats, record.players)
    arguments.print_result(args, analysis_data(analysis, play, names), report_lines(analysis, words, names))
    return Exit.OK


def report_lines(analysis: "PlayAnalysis", words: Mapping[int, "Words"], names: Sequence[str]) -> Iterator[str]:
    """Yield a line on each seat, then its costliest choices."""
    for seat in analysis.seats:
        if seat.accuracy is None:
            yield f"{names[seat.seat]}: no choices"
            continue
        found = [(count, verdict) for verdict, count in seat.verdicts.items() if count and verdict in PLURALS]
        counts = [f"{count} {verdict if count == 1 else PLURALS[verdict]}" for count, verdict in found]
        yield f"{names[seat.seat]}: accuracy {seat.accuracy:.0f}, {', '.join(counts) or 'no mistakes'}"
        costly = seat.costliest(None)
        for decision in costly[:COSTLIEST]:
            chosen, best = words[decision.number]
            yield f"  {decision.number:>3}. {chosen}: {cost(decision)}; better: {best}"
        if len(costly) > COSTLIEST:
            yield f"  and {len(costly) - COSTLIEST} more"
        if analysis.luck:
            yield f"  {balance_words(analysis.luck.seats[seat.seat].points)}"


def balance_words(points: "Balance") -> str:
    """Return the parts of a result in words. A game that goes on has no result yet."""
    found = f"draws {points.luck:+.1f} ±{points.luck_error:.1f} points"
    if points.result is None:
        return found
    choices = f"choices of all {points.choices:+.1f} ±{points.choices_error:.1f}"
    return f"{points.result:.0f} points: {points.expected:.1f} between greedy bots, {found}, {choices}"


def cost(decision: "Decision") -> str:
    """Return the cost of a choice in words: points with a single seat, else a chance."""
    if decision.chance is None:
        return f"{decision.verdict}, costs {decision.lost_points:.1f} points"
    return f"{decision.verdict}, costs {decision.lost_chance:.1%} of {decision.chance:.0%} to win"
