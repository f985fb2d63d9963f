"""Train a network on Orchard on one core for docs/results.md, and compare it with the built-in bots.

python -m tools.results Learning                     train and measure, about a quarter of an hour
python -m tools.train_baseline --decisions 100000    a shorter run, printed but not written
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
TABLE_ROWS = 10  # points of the curve in the table


def training_section() -> Iterator[str]:
    """Yield the section on a network that learns Orchard from scratch, and write its curve."""
    report = train()
    CURVE.write_text(draw_curve(report), "utf-8")
    yield from render_lines(report)


def train(*arguments: str) -> dict[str, Any]:
    """Train once and return the report, with the load average during the run."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run([sys.executable, str(PROGRAM), *arguments, "--report", str(report)], check=True)  # noqa: S603
        return json.loads(report.read_text("utf-8")) | {"load": os.getloadavg()[2]}


def render_lines(report: dict[str, Any]) -> Iterator[str]:
    """Yield the report as Markdown."""
    settings, plays, last = report["settings"], report["plays"], report["curve"][-1]
    yield (
        f"Masked PPO in one file, `python docs/notebooks/ppo_orchard.py --decisions {settings['decisions']}`, which\n"
        f"[a notebook](notebooks/ppo-orchard.md) explains. From nothing, it made {last['decisions']:,} decisions in\n"
        f"{last['minutes']:.1f} minutes, {last['cpu_minutes']:.1f} of them processor time of its one thread\n"
        f"(load average {report['load']:.1f} over the last quarter of an hour).\n"
    )
    yield (
        f"Points over {plays:,} deals that it had not learned from, the same for all: those of\n"
        f"`almunia simulate orchard --games {plays} --seed 1000000 --bot greedy`. Intervals cover 95%.\n"
    )
    yield "| player | points |\n| --- | --- |"
    for name, (mean, half) in report["compared"].items():
        yield f"| {name} | {mean:.2f} ±{half:.2f} |"
    yield "\n![Points over decisions while the network learned](learning.svg)\n"
    yield "The points of its last 2,000 games while it learned, and so drew its actions at random:\n"
    yield "| decisions | minutes | processor minutes | points |\n| --: | --: | --: | --: |"
    for at in sample_curve(report["curve"]):
        yield f"| {at['decisions']:,} | {at['minutes']:.1f} | {at['cpu_minutes']:.1f} | {at['points']:.1f} |"


def sample_curve(points: list[dict[str, float]]) -> list[dict[str, float]]:
    """Return up to TABLE_ROWS points of the curve at even distances, the last one included."""
    count = min(TABLE_ROWS, len(points))
    return [points[round((i + 1) * len(points) / count) - 1] for i in range(count)]


def draw_curve(report: dict[str, Any]) -> str:
    """Return the curve as SVG; the same report gives the same bytes."""
    points, greedy = report["curve"], report["compared"]["greedy"][0]
    with rc_context({"svg.hashsalt": "learning", "svg.fonttype": "none"}):
        picture = Figure(figsize=(8, 3.6), layout="constrained")
        axes = picture.subplots()
        axes.plot([at["decisions"] / 1000 for at in points], [at["points"] for at in points], color="#8c3b21")
        axes.axhline(greedy, color="#7a7a7a", linestyle=":", label="greedy")
        axes.set(xlabel="decisions, in thousands", ylabel="points (mean of 2,000 games)")
        above = axes.secondary_xaxis(
            "top", functions=(lambda x: x * minutes_per_thousand(points), lambda x: x / minutes_per_thousand(points))
        )
        above.set_xlabel("minutes of processor time")
        axes.legend()
        out = BytesIO()
        picture.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue().decode()


def minutes_per_thousand(points: list[dict[str, float]]) -> float:
    """Return the minutes of processor time for a thousand decisions."""
    return 1000 * points[-1]["cpu_minutes"] / points[-1]["decisions"]


if __name__ == "__main__":
    print("\n".join(render_lines(train(*sys.argv[1:]))))
