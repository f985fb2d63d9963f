"""Find puzzles: positions in which one move is clearly best.

The positions come from games between bots, or from records. In each of them the player chose badly. Searches of two
sizes, repeated with other seeds, judge the moves by what the player could know. They must agree on the best move, and
that every other one costs at least a tenth of the chance to win. With a single player, points count instead, like a
lead over an equal opponent.

A file of puzzles has one puzzle a line, as JSON: the game with its seed and moves so far, the best moves with their
chances, the gap with its 95% interval, and the theme. In a game's folder, as puzzles.jsonl, it is what the site offers.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ...errors import SetupError
from ...files import check_folder
from ...library import Game, replay
from .. import Exit, arguments
from ..narration import seat_names

if TYPE_CHECKING:
    from ...play.play import Play
    from ...puzzles import Answer, Puzzle

EXAMPLES = (
    "almunia puzzles orchard --count 5",
    "almunia puzzles caylus --count 10 --seats 3 --seed 7 --out puzzles.jsonl",
    "almunia puzzles oregon --record game.txt",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    arguments.add_game(parser)
    parser.add_argument(
        "--count", type=arguments.positive_int_arg, default=10, metavar="N", help="puzzles to find (default: 10)"
    )
    parser.add_argument(
        "--games", type=arguments.positive_int_arg, default=1000, metavar="N",
        help="games to search at most (default: 1000)",
    )  # fmt: skip
    parser.add_argument(
        "--record", type=Path, action="append", default=[], metavar="FILE",
        help="search this record instead of games between bots; repeat for more",
    )  # fmt: skip
    arguments.add_seats(parser)
    parser.add_argument(
        "--bot", default="greedy", metavar="BOT", help="the bot that plays in all seats (default: greedy)"
    )
    parser.add_argument(
        "--seed", type=arguments.int_arg, default=0, metavar="N", help="seed of the games between bots (default: 0)"
    )
    parser.add_argument(
        "--simulations", type=arguments.positive_int_arg, default=400, metavar="N",
        help="simulations of the smaller searches; the larger ones have four times as many (default: 400)",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the puzzles here, one a line")
    arguments.add_options(parser)
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    from ...puzzles import find_puzzles

    game = arguments.load_game(args)
    if args.out:
        check_folder(args.out)
    plays = recorded_plays(game, args.record) if args.record else plays_of_bots(args, game)
    found = []
    with arguments.progress_bar(game.meta.title, args.count) as progress, open_output(args.out) as out:
        for puzzle in find_puzzles(islice(plays, args.games), args.count, args.simulations):
            found.append(puzzle)
            progress(len(found))
            if out:  # an interrupted search keeps what it has found
                print(puzzle.to_json(), file=out, flush=True)
    arguments.print_result(args, [asdict(puzzle) for puzzle in found], report_lines(found, args.count))
    return Exit.OK


def open_output(path: Path | None) -> AbstractContextManager[TextIO | None]:
    return nullcontext() if path is None else path.open("w", encoding="utf-8")


def recorded_plays(game: Game, files: Sequence[Path]) -> Iterator[tuple["Play", Sequence[str]]]:
    for file in files:
        record = arguments.read_record(file)
        if record.game != game.name:
            raise SetupError(f"{file} is a record of {record.game!r}, not of {game.name!r}.")
        yield replay(record, build=game.build), seat_names(record.seats, record.players)


def plays_of_bots(args: argparse.Namespace, game: Game) -> Iterator[tuple["Play", Sequence[str]]]:
    from ...puzzles import bot_plays

    for play in bot_plays(game, args.seats, args.bot, args.seed, arguments.unique("--option", args.option)):
        yield play, (args.bot,) * play.seats


def report_lines(puzzles: Sequence["Puzzle"], wanted: int) -> Iterator[str]:
    """Yield two lines on each puzzle, then a line if there are fewer than wanted."""
    for puzzle in puzzles:
        seat_count, move = puzzle.seats, len(puzzle.actions) + 1
        yield f"seed {puzzle.seed}, {seat_count} seats, move {move} ({puzzle.theme.stage}): {puzzle.solution.words}"
        answers = "; ".join(describe(answer, seat_count) for answer in puzzle.answers)
        low, high = puzzle.interval
        yield f"  gap {puzzle.gap:.0%} ({low:.0%} to {high:.0%}): {answers}"
    if len(puzzles) < wanted:
        yield f"Found {len(puzzles)} of {wanted} puzzles. Search more games with --games."


def describe(answer: "Answer", seats: int) -> str:
    return f"{answer.words} {f'{answer.chance:.0%}' if seats > 1 else f'{answer.lead:.1f} points'}"
