"""Read and write docs/results.md by sections, each of which is measured on its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from almunia.cli.commands.bench import machine_facts
from tools.builtin_games import builtin_games

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
PARTS = (
    *("Speed", "Batches", "Environments", "Search", "Analysis", "Site", "Processes", "Kills"),
    *("Table", "Play", "Styles", "Observations", "Learning", "Tests", "Ratings"),
    *(f"Ladder: {meta.name}" for meta in builtin_games()),
)
HEAD = """\
# Benchmarks

Absolute figures hold for one machine on one day; ratios are more portable. Each section has its date and its machine.
`make results` and `make ladder` repeat the measurements.
"""
WHERE = """\
## {part}

- **Date:** {date}
- **Machine:** {processor}, {cores} cores{use}
- **Software:** Python {Python}, NumPy {NumPy}, Numba {Numba}

"""


def write(part: str, text: str, use: str = "") -> None:
    """Replace a section of the page, with the date and the machine."""
    parts = read() | {
        part: WHERE.format(part=part, cores=os.cpu_count(), use=use, **machine_facts()) + text.strip() + "\n"
    }
    PAGE.write_text("\n".join([HEAD, *(parts[name] for name in PARTS if name in parts)]), "utf-8")
    print(f"{part} is written into {PAGE.name}.", file=sys.stderr)


def read() -> dict[str, str]:
    """Return the sections of the page by name."""
    sections, rest = {}, PAGE.read_text("utf-8")
    for name in reversed(PARTS):
        rest, title, text = rest.partition(f"## {name}\n")
        if title:
            sections[name] = title + text.rstrip() + "\n"
    return sections


def almunia(*words: str) -> Any:
    """Run the command and return its JSON output. Exit if it fails."""
    return read_json("almunia", *words)


def read_json(module: str, *words: str) -> Any:
    """Run a module and return its JSON output. Exit if it fails."""
    command = [sys.executable, "-m", module, *words]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
    if result.returncode:
        sys.exit(f"python -m {module} {' '.join(words)}: no result")
    return json.loads(result.stdout)
