"""Writes docs/results.md: measures this machine with `almunia bench` and plays the baselines, some minutes.

The ladder of the bots at the end of the page stays as it is; tools/ladder.py plays that.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from almunia.cli.verbs.bench import number

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
LADDER = "## The ladder\n"  # where the part begins that tools/ladder.py writes
BENCH = ("bench", "--repeats", "3", "--json")
SEARCH = ("bench", "search", "--repeats", "3", "--json")
ALONE = [("orchard", "1", "20000", (bot,)) for bot in ("random", "greedy")]
AGAINST = [(name, "2", "1000", ("greedy", "random")) for name in ("alhambra", "oregon", "alpujarras")]
RATIO = ("random plays, native", "random plays, stepped from Python")
PEER = "beside it: Catanatron, random bots, Catan for two"
HEAD = """\
# Measured

Absolute figures hold for one machine on one day; ratios travel better. This page is made by `make results`.

- **Date:** {date}
- **Machine:** {processor}, {cores} cores, of which one is used; load average {load:.1f} while measuring
- **Software:** Python {Python}, NumPy {NumPy}, Numba {Numba}

"""


def almunia(*words: str) -> Any:
    """What the command answers, as JSON."""
    command = [sys.executable, "-m", "almunia", *words]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603


def page() -> str:
    """Measure, and describe what was found."""
    report = almunia(*BENCH)
    parts = [HEAD.format(cores=os.cpu_count(), load=os.getloadavg()[1], **report["machine"])]
    for name, figures in report["figures"].items():
        parts += table(f"Speed: {name}", BENCH, figures)
        parts += ratios(figures)
    for name, figures in almunia(*SEARCH)["figures"].items():
        parts += table(f"Search: {name}", SEARCH, figures)
    parts.append("## Play\n\nOf Orchard, the rule sheet's companion data give 5.1 and 39.6.\n")
    parts.append("| command | seat | mean | sd | least | most | wins |\n| --- | --- | --- | --- | --- | --- | --- |")
    for name, seats, plays, bots in [*ALONE, *AGAINST]:
        parts += baseline(name, seats, plays, bots)
    return "\n".join(parts) + "\n"


def table(title: str, command: tuple[str, ...], figures: list[dict[str, Any]]) -> list[str]:
    """Figures with what measured them."""
    words = " ".join(command)
    about = f"## {title}\n\n`almunia {words}`; medians, with the least and the most in brackets.\n"
    return [about, "| what | measured | goal |\n| --- | --- | --- |", *map(row, figures), ""]


def baseline(name: str, seats: str, plays: str, bots: tuple[str, ...]) -> list[str]:
    """How bots do, as a row of the table for each seat."""
    words = ["simulate", name, "--seats", seats, "--plays", plays, *(word for bot in bots for word in ("--bot", bot))]
    return [
        f"| `almunia {' '.join(words)}` | {seat['bot']} | {seat['mean']:.2f} | {seat['sd']:.2f} "
        f"| {seat['least']} | {seat['most']} | {seat['wins'] / int(plays):.1%} |"
        for seat in almunia(*words, "--json")["seats"]
    ]


def row(figure: dict[str, Any]) -> str:
    """One figure as a row of the table."""
    spread = f"({number(min(figure['runs']))} to {number(max(figure['runs']))})" if len(figure["runs"]) > 1 else ""
    goal = ""
    if figure["goal"] is not None:
        sign = "at least" if figure["more_is_better"] else "at most"
        goal = f"{sign} {number(figure['goal'])} {'reached' if figure['reached'] else '**missed**'}"
    return f"| {figure['what']} | {number(figure['value'])} {figure['unit']} {spread} | {goal} |"


def ratios(figures: list[dict[str, Any]]) -> list[str]:
    """How many times as fast as the peer measured in the same run."""
    values = {figure["what"]: figure["value"] for figure in figures}
    if PEER not in values:
        return []
    times = " and ".join(f"{values[what] / values[PEER]:.1f} times ({what})" for what in RATIO)
    return [f"Beside Catanatron in the same run: {times} as many decisions a second. The games differ.\n"]


if __name__ == "__main__":
    _, _, ladder = PAGE.read_text("utf-8").partition(LADDER)
    PAGE.write_text(page() + "\n" * bool(ladder) + LADDER * bool(ladder) + ladder, "utf-8")
    print(f"{PAGE.name} is written.", file=sys.stderr)
