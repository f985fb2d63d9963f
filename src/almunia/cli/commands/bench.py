"""Measure how fast games run on this machine.

The figures are medians of several repeats on one core; the cold start is measured once. They cover random plays in
machine code and from Python, single operations, and the time of a first use. Most are shown with the project's target.

The folder 'benchmarks' of the source code has programs that measure more: the search, batches for learners,
environments and their peers, graphics processors, and the load that a site can take.
"""

import argparse
import platform
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...catalog import game_packages, package_of
from .. import Exit
from ..arguments import add_json, positive_int_arg, print_result, progress_bar

if TYPE_CHECKING:
    from ...arena.bench import Figure

EXAMPLES = ("almunia bench", "almunia bench orchard --repeats 9 --json")
FIGURES_PER_GAME = 15  # approximate; for the progress bar
DEFAULT_REPEATS = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
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
    from ...arena.bench import measure

    names = selected_games(args.games)
    measured = ((name, figure) for name in names for figure in measure(name, args.repeats))
    print_figures(args, collect(measured, FIGURES_PER_GAME * len(names)))
    return Exit.OK


def selected_games(names: Sequence[str]) -> list[str]:
    """Return `names`, or the names of all games if `names` is empty. Raise SetupError for an unknown game."""
    for name in names:
        package_of(name)
    return list(names) or sorted(game_packages())


def collect(measured: Iterable[tuple[str, "Figure"]], total: int) -> dict[str, list["Figure"]]:
    """Return the figures by game, and show a progress bar meanwhile. `total` is their approximate number."""
    figures: dict[str, list[Figure]] = defaultdict(list)
    with progress_bar("Measuring", total) as progress:
        for done, (name, figure) in enumerate(measured, 1):
            figures[name].append(figure)
            progress(done, figure.what)
    return figures


def print_figures(
    args: argparse.Namespace,
    figures: Mapping[str, Sequence["Figure"]],
    device: Mapping[str, str] | None = None,
    **more: Any,
) -> None:
    """Print facts about the machine, and the figures under their headings, as text or JSON.

    Args:
        args: the arguments, with `json`.
        figures: by heading, such as the name of a game.
        device: facts about the graphics processor.
        more: further data for JSON.
    """
    machine = machine_facts() | dict(device or {})
    data = {name: [figure_data(figure) for figure in row] for name, row in figures.items()}
    lines = [", ".join(f"{key} {value}" for key, value in machine.items())]
    for name, row in figures.items():
        lines += [f"\n{name}", *map(format_figure, row)]
    print_result(args, {"machine": machine, **more, "figures": data}, lines)


def figure_data(figure: "Figure") -> dict[str, Any]:
    return {**asdict(figure), "value": figure.value, "reached": figure.reached}


def format_figure(figure: "Figure") -> str:
    goal = ""
    if figure.goal is not None:
        sign = "at least" if figure.higher_is_better else "at most"
        goal = f"{sign} {format_number(figure.goal)}{'' if figure.reached else ': not met'}"
    return f"  {figure.what:<58}{format_number(figure.value):>11} {figure.unit:<14}{goal}".rstrip()


def format_number(value: float) -> str:
    """Return a number with three significant digits, or without decimals from 1000 on."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def machine_facts() -> dict[str, str]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor_name(),
        "Python": platform.python_version(),
        "NumPy": metadata.version("numpy"),
        "Numba": metadata.version("numba"),
    }


def processor_name() -> str:
    info = Path("/proc/cpuinfo")
    found = re.search(r"(?m)^model name\s*: (.+)$", info.read_text("utf-8")) if info.is_file() else None
    return found[1].strip() if found else platform.processor() or platform.machine()
