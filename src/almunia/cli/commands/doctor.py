"""Say what is installed, what is missing and how to get it, and whether everything works.

The exit code is 1 if the base, the compiled rules, does not work.
"""

import argparse
import platform
import re
import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any

from ... import __version__
from ...core.registry import packages as games
from ...core.words import count_of
from ...errors import AlmuniaError, MissingExtra, SetupError
from .. import Exit
from ..options import add_json, print_json

EXAMPLES = (
    "almunia doctor",
    "almunia doctor --replay-all --data tables",
    "almunia doctor --reports --data tables",
    "almunia doctor --ratings --data tables",
)
TIMES = ("said", "reported", "resolved")  # of a report
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:[^;]*;.*extra\s*==\s*['\"](\w+)['\"])?")
EXTRAS = {
    "": "the base: rules, plays, simulations",
    "cli": "pictures, colours and progress bars",
    "web": "the site",
    "postgres": "a site whose tables are in PostgreSQL",
    "arena": "matches, ratings, tuning, plots, Parquet",
    "ray": "matches on a Ray cluster",
    "gpu": "rules on a graphics processor",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to look at, and the form."""
    parser.add_argument(
        "--replay-all",
        action="store_true",
        help="replay all tables of a site under the rules installed here, before it is upgraded to them",
    )
    parser.add_argument("--reports", action="store_true", help="list the messages that guests of a site have reported")
    parser.add_argument(
        "--ratings",
        action="store_true",
        help="compute all ratings of a site again from its rated games; writes those that differ",
    )
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        help="with --replay-all, --reports or --ratings: the site's folder (default: as for serve)",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Look, try, and report."""
    if args.replay_all:
        return replay_all(args)
    if args.reports:
        return reports(args)
    if args.ratings:
        return ratings(args)
    if args.data:
        raise SetupError("--data goes with --replay-all, --reports or --ratings.")
    report: dict[str, Any] = {
        "almunia": __version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "platform": platform.platform(),
        "packages": packages(),
        "folders": folders(),
        "works": {
            "compiled rules": outcome(try_compiled),
            "CUDA build": outcome(try_cuda),
            "settings of the site": outcome(try_settings),
        },
    }
    if args.json:
        print_json(report)
    else:
        print("\n".join(lines(report)))
    return Exit.OK if report["works"]["compiled rules"]["ok"] else Exit.FAILED


def replay_all(args: argparse.Namespace) -> int:
    """Say which tables of a site could not be continued under the rules that are installed."""
    try:
        from ...server.operations import upgrades
        from ...server.settings import Settings
    except ModuleNotFoundError as error:
        raise MissingExtra.named("Tables need", error.name, "web") from None
    found = list(upgrades.replay_all(Settings.from_environment(args.data)))
    troubled = [one for one in found if one.trouble]
    rows = [
        {"table": one.table.id, "game": one.table.game, "status": one.table.status, "trouble": one.trouble}
        for one in troubled
    ]
    if args.json:
        print_json({"tables": len(found), "same": len(found) - len(troubled), "other": rows})
    else:
        print(f"{count_of(len(found) - len(troubled), 'table')} of {len(found)} can be continued as they are.")
        for row in rows:
            print(f"{row['table']} ({row['game']}, {row['status']}): {row['trouble']}")
    return Exit.FAILED if any(row["status"] == "running" for row in rows) else Exit.OK


def reports(args: argparse.Namespace) -> int:
    """List what guests of a site have reported, the latest first."""
    try:
        from ...server.operations import upgrades
        from ...server.play.clocks import utc
        from ...server.settings import Settings
    except ModuleNotFoundError as error:
        raise MissingExtra.named("Tables need", error.name, "web") from None
    found = upgrades.reports(Settings.from_environment(args.data))
    if args.json:
        when = [{name: utc(at) for name in TIMES if (at := getattr(one, name))} for one in found]
        print_json({"reports": [{**one._asdict(), **dates} for one, dates in zip(found, when, strict=True)]})
        return Exit.OK
    print(f"{count_of(len(found), 'message')} reported.")
    for one in found:
        place = "the lobby" if one.room == "lobby" else f"table {one.room}"
        done = " [resolved]" if one.resolved else ""
        print(f"{utc(one.reported)}, at {place}: {one.name} ({one.author}) said: {one.words}{done}")
    return Exit.OK


def ratings(args: argparse.Namespace) -> int:
    """Compute the ratings of a site again, and say how many were others."""
    try:
        from ...server.operations import upgrades
        from ...server.settings import Settings
    except ModuleNotFoundError as error:
        raise MissingExtra.named("Ratings need", error.name, "web") from None
    games, changed = upgrades.ratings(Settings.from_environment(args.data))
    if args.json:
        print_json({"games": games, "changed": changed})
    else:
        print(f"{count_of(games, 'rated game')}, {count_of(changed, 'rating')} changed.")
    return Exit.OK


def packages() -> dict[str, dict[str, str | None]]:
    """The version of every package of every extra for users; None where it is missing."""
    found: dict[str, dict[str, str | None]] = {extra: {} for extra in EXTRAS}
    for requirement in metadata.requires("almunia") or ():
        matched = REQUIREMENT.match(requirement)
        name, extra = matched.groups() if matched else ("", None)
        if (extra or "") in found and name != "almunia":
            found[extra or ""][name] = version(name)
    return found


def version(name: str) -> str | None:
    """The installed version of a package."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def folders() -> dict[str, str]:
    """Where things are kept."""
    import os

    from ...core.compiled import cache_root
    from ...core.component_data import FOLDER

    return {
        "machine code": str(cache_root()),
        "component tables": os.environ.get(FOLDER, "") or "those of the games",
    }


def outcome(attempt: Callable[[], str]) -> dict[str, Any]:
    """What came of trying something: whether it worked, and a sentence."""
    try:
        return {"ok": True, "words": attempt()}
    except AlmuniaError as error:
        return {"ok": False, "words": str(error)}
    except Exception as error:  # noqa: BLE001  (whatever is broken here is what we are asked to find)
        return {"ok": False, "words": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}


def try_settings() -> str:
    """Read the settings of the site."""
    try:
        from ...server.settings import Settings
    except ModuleNotFoundError as error:
        raise MissingExtra.named("The site needs", error.name, "web") from None
    settings = Settings.from_environment()
    settings.check()
    return f"its tables are in {settings.place}"


def try_compiled() -> str:
    """Play a game in the compiled build."""
    from ...core.game import game

    name = min(games())
    play = game(name).new(seed=0)
    play.apply(play.legal[0])
    return f"{name} plays in machine code"


def try_cuda() -> str:
    """Translate a game's legal actions for a graphics processor, and look for one."""
    from ...core import gpu
    from ...core.game import game

    name = min(games())
    gpu.ptx(game(name), "legal")
    found = gpu.needed().is_available()
    return f"{name} compiles" + ("" if found else "; there is no graphics processor here to run it")


def lines(report: dict[str, Any]) -> list[str]:
    """The report for people."""
    out = [f"Almunia {report['almunia']}, Python {report['python']}, {report['platform']}"]
    for extra, found in report["packages"].items():
        missing = [name for name, installed in found.items() if installed is None]
        out.append(f"\n{EXTRAS[extra][0].upper()}{EXTRAS[extra][1:]}{f' [{extra}]' if extra else ''}")
        out += [f"  {name} {installed or 'is missing'}" for name, installed in found.items()]
        if missing:
            out.append(f"  To get it: pip install 'almunia{f'[{extra}]' if extra else ''}'")
    out.append("\nFolders")
    out += [f"  {what}: {where}" for what, where in report["folders"].items()]
    out.append("\nWorks")
    for what, tried in report["works"].items():
        out.append(f"  {what}: {'yes' if tried['ok'] else 'no'}, {tried['words']}")
    return out
