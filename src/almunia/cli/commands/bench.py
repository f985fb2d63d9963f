"""Measure how fast games run on this machine.

Each figure is the median of several repeats on one core, shown with the project's target.
If Catanatron is installed (pip install catanatron), its random bots are measured in the same run.

'almunia bench search' measures the search instead: simulations per second, with the game's own
settings and with full random playouts, and how well it keeps to a budget in seconds. If OpenSpiel
is installed (pip install open_spiel), its own searches in C++ are measured in the same run, for the ratio.

'almunia bench batch' measures batches of games for learners, with legal actions and observations written at
each decision, and the environments of Gymnasium, PettingZoo and OpenSpiel, if those are installed.

'almunia bench envs' compares every environment with its peers, by turns in one run: PettingZoo's own games,
OpenSpiel's in C++ and in Python, RLCard, Catanatron, and Pgx on the CPU. It names the peers that are not
installed: pip install 'almunia[peers]'.

'almunia bench gpu' measures graphics processors: full random games and batches on a device, compared with one core,
and the resources of a device that each thread of a kernel uses. Without a device it reports the latter only. It needs
numba-cuda.

'almunia bench site' measures how much load a site can take: it starts a site, with visitors who play at
many tables and watch them. It needs two cores, and takes some minutes per game.
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
from ...catalog import package_of, packages
from ...errors import MissingExtra, SetupError
from .. import Exit
from ..options import Progress, add_json, positive_int_arg, print_json

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
# The first word may be one of these instead of a game. No game can have such a name.
SEARCH, BATCH, ENVS, GPU, SITE = SUBJECTS = ("search", "batch", "envs", "gpu", "site")
RULE_FIGURES = 16  # for each game, about; for the progress bar
SEARCH_FIGURES = 15
BATCH_FIGURES = 16
GPU_FIGURES = 17
SITE_FIGURES = 15
FIGURE_COUNTS = {SEARCH: SEARCH_FIGURES, BATCH: BATCH_FIGURES, GPU: GPU_FIGURES, SITE: SITE_FIGURES}
DEFAULT_REPEATS = 5
SITE_OPTIONS = ("tables", "streams", "rate", "seconds", "bot", "processes", "database")  # options of 'site'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the games, the number of repeats, and the options of 'site'."""
    parser.usage = f"%(prog)s [{' | '.join(SUBJECTS)}] [GAME ...] [-h] [--repeats N] [--json] [options of 'site']"
    parser.add_argument(
        "games",
        nargs="*",
        metavar="GAME",
        help="names of games (default: all); put 'search', 'batch', 'envs', 'gpu' or 'site' first to measure those",
    )
    parser.add_argument("--repeats", type=positive_int_arg, metavar="N", help="repeats of each figure (default: 5)")
    add_json(parser)
    site = parser.add_argument_group("options of 'site'")
    site.add_argument("--tables", type=positive_int_arg, metavar="N", help="open tables (default: 400)")
    site.add_argument(
        "--streams", type=positive_int_arg, metavar="N", help="pages that watch the tables (default: 1000)"
    )
    site.add_argument("--rate", type=positive_int_arg, metavar="N", help="attempted actions per second (default: 100)")
    site.add_argument("--seconds", type=positive_int_arg, metavar="N", help="duration in seconds (default: 60)")
    site.add_argument("--bot", metavar="LEVEL", help="a bot in the second seat of every table")
    site.add_argument(
        "--processes", type=positive_int_arg, metavar="N", help="processes that serve the site (default: 1)"
    )
    site.add_argument(
        "--database",
        metavar="URL",
        help="a PostgreSQL database, which keeps the tables (default: a temporary SQLite file)",
    )


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    subject = args.games[0] if args.games and args.games[0] in SUBJECTS else ""
    names = args.games[bool(subject) :] or sorted(packages())
    for name in names:
        package_of(name)  # fails on a wrong name before the work starts
    misplaced = ("repeats",) if subject == SITE else SITE_OPTIONS
    if wrong := [name for name in misplaced if getattr(args, name) is not None]:
        raise SetupError(f"--{wrong[0]} is {'not for' if subject == SITE else 'only for'} 'almunia bench site'.")
    if subject == ENVS:
        return run_envs(names, args)
    figures_by_name: dict[str, list[Figure]] = defaultdict(list)
    with Progress("Measuring", FIGURE_COUNTS.get(subject, RULE_FIGURES) * len(names)) as progress:
        figures = (
            site_figures(names, args) if subject == SITE else MEASURES[subject](names, args.repeats or DEFAULT_REPEATS)
        )
        for done, (name, figure) in enumerate(figures, 1):
            figures_by_name[name].append(figure)
            progress(done, figure.what)
    print_figures(figures_by_name, args.json, device_facts() if subject == GPU else {})
    return Exit.OK


def run_envs(names: list[str], args: argparse.Namespace) -> int:
    """Measure the environments and their peers, and print."""
    from ...arena.bench import adapters, envs, peers

    entries = [*(entry for name in names for entry in adapters.entries(name)), *peers.entries()]
    repeats = args.repeats or DEFAULT_REPEATS
    with Progress("Measuring", len(entries) * (repeats + 1)) as progress:
        report = envs.measure(entries, repeats, progress)
    if args.json:
        print_figures(report.figures, True, {}, packages=report.packages, missing=report.missing)
        return Exit.OK
    print_figures(report.figures, False, {})
    print("\nwith " + ", ".join(f"{name} {version}" for name, version in report.packages.items()))
    for sentence in report.missing:
        print(f"left out: {sentence}")
    return Exit.OK


def print_figures(figures: dict[str, list["Figure"]], as_json: bool, device: dict[str, str], **more: Any) -> None:
    """Print the machine, its device if one is measured, and the figures under their headings."""
    machine = machine_facts() | device
    if as_json:
        print_json(
            {"machine": machine, **more, "figures": {name: [*map(figure_data, figures[name])] for name in figures}}
        )
        return
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    for name, measured in figures.items():
        print(f"\n{name}\n" + "\n".join(format_figure(figure) for figure in measured))


def rule_figures(names: list[str], repeats: int) -> Iterator[tuple[str, "Figure"]]:
    """Yield the speed of the rules: game and figure."""
    from ...arena.bench.games import measure

    for name in names:
        for figure in measure(name, repeats):
            yield name, figure


def search_figures(names: list[str], repeats: int) -> Iterator[tuple[str, "Figure"]]:
    """Yield the speed of the search, and how well it keeps to its time: game and figure."""
    from ...arena.bench.openspiel import peers
    from ...arena.bench.search import measure

    openspiel_searches = peers()
    for name in names:
        for figure in measure(name, repeats, openspiel_searches):
            yield name, figure


def batch_figures(names: list[str], repeats: int) -> Iterator[tuple[str, "Figure"]]:
    """Yield the speed of batches: game and figure."""
    from ...arena.bench.batches import measure

    for name in names:
        for figure in measure(name, repeats):
            yield name, figure


def device_figures(names: list[str], repeats: int) -> Iterator[tuple[str, "Figure"]]:
    """Yield the speed on a graphics processor: game and figure."""
    from ...arena.bench.devices import measure

    for name in names:
        for figure in measure(name, repeats):
            yield name, figure


def device_facts() -> dict[str, str]:
    """Return the name of the graphics processor that is measured."""
    from ...arena.bench.devices import NO_DEVICE, device, is_there

    return {"graphics processor": device() if is_there() else NO_DEVICE}


MEASURES = {"": rule_figures, SEARCH: search_figures, BATCH: batch_figures, GPU: device_figures}


def site_figures(names: list[str], args: argparse.Namespace) -> Iterator[tuple[str, "Figure"]]:
    """Yield the load that a site can take: game and figure. Raise SetupError for an unknown bot."""
    try:
        from ...arena.bench.site import Load, measure
    except ModuleNotFoundError as error:
        raise MissingExtra.named("A site needs", error.name, "web") from None
    if args.bot and args.bot not in LEVELS:
        raise SetupError(f"--bot takes a level, {', '.join(LEVELS)}, not {args.bot!r}.")
    load = Load(**{name: value for name in SITE_OPTIONS if (value := getattr(args, name)) is not None})
    for name in names:
        for figure in measure(name, load):
            yield name, figure


def figure_data(figure: "Figure") -> dict[str, Any]:
    """Return a figure as data for JSON."""
    return {
        "what": figure.what,
        "value": figure.value,
        "unit": figure.unit,
        "goal": figure.goal,
        "higher_is_better": figure.higher_is_better,
        "reached": figure.reached,
        "runs": figure.runs,
    }


def format_figure(figure: "Figure") -> str:
    """Return a figure as a line of the table."""
    goal = ""
    if figure.goal is not None:
        sign = "at least" if figure.higher_is_better else "at most"
        goal = f"{sign} {format_number(figure.goal)}{'' if figure.reached else ': not met'}"
    return f"  {figure.what:<58}{format_number(figure.value):>11} {figure.unit:<14}{goal}".rstrip()


def format_number(value: float) -> str:
    """Format a number with three significant digits, or as whole thousands."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def machine_facts() -> dict[str, str]:
    """Return the date, the processor and the versions that the figures depend on."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor_name(),
        "Python": platform.python_version(),
        "NumPy": metadata.version("numpy"),
        "Numba": metadata.version("numba"),
    }


def processor_name() -> str:
    """Return the processor's name, as far as the system reports it."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for row in info.read_text("utf-8").splitlines():
            name, _, value = row.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
