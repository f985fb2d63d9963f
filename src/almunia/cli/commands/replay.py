"""Play a record again, action by action, and check it.

The record is refused where an action is not legal, or where the result is another than it says.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.contract import SPECTATOR
from ...core.lines import spoken
from ...core.replaying import replay, start
from ...errors import SetupError
from .. import Exit
from ..narration import apply_and_tell, result_lines, seat_names
from ..options import WATCHING, add_build, add_json, add_seat, print_json, read_record, reader_given, whole

if TYPE_CHECKING:
    from ...core.play import Play
    from ...core.record import Record

EXAMPLES = (
    "almunia replay game.txt",
    "almunia replay game.txt --step",
    "almunia replay game.txt --to 5",
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The record, and how far and how fast to go."""
    parser.add_argument("record", type=Path, help="record file, text or JSON")
    parser.add_argument("--to", type=whole, metavar="N", help="stop after so many actions and show the board")
    parser.add_argument("--step", action="store_true", help="show the board after each action and wait for Enter")
    add_seat(parser, WATCHING)
    add_build(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Replay, and say the result."""
    if args.step and args.json:
        raise SetupError("--step shows boards to people, and --json writes for programs: choose one.")
    record = read_record(args.record)
    if args.to is not None and not 0 <= args.to <= len(record.actions):
        raise SetupError(f"--to {args.to} is outside this record, which has {len(record.actions)} actions.")
    checked = replay(record, args.to, args.build)
    reader = reader_given(args.seat, checked, SPECTATOR)
    if args.json:
        print_json(facts(record, checked))
        return Exit.OK
    names = seat_names(record.seats, record.players)
    play = play_through(record, checked, args, reader, names)
    if not args.step:
        print(f"\n{play.observe(reader).board()}")
    print()
    print("\n".join(result_lines(play, names)))
    return Exit.OK


def play_through(record: "Record", checked: "Play", args: argparse.Namespace, reader: int, names: list[str]) -> "Play":
    """Tell every action as the reader knew it; returns the play at the end."""
    play = start(record, args.build)
    for number, action in enumerate(checked.actions, 1):
        mark = f"{number:>3}. "
        for line in apply_and_tell(play, action, [reader])[reader]:
            print(mark + spoken(line, names))
            mark = " " * len(mark)
        if args.step:
            print(f"\n{play.observe(reader).board()}\n")
            try:
                input("Enter for the next action ")
            except EOFError:
                args.step = False
                print()
    return play


def facts(record: "Record", play: "Play") -> dict[str, object]:
    """What the replay found, for programs."""
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
