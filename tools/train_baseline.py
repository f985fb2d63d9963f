"""Learns Orchard on one core for docs/results.md: the network beside the built-in bots, and its curve.

python -m tools.results Learning                     learn and measure, about a quarter of an hour
python -m tools.train_baseline --decisions 100000          a shorter run, shown but not written
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

DOCS = Path(__file__).parents[1] / "docs"
PROGRAM = DOCS / "notebooks" / "ppo_orchard.py"
CURVE = DOCS / "learning.svg"
ROWS = 10  # of the curve, in the table


def learning() -> Iterator[str]:
    """How well a network plays Orchard that has learned by itself."""
    found = learned()
    CURVE.write_text(curve(found), "utf-8")
    yield from lines(found)


def learned(*words: str) -> dict[str, Any]:
    """The report of a run, with the load while it went on."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run([sys.executable, str(PROGRAM), *words, "--report", str(report)], check=True)  # noqa: S603
        return json.loads(report.read_text("utf-8")) | {"load": os.getloadavg()[2]}


def lines(found: dict[str, Any]) -> Iterator[str]:
    """A run as the part of a page."""
    settings, plays, last = found["settings"], found["plays"], found["curve"][-1]
    yield (
        f"Masked PPO in one file, `python docs/notebooks/ppo_orchard.py --decisions {settings['decisions']}`, which\n"
        f"[a notebook](notebooks/ppo-orchard.md) explains. From nothing, it made {last['decisions']:,} decisions in\n"
        f"{last['minutes']:.1f} minutes, {last['cpu_minutes']:.1f} of them processor time of its one thread\n"
        f"(load average {found['load']:.1f} over the last quarter of an hour).\n"
    )
    yield (
        f"Points over {plays:,} deals that it had not learned from, the same for all: those of\n"
        f"`almunia simulate orchard --plays {plays} --seed 1000000 --bot greedy`. Intervals cover 95%.\n"
    )
    yield "| player | points |\n| --- | --- |"
    for name, (mean, half) in found["compared"].items():
        yield f"| {name} | {mean:.2f} ±{half:.2f} |"
    yield "\n![Points over decisions while the network learned](learning.svg)\n"
    yield "The points of its last 2,000 games while it learned, and so drew its actions at random:\n"
    yield "| decisions | minutes | processor minutes | points |\n| --: | --: | --: | --: |"
    for at in chosen(found["curve"]):
        yield f"| {at['decisions']:,} | {at['minutes']:.1f} | {at['cpu_minutes']:.1f} | {at['points']:.1f} |"


def chosen(course: list[dict[str, float]]) -> list[dict[str, float]]:
    """Some points of the curve, at even distances, its last among them."""
    count = min(ROWS, len(course))
    return [course[round((i + 1) * len(course) / count) - 1] for i in range(count)]


def curve(found: dict[str, Any]) -> str:
    """The curve as SVG, the same for the same run."""
    course, greedy = found["curve"], found["compared"]["greedy"][0]
    with rc_context({"svg.hashsalt": "learning", "svg.fonttype": "none"}):
        picture = Figure(figsize=(8, 3.6), layout="constrained")
        axes = picture.subplots()
        axes.plot([at["decisions"] / 1000 for at in course], [at["points"] for at in course], color="#8c3b21")
        axes.axhline(greedy, color="#7a7a7a", linestyle=":", label="greedy")
        axes.set(xlabel="decisions, in thousands", ylabel="points (mean of 2,000 games)")
        above = axes.secondary_xaxis("top", functions=(lambda x: x * pace(course), lambda x: x / pace(course)))
        above.set_xlabel("minutes of processor time")
        axes.legend()
        out = BytesIO()
        picture.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue().decode()


def pace(course: list[dict[str, float]]) -> float:
    """Minutes of processor time for a thousand decisions."""
    return 1000 * course[-1]["cpu_minutes"] / course[-1]["decisions"]


if __name__ == "__main__":
    print("\n".join(lines(learned(*sys.argv[1:]))))
