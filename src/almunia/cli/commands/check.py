"""Check a game against the contract: run the conformance suite on one game.

The game is an installed one, or a plug-in package as 'almunia new' writes it, named by its folder.
First a smoke test loads, plays and compiles the game. If it fails, file and line are reported, and
nothing else is checked. A check that cannot run here, for example because a package is not installed,
is reported as not checked, and does not count as passed.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ...catalog import game_packages
from ...errors import SetupError, one_of
from ...library import game
from .. import Exit
from ..options import add_json, positive_int_arg, print_json
from ..plugins import register_plugin

if TYPE_CHECKING:
    from ...conformance import Case, CheckResult

EXAMPLES = ("almunia check orchard", "almunia check ./lantern")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the game and the number of seats, and `--json`."""
    parser.add_argument("game", help="name of a game, or the folder of a plug-in package")
    parser.add_argument(
        "--seats", type=positive_int_arg, metavar="N", help="check this number of seats only (default: all)"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the checks, print their results, and return 1 if a check fails."""
    from ... import conformance
    from ..smoke_test import first_error

    name = find_game(args.game)
    meta = game(name).meta
    low, high = meta.seats
    if args.seats is not None and not low <= args.seats <= high:
        raise SetupError(f"{meta.title} takes {low} to {high} seats, not {args.seats}.")
    if error := first_error(name):
        return report_error(name, error, args.json)
    passed: list[str] = []
    left_out: list[dict[str, str]] = []

    def report(check: str, case: "Case", result: "CheckResult") -> None:
        if result.skipped:
            left_out.append(result_data(check, case, result.message))
        elif not result.failed:
            passed.append(check)
        if not args.json:
            print("\n".join(format_result(check, case, result)), flush=True)

    failures = conformance.run_checks(name, args.seats, report)
    if args.json:
        failure_data = [result_data(*failure) for failure in failures]
        print_json({"game": name, "passed": len(passed), "failures": failure_data, "not_checked": left_out})
    else:
        counts = {"passed": len(passed), "failed": len(failures), "not checked": len(left_out)}
        print(f"{name}: {', '.join(f'{count} {what}' for what, count in counts.items() if count)}.")
    return Exit.FAILED if failures else Exit.OK


def report_error(name: str, error: str, as_json: bool) -> int:
    """Print the error of the smoke test, and return the exit code. No check runs after this error."""
    if as_json:
        failure = {"check": "smoke_test", "case": name, "found": error}
        print_json({"game": name, "passed": 0, "failures": [failure], "not_checked": []})
    else:
        print(f"FAILED  {name}  smoke test\n        {error}\n{name}: nothing else was checked.")
    return Exit.FAILED


def result_data(check: str, case: "Case", message: str) -> dict[str, str]:
    """Return a failed or skipped check as data for JSON."""
    return {"check": check, "case": str(case), "found": message}


def format_result(check: str, case: "Case", result: "CheckResult") -> list[str]:
    """Return the lines on a check: its status, and its message if there is one."""
    status = "not checked" if result.skipped else "FAILED" if result.failed else "ok"
    message = [f"        {result.message}"] if result.message else []
    return [f"{status:<7} {case}  {check.replace('_', ' ')}", *message]


def find_game(text: str) -> str:
    """Return a game's name. If `text` is a folder, register its game. Raise SetupError if there is no such game."""
    if text in game_packages():
        return text
    if Path(text).is_dir():
        return register_plugin(Path(text))
    raise SetupError(f"{text!r} is neither a game nor a folder; games are: {one_of(game_packages(), text)}")
