"""Check a game against the contract: the conformance suite on one game.

The game is one that is installed, or a plug-in package as 'almunia new' writes it, named by its
folder.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.game import game
from ...core.registry import packages
from ...errors import SetupError
from .. import Exit
from ..plugins import announce
from ..shared import add_json, count, print_json

if TYPE_CHECKING:
    from ...conformance import Case, Finding

EXAMPLES = ("almunia check orchard", "almunia check ./lantern")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The game, and how many sit down."""
    parser.add_argument("game", help="name of a game, or the folder of a plug-in package")
    parser.add_argument("--seats", type=count, metavar="N", help="check this number of seats only (default: all)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the checks; the exit code is 1 if the game fails any of them."""
    from ... import conformance

    name = game_named(args.game)
    low, high = game(name).meta.seats
    if args.seats is not None and not low <= args.seats <= high:
        raise SetupError(f"{name} takes {low} to {high} seats, not {args.seats}.")
    skipped: list[dict[str, str]] = []

    def report(check: str, case: "Case", finding: "Finding") -> None:
        if finding.skipped:
            skipped.append(told(check, case, finding.sentence))
        if not args.json:
            print("\n".join(lines(check, case, finding)), flush=True)

    failures = conformance.run_checks(name, args.seats, report)
    if args.json:
        print_json({"game": name, "failures": [told(*failure) for failure in failures], "skipped": skipped})
    else:
        result = f"{len(failures)} failed" if failures else "all is well"
        print(f"{name}: {result}{f', {len(skipped)} skipped' if skipped else ''}.")
    return Exit.FAILED if failures else Exit.OK


def told(check: str, case: "Case", sentence: str) -> dict[str, str]:
    """What a check found, for programs."""
    return {"check": check, "case": str(case), "found": sentence}


def lines(check: str, case: "Case", finding: "Finding") -> list[str]:
    """How a check ended, for people: a line, and below it what was found."""
    result = "skipped" if finding.skipped else "FAILED" if finding.failed else "ok"
    found = [f"        {finding.sentence}"] if finding.sentence else []
    return [f"{result:<7} {case}  {check.replace('_', ' ')}", *found]


def game_named(text: str) -> str:
    """The name of the game, made known first if it is a folder."""
    if text in packages():
        return text
    if Path(text).is_dir():
        return announce(Path(text))
    raise SetupError(f"{text!r} is neither a game nor a folder; games are: {', '.join(packages())}.")
