"""Measure how fast games run on this machine.

Each figure is the median of several repeats on one core, with the goal of the project beside it.
Where Catanatron is installed (pip install catanatron), its random bots run in the same run.

'almunia bench search' measures the search instead: its simulations a second, with the game's own
settings and with full random playouts, and how well it keeps to a budget in seconds. Where OpenSpiel
is installed (pip install open_spiel), its own searches in C++ run in the same run, for the ratio.

'almunia bench batch' measures games stepped side by side for learners, with legal actions and
observations written at each decision, and the environments of Gymnasium, PettingZoo and OpenSpiel, where
those are installed.

'almunia bench envs' measures every environment beside its peers, by turns in one run: PettingZoo's own games,
OpenSpiel's in C++ and in Python, RLCard, Catanatron, and Pgx on the CPU. It names what is not installed:
pip install 'almunia[peers]'.

'almunia bench gpu' measures graphics processors: whole random games and batches on a device, beside one core, and
what each thread of a kernel takes of one. Where there is no device it tells the latter alone. It needs numba-cuda.

'almunia bench site' measures how much a site bears: it opens one of its own, with visitors who play at
many tables and watch them. It needs two cores, and takes some minutes a game.
"""

import argparse
import platform
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...bots.levels import LEVELS
from ...core.registry import package_of, packages
from ...errors import MissingExtra, SetupError
from .. import Exit
from ..options import Progress, add_json, count, print_json

if TYPE_CHECKING:
    from ...arena.bench.games import Figure

EXAMPLES = (
    "almunia bench",
    "almunia bench orchard --repeats 9 --json",
    "almunia bench search",
    "almunia bench search orchard oregon",
    "almunia bench batch oregon",
    "almunia bench envs oregon",
    "almunia bench gpu",
    "almunia bench site orchard --rate 200 --seconds 30",
)
# What stands before the games to measure something else; no game can be called so.
SEARCH, BATCH, ENVS, GPU, SITE = SUBJECTS = ("search", "batch", "envs", "gpu", "site")
FIGURES = 16  # of one game, about; for the progress bar
SEARCH_FIGURES = 15  # the same, of one game's search
BATCH_FIGURES = 16  # of its batches and environments
GPU_FIGURES = 17  # of its kernels and on a device
SITE_FIGURES = 15  # and of a site
KINDS = {SEARCH: SEARCH_FIGURES, BATCH: BATCH_FIGURES, GPU: GPU_FIGURES, SITE: SITE_FIGURES}
REPEATS = 5
LOAD = ("tables", "streams", "rate", "seconds", "bot", "processes", "database")  # options of 'site'


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which games, and how often each figure is measured."""
    parser.usage = f"%(prog)s [{' | '.join(SUBJECTS)}] [GAME ...] [-h] [--repeats N] [--json] [options of 'site']"
    parser.add_argument(
        "games",
        nargs="*",
        metavar="GAME",
        help="names of games (default: all); before them, 'search', 'batch', 'envs', 'gpu' or 'site' to measure those",
    )
    parser.add_argument("--repeats", type=count, metavar="N", help="repeats of each figure (default: 5)")
    add_json(parser)
    site = parser.add_argument_group("options of 'site'")
    site.add_argument("--tables", type=count, metavar="N", help="tables that are open (default: 400)")
    site.add_argument("--streams", type=count, metavar="N", help="pages that watch them (default: 1000)")
    site.add_argument("--rate", type=count, metavar="N", help="acts a second that are tried (default: 100)")
    site.add_argument("--seconds", type=count, metavar="N", help="how long (default: 60)")
    site.add_argument("--bot", metavar="LEVEL", help="a bot in the second seat of every table")
    site.add_argument("--processes", type=count, metavar="N", help="processes that serve the site (default: 1)")
    site.add_argument(
        "--database", metavar="URL", help="a database in PostgreSQL, where its tables stay (default: SQLite, for now)"
    )


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    what = args.games[0] if args.games and args.games[0] in SUBJECTS else ""
    names = args.games[bool(what) :] or sorted(packages())
    for name in names:
        package_of(name)  # a wrong name should be heard of before the work
    foreign = ("repeats",) if what == SITE else LOAD
    if given := [name for name in foreign if getattr(args, name) is not None]:
        raise SetupError(f"--{given[0]} is {'not for' if what == SITE else 'only for'} 'almunia bench site'.")
    if what == ENVS:
        return run_envs(names, args)
    found: dict[str, list[Figure]] = defaultdict(list)
    with Progress("Measuring", KINDS.get(what, FIGURES) * len(names)) as progress:
        figures = of_site(names, args) if what == SITE else MEASURES[what](names, args.repeats or REPEATS)
        for done, (name, figure) in enumerate(figures, 1):
            found[name].append(figure)
            progress(done, figure.what)
    show(found, args.json, of_device() if what == GPU else {})
    return Exit.OK


def run_envs(names: list[str], args: argparse.Namespace) -> int:
    """Measure the environments beside their peers and print."""
    from ...arena.bench import adapters, envs, peers

    entries = [*(entry for name in names for entry in adapters.entries(name)), *peers.entries()]
    repeats = args.repeats or REPEATS
    with Progress("Measuring", len(entries) * (repeats + 1)) as progress:
        report = envs.measure(entries, repeats, progress)
    if args.json:
        show(report.figures, True, {}, packages=report.packages, missing=report.missing)
        return Exit.OK
    show(report.figures, False, {})
    print("\nwith " + ", ".join(f"{name} {version}" for name, version in report.packages.items()))
    for sentence in report.missing:
        print(f"left out: {sentence}")
    return Exit.OK


def show(found: dict[str, list["Figure"]], for_programs: bool, device: dict[str, str], **more: Any) -> None:
    """Print figures under what they belong to, with the machine and its device, if one is measured."""
    measured_on = machine() | device
    if for_programs:
        print_json({"machine": measured_on, **more, "figures": {name: [*map(facts, found[name])] for name in found}})
        return
    print(", ".join(f"{key} {value}" for key, value in measured_on.items()))
    for name, measured in found.items():
        print(f"\n{name}\n" + "\n".join(line(figure) for figure in measured))


def of_rules(names: list[str], repeats: int) -> Iterator[tuple[str, "Figure"]]:
    """How fast the games run, each figure with its game."""
    from ...arena.bench.games import measure

    for name in names:
        for figure in measure(name, repeats):
            yield name, figure


def of_search(names: list[str], repeats: int) -> Iterator[tuple[str, "Figure"]]:
    """How fast their search is and how well it keeps to its time, each figure with its game."""
    from ...arena.bench.openspiel import peers
    from ...arena.bench.search import measure

    beside = peers()
    for name in names:
        for figure in measure(name, repeats, beside):
            yield name, figure


def of_batches(names: list[str], repeats: int) -> Iterator[tuple[str, "Figure"]]:
    """How fast their batches are, each figure with its game."""
    from ...arena.bench.batches import measure

    for name in names:
        for figure in measure(name, repeats):
            yield name, figure


def of_devices(names: list[str], repeats: int) -> Iterator[tuple[str, "Figure"]]:
    """How fast they are on a graphics processor, each figure with its game."""
    from ...arena.bench.devices import measure

    for name in names:
        for figure in measure(name, repeats):
            yield name, figure


def of_device() -> dict[str, str]:
    """The graphics processor that is measured."""
    from ...arena.bench.devices import NO_DEVICE, device, is_there

    return {"graphics processor": device() if is_there() else NO_DEVICE}


MEASURES = {"": of_rules, SEARCH: of_search, BATCH: of_batches, GPU: of_devices}


def of_site(names: list[str], args: argparse.Namespace) -> Iterator[tuple[str, "Figure"]]:
    """How much a site bears where they are played, each figure with its game."""
    try:
        from ...arena.bench.site import Load, measure
    except ModuleNotFoundError as error:
        raise MissingExtra.named("A site needs", error.name, "web") from None
    if args.bot and args.bot not in LEVELS:
        raise SetupError(f"--bot takes a level, {', '.join(LEVELS)}, not {args.bot!r}.")
    load = Load(**{name: value for name in LOAD if (value := getattr(args, name)) is not None})
    for name in names:
        for figure in measure(name, load):
            yield name, figure


def facts(figure: "Figure") -> dict[str, Any]:
    """A figure for programs."""
    return {
        "what": figure.what,
        "value": figure.value,
        "unit": figure.unit,
        "goal": figure.goal,
        "higher_is_better": figure.higher_is_better,
        "reached": figure.reached,
        "runs": figure.runs,
    }


def line(figure: "Figure") -> str:
    """A figure for people."""
    goal = ""
    if figure.goal is not None:
        sign = "at least" if figure.higher_is_better else "at most"
        goal = f"{sign} {number(figure.goal)}{'' if figure.reached else ': not met'}"
    return f"  {figure.what:<58}{number(figure.value):>11} {figure.unit:<14}{goal}".rstrip()


def number(value: float) -> str:
    """Three figures that count, or whole thousands."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor(),
        "Python": platform.python_version(),
        "NumPy": metadata.version("numpy"),
        "Numba": metadata.version("numba"),
    }


def processor() -> str:
    """The name of the processor, as well as the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for row in info.read_text("utf-8").splitlines():
            name, _, value = row.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
