"""Measure how fast games run on this machine.

Each figure is the median of several repeats on one core, shown with the project's target: random plays in machine code
and from Python, single operations, and the time of a first use.

The folder 'benchmarks' of the source code has programs that measure more: the search, batches for learners,
environments and their peers, graphics processors, and the load that a site can take.
"""

import argparse
import platform
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...catalog import game_packages, package_of
from .. import Exit
from ..options import Progress, add_json, positive_int_arg, print_json

if TYPE_CHECKING:
    from ...arena.bench import Figure

EXAMPLES = ("almunia bench", "almunia bench orchard --repeats 9 --json")
FIGURES_PER_GAME = 15  # approximate; for the progress bar
DEFAULT_REPEATS = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the games and the number of repeats, and `--json`."""
    parser.add_argument("games", nargs="*", metavar="GAME", help="names of games (default: all)")
    parser.add_argument(
        "--repeats",
        type=positive_int_arg,
        default=DEFAULT_REPEATS,
        metavar="N",
        help="repeats of each figure (default: 5)",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Measure the games, print the figures, and return the exit code."""
    from ...arena.bench import measure

    names = selected_games(args.games)
    measured = ((name, figure) for name in names for figure in measure(name, args.repeats))
    print_figures(collect(measured, FIGURES_PER_GAME * len(names)), args.json)
    return Exit.OK


def selected_games(names: Sequence[str]) -> list[str]:
    """Return these games, or all if none is named. Raise SetupError if there is no such game."""
    for name in names:
        package_of(name)
    return list(names) or sorted(game_packages())


def collect(measured: Iterable[tuple[str, "Figure"]], total: int) -> dict[str, list["Figure"]]:
    """Return the figures by game, and show a progress bar meanwhile. `total` is their approximate number."""
    figures: dict[str, list[Figure]] = defaultdict(list)
    with Progress("Measuring", total) as progress:
        for done, (name, figure) in enumerate(measured, 1):
            figures[name].append(figure)
            progress(done, figure.what)
    return figures


def print_figures(
    figures: Mapping[str, Sequence["Figure"]], as_json: bool, device: Mapping[str, str] | None = None, **more: Any
) -> None:
    """Print facts about the machine, and the figures under their headings.

    Args:
        figures: by heading, such as the name of a game.
        as_json: print JSON, with `more` in it.
        device: facts about the graphics processor.
        more: further data for JSON.
    """
    machine = machine_facts() | dict(device or {})
    if as_json:
        data = {name: [figure_data(figure) for figure in row] for name, row in figures.items()}
        print_json({"machine": machine, **more, "figures": data})
        return
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    for name, row in figures.items():
        print(f"\n{name}\n" + "\n".join(format_figure(figure) for figure in row))


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
    """Return a number with three significant digits, or without decimals from 1000 on."""
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
