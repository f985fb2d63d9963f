"""Compare the environments of Almunia with their peers on one core.

Every environment plays at random, and its observation and legal actions are read at each decision. All environments
are created first, and then measured in turn, so that other load on the machine affects them equally. Speeds count the
processor time of all threads, so neither more cores nor other programs change them.

The peers are PettingZoo's own games, OpenSpiel's in C++ and in Python, RLCard, Catanatron, and Pgx on the CPU. The
report names the peers that are not installed: pip install 'almunia[peers]'.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from time import process_time

from almunia.arena.bench import Figure, calibrate, seconds_of
from almunia.cli.arguments import progress_bar
from almunia.cli.commands.bench import print_figures, selected_games
from almunia.errors import MissingExtra
from benchmarks import own_envs, peers
from benchmarks.command import make_parser, run_command
from benchmarks.entry import Entry
from benchmarks.frameworks import Loop

PACKAGES = ("gymnasium", "pettingzoo", "open-spiel", "rlcard", "pgx", "jax", "catanatron")
EXTRA = "peers"  # installs what the peers need


@dataclass
class Report:
    """The figures by interface, the entries that could not be measured, and the versions of the packages."""

    figures: dict[str, list[Figure]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)  # whole sentences
    packages: dict[str, str] = field(default_factory=dict)


def measure(entries: Sequence[Entry], repeats: int, progress: Callable[[int, str], None]) -> Report:
    """Measure all entries that run here, one repeat of each in turn, and return the report."""
    report = Report(packages=versions())
    with on_one_core():
        loops: list[tuple[Entry, Loop, int]] = []
        for done, entry in enumerate(entries):
            progress(done, entry.what)
            if ready := prepare(entry, report.missing):
                loops.append((entry, *ready))
        runs: list[list[float]] = [[] for _ in loops]
        for repeat in range(1, repeats + 1):
            progress(repeat * len(entries), f"repeat {repeat} of {repeats}")
            for own, (entry, loop, times) in zip(runs, loops, strict=True):
                own.append(rate(entry, loop, times))
    for own, (entry, _, _) in zip(runs, loops, strict=True):
        figure = Figure(entry.what, "decisions/s", own, entry.goal, higher_is_better=True)
        report.figures.setdefault(entry.interface, []).append(figure)
    return report


def rate(entry: Entry, loop: Loop, times: int) -> float:
    """Return the decisions of `times` steps per second of processor time."""
    return entry.games * times / seconds_of(lambda: loop(times), process_time)


def prepare(entry: Entry, missing: list[str]) -> tuple[Loop, int] | None:
    """Return the loop of an entry and the steps of a run. If it cannot run here, add the reason to `missing`."""
    try:
        loop = entry.make()
        return loop, calibrate(loop, clock=process_time)
    except MissingExtra as error:
        reason = str(error)
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        reason = str(MissingExtra.named(f"Measuring {entry.owner or entry.what} needs", package, EXTRA))
    except Exception as error:
        if not entry.owner:
            raise
        reason = f"{entry.owner}, {entry.what}, does not run here: {type(error).__name__}: {error}"
    if reason not in missing:
        missing.append(reason)
    return None


def versions() -> dict[str, str]:
    """Return the version of each compared package that is installed."""
    installed = {}
    for name in PACKAGES:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return installed


@contextmanager
def on_one_core() -> Iterator[None]:
    """Restrict this process and its new threads to one core in this block, if the system supports it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the environments and print the figures. Return the exit code."""

    def run(args: argparse.Namespace) -> None:
        games = selected_games(args.games)
        entries = [*(entry for name in games for entry in own_envs.entries(name)), *peers.entries()]
        with progress_bar("Measuring", len(entries) * (args.repeats + 1)) as progress:
            report = measure(entries, args.repeats, progress)
        print_figures(args, report.figures, packages=report.packages, missing=report.missing)
        if not args.json:
            print("\nwith " + ", ".join(f"{name} {version}" for name, version in report.packages.items()))
            for sentence in report.missing:
                print(f"left out: {sentence}")

    return run_command(make_parser(__file__, __doc__), run, argv)


if __name__ == "__main__":
    sys.exit(main())
