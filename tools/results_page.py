"""docs/results.md in its parts, each of which is measured and written alone."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from almunia.cli.commands.bench import machine_facts as machine
from tools.builtin_games import ours

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
PARTS = (
    *("Speed", "Batches", "Environments", "Search", "Site", "Processes", "Kills", "Table", "Play", "Styles"),
    *("Observations", "Learning", "Tests", "Ratings"),
    *(f"Ladder: {meta.name}" for meta in ours()),
)
HEAD = """\
# Benchmarks

Absolute figures hold for one machine on one day; ratios travel better. Each part says when and where it was measured;
`make results` and `make ladder` measure anew.
"""
WHERE = """\
## {part}

- **Date:** {date}
- **Machine:** {processor}, {cores} cores{use}
- **Software:** Python {Python}, NumPy {NumPy}, Numba {Numba}

"""


def write(part: str, text: str, use: str = "") -> None:
    """Put a part into the page in place of what it was, with the day and the machine."""
    parts = read() | {part: WHERE.format(part=part, cores=os.cpu_count(), use=use, **machine()) + text.strip() + "\n"}
    PAGE.write_text("\n".join([HEAD, *(parts[name] for name in PARTS if name in parts)]), "utf-8")
    print(f"{part} is written into {PAGE.name}.", file=sys.stderr)


def read() -> dict[str, str]:
    """The parts of the page as they are."""
    found, left = {}, PAGE.read_text("utf-8")
    for name in reversed(PARTS):
        left, title, text = left.partition(f"## {name}\n")
        if title:
            found[name] = title + text.rstrip() + "\n"
    return found


def almunia(*words: str) -> Any:
    """What the command answers, as JSON."""
    command = [sys.executable, "-m", "almunia", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
    if done.returncode:
        sys.exit(f"almunia {' '.join(words)}: no result")
    return json.loads(done.stdout)
