"""Check a game against the contract: run the conformance suite on one game.

Name an installed game, or the folder of a plug-in package such as 'almunia new' writes. First a smoke test loads, plays
and compiles the game. If the test fails, its error is reported, with file and line if they are known, and nothing else
is checked. A check that cannot run here, for example because a package is not installed, is reported as not checked.
"""

import argparse
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from ... import catalog
from ...errors import SetupError, one_of
from ...files import read_text
from ...library import game
from .. import Exit
from ..arguments import add_json, positive_int_arg, print_result
from ..smoke_test import first_error

if TYPE_CHECKING:
    from ...conformance import Case, CheckResult

EXAMPLES = ("almunia check orchard", "almunia check ./lantern")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="name of a game, or the folder of a plug-in package")
    parser.add_argument(
        "--seats", type=positive_int_arg, metavar="N", help="check this number of seats only (default: all)"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from ... import conformance

    name = find_game(args.game)
    meta = game(name).meta
    low, high = meta.seats
    if args.seats is not None and not low <= args.seats <= high:
        raise SetupError(f"{meta.title} takes {low} to {high} seats, not {args.seats}.")
    if error := first_error(name):
        failure = {"check": "smoke_test", "case": name, "found": error}
        lines = [f"FAILED  {name}  smoke test", f"        {error}", f"{name}: nothing else was checked."]
        print_result(args, {"game": name, "passed": 0, "failures": [failure], "not_checked": []}, lines)
        return Exit.FAILED
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
    failure_data = [result_data(*failure) for failure in failures]
    counts = {"passed": len(passed), "failed": len(failures), "not checked": len(left_out)}
    print_result(
        args,
        {"game": name, "passed": len(passed), "failures": failure_data, "not_checked": left_out},
        [f"{name}: {', '.join(f'{count} {what}' for what, count in counts.items() if count)}."],
    )
    return Exit.FAILED if failures else Exit.OK


def result_data(check: str, case: "Case", message: str) -> dict[str, str]:
    return {"check": check, "case": str(case), "found": message}


def format_result(check: str, case: "Case", result: "CheckResult") -> list[str]:
    status = "not checked" if result.skipped else "FAILED" if result.failed else "ok"
    message = [f"        {result.message}"] if result.message else []
    return [f"{status:<7} {case}  {check.replace('_', ' ')}", *message]


def find_game(text: str) -> str:
    """Return a game's name. If `text` is a folder, register its game. Raise SetupError if there is no such game."""
    if text in catalog.all_packages():
        return text
    if Path(text).is_dir():
        return register_plugin(Path(text))
    raise SetupError(f"{text!r} is neither a game nor a folder; games are: {one_of(catalog.game_packages(), text)}")


def register_plugin(folder: Path) -> str:
    """Register the game of a plug-in folder as if it were installed, and return its name.

    Raise SetupError if the folder has no `pyproject.toml` that names exactly one game in `almunia.games`, or lacks the
    game's package.
    """
    project = folder / "pyproject.toml"
    points = read_entry_points(project)
    if len(points) != 1:
        raise SetupError(
            f'{project} should name one game under [project.entry-points."{catalog.GROUP}"], '
            f"and names {len(points) or 'none'}."
        )
    ((name, package),) = points.items()
    source = next((place for place in (folder / "src", folder) if (place / package).is_dir()), None)
    if source is None:
        raise SetupError(f"There is no package {package!r} in {folder} or {folder / 'src'}.")
    sys.path.insert(0, str(source.resolve()))
    catalog.register(name, package)
    return name


def read_entry_points(project: Path) -> dict[str, str]:
    """Return the package of each game that a project file names; empty if it names none.

    Raise SetupError if the file does not exist or cannot be read.
    """
    try:
        points = tomllib.loads(read_text(project))["project"]["entry-points"][catalog.GROUP]
    except FileNotFoundError:
        raise SetupError(f"{project.parent} is not a plug-in package: it has no pyproject.toml.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"{project} cannot be read: {error}.") from None
    except (KeyError, TypeError):
        return {}
    return {str(name): str(package) for name, package in points.items()}
