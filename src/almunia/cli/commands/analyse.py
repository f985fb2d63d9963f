"""Judge every choice in a record: what it cost, and what would have been better.

A search judges each choice by what its player could know. A choice costs the difference between the chances to win
after the best action and after the chosen one: up to 2% is good, up to 5% fair, up to 10% an inaccuracy, up to 20% a
mistake, and more a blunder. With a single player, points count instead, like a lead over an equal opponent.

The accuracy of a player is 100 if no choice cost anything. The record may be of a game that was not finished.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...library import new_from_record, replay
from ...play.play import Play
from .. import Exit, arguments
from ..narration import seat_names

if TYPE_CHECKING:
    from ...analysis import Decision, PlayAnalysis

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
    from ...analysis import analyse_play

    record = arguments.read_record(args.record)
    play = replay(record)
    with arguments.progress_bar("Analysing", len(play.actions)) as progress:
        analysis = analyse_play(
            play, args.simulations, args.seed, args.threads, progress=lambda done, _total: progress(done)
        )
    words = words_of_decisions(analysis, new_from_record(record), play.actions)
    names = seat_names(record.seats, record.players)
    arguments.print_result(args, analysis_data(analysis, words, names), report_lines(analysis, words, names))
    return Exit.OK


class Words(NamedTuple):
    """A choice and the best action in the words of records."""

    chosen: str
    best: str


def words_of_decisions(analysis: "PlayAnalysis", play: Play, actions: Iterable[int]) -> dict[int, Words]:
    """Return the words of each decision by its number. Apply the actions to `play`."""
    decisions, words = {decision.number: decision for decision in analysis.decisions}, {}
    for number, action in enumerate(actions, 1):
        if decision := decisions.get(number):
            words[number] = Words(play.action_to_string(action), play.action_to_string(decision.best))
        play.apply(action)
    return words


def analysis_data(analysis: "PlayAnalysis", words: Mapping[int, Words], names: Sequence[str]) -> dict[str, Any]:
    return {
        "game": analysis.game,
        "simulations": analysis.simulations,
        "seed": analysis.seed,
        "seats": [
            {
                "seat": seat.seat + 1,
                "name": names[seat.seat],
                "accuracy": None if seat.accuracy is None else round(seat.accuracy, 1),
                "lost_points": round(seat.lost_points, 2),
                **seat.verdicts,
            }
            for seat in analysis.seats
        ],
        "decisions": [decision_data(decision, words[decision.number]) for decision in analysis.decisions],
    }


def decision_data(decision: "Decision", words: Words) -> dict[str, Any]:
    chance = decision.chance
    return {
        "number": decision.number,
        "seat": decision.seat + 1,
        "action": words.chosen,
        "best": words.best,
        "chance": None if chance is None else round(chance, 4),
        "lead": round(decision.lead, 2),
        "lost_chance": round(decision.lost_chance, 4),
        "lost_points": round(decision.lost_points, 2),
        "verdict": decision.verdict,
    }


def report_lines(analysis: "PlayAnalysis", words: Mapping[int, Words], names: Sequence[str]) -> Iterator[str]:
    """Yield a line on each seat, then its costliest choices."""
    for seat in analysis.seats:
        if seat.accuracy is None:
            yield f"{names[seat.seat]}: no choices"
            continue
        found = [(count, verdict) for verdict, count in seat.verdicts.items() if count and verdict in PLURALS]
        counts = [f"{count} {verdict if count == 1 else PLURALS[verdict]}" for count, verdict in found]
        yield f"{names[seat.seat]}: accuracy {seat.accuracy:.0f}, {', '.join(counts) or 'no mistakes'}"
        for decision in seat.costliest(COSTLIEST):
            chosen, best = words[decision.number]
            yield f"  {decision.number:>3}. {chosen}: {cost(decision)}; better: {best}"


def cost(decision: "Decision") -> str:
    """Return the cost of a choice in words: points with a single seat, else a chance."""
    if decision.chance is None:
        return f"{decision.verdict}, costs {decision.lost_points:.1f} points"
    return f"{decision.verdict}, costs {decision.lost_chance:.1%} of {decision.chance:.0%} to win"
