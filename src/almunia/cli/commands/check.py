"""Check a game against the contract: the conformance suite on one game.

The game is one that is installed, or a plug-in package as 'almunia new' writes it, named by its
folder. First it is loaded, played once and compiled: if that fails, file and line are told, and
nothing else is checked. A check that cannot be made here, such as one that needs a package which is
not installed, is told as not checked, and has not passed.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.game import game
from ...core.registry import packages
from ...errors import SetupError, one_of
from .. import Exit
from ..options import add_json, count, print_json
from ..plugins import announce

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
    from ..smoke_test import fault

    name = game_named(args.game)
    meta = game(name).meta
    low, high = meta.seats
    if args.seats is not None and not low <= args.seats <= high:
        raise SetupError(f"{meta.title} takes {low} to {high} seats, not {args.seats}.")
    if sentence := fault(name):
        return report_fault(name, sentence, args.json)
    passed: list[str] = []
    left_out: list[dict[str, str]] = []

    def report(check: str, case: "Case", finding: "Finding") -> None:
        if finding.skipped:
            left_out.append(facts(check, case, finding.sentence))
        elif not finding.failed:
            passed.append(check)
        if not args.json:
            print("\n".join(lines(check, case, finding)), flush=True)

    failures = conformance.run_checks(name, args.seats, report)
    if args.json:
        found = [facts(*failure) for failure in failures]
        print_json({"game": name, "passed": len(passed), "failures": found, "not_checked": left_out})
    else:
        counts = {"passed": len(passed), "failed": len(failures), "not checked": len(left_out)}
        print(f"{name}: {', '.join(f'{count} {what}' for what, count in counts.items() if count)}.")
    return Exit.FAILED if failures else Exit.OK


def report_fault(name: str, sentence: str, as_json: bool) -> int:
    """Say what keeps the checks from being made: once, and not for each of them."""
    if as_json:
        failure = {"check": "first_look", "case": name, "found": sentence}
        print_json({"game": name, "passed": 0, "failures": [failure], "not_checked": []})
    else:
        print(f"FAILED  {name}  first look\n        {sentence}\n{name}: nothing else was checked.")
    return Exit.FAILED


def facts(check: str, case: "Case", sentence: str) -> dict[str, str]:
    """What a check found, for programs."""
    return {"check": check, "case": str(case), "found": sentence}


def lines(check: str, case: "Case", finding: "Finding") -> list[str]:
    """How a check ended, for people: a line, and below it what was found."""
    result = "not checked" if finding.skipped else "FAILED" if finding.failed else "ok"
    found = [f"        {finding.sentence}"] if finding.sentence else []
    return [f"{result:<7} {case}  {check.replace('_', ' ')}", *found]


def game_named(text: str) -> str:
    """The name of the game, made known first if it is a folder."""
    if text in packages():
        return text
    if Path(text).is_dir():
        return announce(Path(text))
    raise SetupError(f"{text!r} is neither a game nor a folder; games are: {one_of(packages(), text)}")
