"""Report what is installed, what is missing and how to get it, and whether everything works.

With --replay-all, --reports or --ratings, the command instead replays the tables of a site, lists the reported
messages, or computes the ratings again. The exit code is 1 if the compiled rules do not work. With --replay-all, the
exit code is 1 if a running table cannot be continued.
"""

import argparse
import os
import platform
import re
import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any

from ... import __version__
from ...batch import cuda
from ...catalog import game_packages
from ...core.english import pluralize
from ...errors import AlmuniaError, SetupError, needs_extra
from ...library import game
from .. import Exit
from ..arguments import add_json, print_result

EXAMPLES = (
    "almunia doctor",
    "almunia doctor --replay-all --data tables",
    "almunia doctor --reports --data tables",
    "almunia doctor --ratings --data tables",
)
TIME_FIELDS = ("sent_at", "reported_at", "resolved_at")  # of a report, in seconds since the epoch
REQUIREMENT_PATTERN = re.compile(r"([A-Za-z0-9._-]+)(?:[^;]*;.*extra\s*==\s*['\"](\w+)['\"])?")
EXTRAS = {
    "": "the base: rules, plays, simulations",
    "cli": "pictures, colours and progress bars",
    "components": "corrected component tables",
    "web": "the site",
    "postgres": "a site whose tables are in PostgreSQL",
    "client": "programs that play at the tables of a site",
    "arena": "matches, ratings, tuning, plots, Parquet",
    "ray": "matches on a Ray cluster",
    "images": "positions as pixels",
    "gymnasium": "environments of Gymnasium",
    "pettingzoo": "environments of PettingZoo",
    "openspiel": "games in OpenSpiel",
    "minari": "traces as data sets of Minari",
    "mcp": "tools for language models",
    "learn": "networks that learn",
    "gpu": "rules on a graphics processor",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    task = parser.add_mutually_exclusive_group()
    task.add_argument(
        "--replay-all",
        action="store_true",
        help="replay all tables of a site under the rules installed here, before it is upgraded to them",
    )
    task.add_argument("--reports", action="store_true", help="list the messages that guests of a site have reported")
    task.add_argument(
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
    if args.replay_all:
        return replay_all(args)
    if args.reports:
        return list_reports(args)
    if args.ratings:
        return recompute_ratings(args)
    if args.data:
        raise SetupError("--data goes with --replay-all, --reports or --ratings.")
    from ...core.component_data import ENV_VAR
    from ...engine.numba import cache_root

    report: dict[str, Any] = {
        "almunia": __version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "platform": platform.platform(),
        "packages": package_versions(),
        "folders": {
            "machine code": str(cache_root()),
            "component tables": os.environ.get(ENV_VAR, "") or "those of the games",
        },
        "works": {
            "compiled rules": run_probe(probe_compiled),
            "CUDA build": run_probe(probe_cuda),
            "settings of the site": run_probe(probe_settings),
        },
    }
    print_result(args, report, format_report(report))
    return Exit.OK if report["works"]["compiled rules"]["ok"] else Exit.FAILED


def replay_all(args: argparse.Namespace) -> int:
    """Replay a site's tables under the installed rules, and print those that cannot continue.

    Return 1 if one of these tables is running, else 0.
    """
    with needs_extra("Tables need", "web"):
        from ...server.admin import doctor
        from ...server.settings import Settings
    results = list(doctor.replay_all(Settings.from_environment(args.data)))
    changed = [result for result in results if result.error]
    rows = [
        {"table": result.table.id, "game": result.table.game, "status": result.table.status, "trouble": result.error}
        for result in changed
    ]
    same = len(results) - len(changed)
    lines = [f"{pluralize(same, 'table')} of {len(results)} can be continued as they are."]
    lines += [f"{row['table']} ({row['game']}, {row['status']}): {row['trouble']}" for row in rows]
    print_result(args, {"tables": len(results), "same": same, "other": rows}, lines)
    return Exit.FAILED if any(row["status"] == "running" for row in rows) else Exit.OK


def list_reports(args: argparse.Namespace) -> int:
    with needs_extra("Tables need", "web"):
        from ...server.admin import doctor
        from ...server.settings import Settings
        from ...server.tables.clocks import format_utc
    reports = doctor.read_reported_messages(Settings.from_environment(args.data))
    data: list[dict[str, Any]] = []
    lines = [f"{pluralize(len(reports), 'message')} reported."]
    for report in reports:
        times = {name: format_utc(at) for name in TIME_FIELDS if (at := getattr(report, name))}
        data.append(report._asdict() | times)
        place = "the lobby" if report.room == "lobby" else f"table {report.room}"
        done = " [resolved]" if report.resolved_at else ""
        lines.append(
            f"{format_utc(report.reported_at)}, at {place}: {report.name} ({report.author}) said: {report.text}{done}"
        )
    print_result(args, {"reports": data}, lines)
    return Exit.OK


def recompute_ratings(args: argparse.Namespace) -> int:
    with needs_extra("Ratings need", "web"):
        from ...server.admin import doctor
        from ...server.settings import Settings
    games, changed = doctor.recompute_ratings(Settings.from_environment(args.data))
    line = f"{pluralize(games, 'rated game')}, {pluralize(changed, 'rating')} changed."
    print_result(args, {"games": games, "changed": changed}, [line])
    return Exit.OK


def package_versions() -> dict[str, dict[str, str | None]]:
    """Return the version of each package of each extra; None for a package that is not installed."""
    versions: dict[str, dict[str, str | None]] = {extra: {} for extra in EXTRAS}
    for requirement in metadata.requires("almunia") or ():
        match = REQUIREMENT_PATTERN.match(requirement)
        name, extra = match.groups() if match else ("", None)
        if (extra or "") in versions and name != "almunia":
            versions[extra or ""][name] = installed_version(name)
    return versions


def installed_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def run_probe(probe: Callable[[], str]) -> dict[str, Any]:
    """Run a probe. Return whether the probe worked (`ok`), and its phrase or its error (`words`)."""
    try:
        return {"ok": True, "words": probe()}
    except AlmuniaError as error:
        return {"ok": False, "words": str(error)}
    except Exception as error:  # noqa: BLE001 - any error is a result to report
        return {"ok": False, "words": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}


def probe_settings() -> str:
    with needs_extra("The site needs", "web"):
        from ...server.settings import Settings
    settings = Settings.from_environment()
    settings.check()
    return f"its tables are in {settings.display_database}"


def probe_compiled() -> str:
    name = min(game_packages())
    play = game(name).new(seed=0)
    play.apply(play.legal_actions[0])
    return f"{name} plays in machine code"


def probe_cuda() -> str:
    name = min(game_packages())
    cuda.ptx(game(name), "legal")
    has_device = cuda.require_cuda().is_available()
    return f"{name} compiles" + ("" if has_device else "; there is no graphics processor here to run it")


def format_report(report: dict[str, Any]) -> list[str]:
    out = [f"Almunia {report['almunia']}, Python {report['python']}, {report['platform']}"]
    for extra, versions in report["packages"].items():
        missing = [name for name, installed in versions.items() if installed is None]
        out.append(f"\n{EXTRAS[extra][0].upper()}{EXTRAS[extra][1:]}{f' [{extra}]' if extra else ''}")
        out += [f"  {name} {installed or 'is missing'}" for name, installed in versions.items()]
        if missing:
            out.append(f"  To get it: pip install 'almunia{f'[{extra}]' if extra else ''}'")
    out.append("\nFolders")
    out += [f"  {what}: {where}" for what, where in report["folders"].items()]
    out.append("\nWorks")
    for what, result in report["works"].items():
        out.append(f"  {what}: {'yes' if result['ok'] else 'no'}, {result['words']}")
    return out
