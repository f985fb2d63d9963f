"""Replay a record, action by action, and check it.

The command refuses a record with an illegal action. Without --to, it also refuses a record that states another result.
"""

import argparse
from pathlib import Path

from ...core.contract import SPECTATOR
from ...core.rich_text import plain_text
from ...errors import SetupError
from ...library import new_from_record, replay
from ...play.play import Play
from ...play.record import Record
from .. import Exit
from ..arguments import SPECTATOR_WORD, add_build, add_json, add_seat, int_arg, parse_viewer, print_result, read_record
from ..narration import apply_and_log, result_lines, seat_names

EXAMPLES = (
    "almunia replay game.txt",
    "almunia replay game.txt --step",
    "almunia replay game.txt --to 5",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("record", type=Path, help="record file, text or JSON")
    parser.add_argument("--to", type=int_arg, metavar="N", help="stop after N actions and show the board")
    parser.add_argument("--step", action="store_true", help="show the board after each action and wait for Enter")
    add_seat(parser, SPECTATOR_WORD)
    add_build(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    if args.step and args.json:
        raise SetupError("--step prints boards for people, and --json prints data for programs: choose one.")
    record = read_record(args.record)
    if args.to is not None and not 0 <= args.to <= len(record.actions):
        raise SetupError(f"--to {args.to} is outside this record, which has {len(record.actions)} actions.")
    replayed = replay(record, args.to, args.build)
    viewer = parse_viewer(args.seat, replayed, SPECTATOR)
    if args.json:
        print_result(args, replay_data(record, replayed), ())
        return Exit.OK
    names = seat_names(record.seats, record.players)
    play = print_log(record, replayed, args, viewer, names)
    print()
    print("\n".join(result_lines(play, names)))
    return Exit.OK


def print_log(record: Record, replayed: Play, args: argparse.Namespace, viewer: int, names: list[str]) -> Play:
    """Apply the actions again, and print the log lines and boards that the viewer may see. Return the play at the end.

    With `--step`, print the board after each action and wait for Enter. Without `--step`, or after the end of the
    input, print only the last board.
    """
    play, is_stepping = new_from_record(record, args.build), args.step
    for number, action in enumerate(replayed.actions, 1):
        prefix = f"{number:>3}. "
        for line in apply_and_log(play, action, [viewer])[viewer]:
            print(prefix + plain_text(line, names))
            prefix = " " * len(prefix)
        if is_stepping:
            print(f"\n{play.observe(viewer).board()}\n")
            try:
                input("Enter for the next action ")
            except EOFError:
                is_stepping = False
                print()
    if not is_stepping:
        print(f"\n{play.observe(viewer).board()}")
    return play


def replay_data(record: Record, play: Play) -> dict[str, object]:
    outcome = play.outcome
    return {
        "game": record.game,
        "seats": record.seats,
        "actions": len(play.actions),
        "over": play.over,
        "scores": outcome.scores if outcome else None,
        "ranks": outcome.ranks if outcome else None,
        "reason": outcome.reason if outcome else None,
    }
