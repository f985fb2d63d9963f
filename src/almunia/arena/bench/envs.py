"""Environments side by side: the adapters of Almunia and their peers, measured in turn on one core.

In every one of them somebody plays evenly chosen legal actions, and reads the observation and the legal actions at
each decision. All are made first, and then measured by turns, so that whatever else the machine does falls on all
alike. Processor time is measured, of all threads: more cores make nobody faster, and other programs nobody slower.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from time import process_time

from ...errors import MissingExtra
from .frameworks import Loop
from .games import Figure, enough, timed

PACKAGES = ("gymnasium", "pettingzoo", "open-spiel", "rlcard", "pgx", "jax", "catanatron")
EXTRA = "peers"  # has what peers need


@dataclass(frozen=True)
class Entry:
    """An environment that can be measured."""

    way: str  # how it is stepped; what is stepped alike is compared
    what: str
    make: Callable[[], Loop]
    games: int = 1  # that each step of the loop steps
    goal: float | None = None
    owner: str = ""  # whose it is, unless it is one of ours


@dataclass
class Report:
    """What was measured, by the way it is stepped, and what could not be."""

    figures: dict[str, list[Figure]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)  # whole sentences
    packages: dict[str, str] = field(default_factory=dict)  # versions


def measure(entries: Sequence[Entry], repeats: int, told: Callable[[int, str], None]) -> Report:
    """Measure all that can be made here, one repeat of each after the other; `told` hears how much is done."""
    report = Report(packages=versions())
    with on_one_core():
        loops: list[tuple[Entry, Loop, int]] = []
        for done, entry in enumerate(entries):
            told(done, entry.what)
            if ready := prepared(entry, report.missing):
                loops.append((entry, *ready))
        runs: list[list[float]] = [[] for _ in loops]
        for repeat in range(1, repeats + 1):
            told(repeat * len(entries), f"repeat {repeat} of {repeats}")
            for own, (entry, loop, times) in zip(runs, loops, strict=True):
                own.append(rate(entry, loop, times))
    for own, (entry, _, _) in zip(runs, loops, strict=True):
        figure = Figure(entry.what, "decisions/s", own, entry.goal, higher_is_better=True)
        report.figures.setdefault(entry.way, []).append(figure)
    return report


def rate(entry: Entry, loop: Loop, times: int) -> float:
    """Decisions a second of so many steps."""
    return entry.games * times / timed(lambda: loop(times), process_time)


def prepared(entry: Entry, missing: list[str]) -> tuple[Loop, int] | None:
    """The loop of an entry and how often to step it; None if it cannot run here, and then `missing` says why."""
    try:
        loop = entry.make()
        return loop, enough(loop, clock=process_time)
    except MissingExtra as error:
        why = str(error)
    except ModuleNotFoundError as error:
        why = str(
            MissingExtra.named(f"Measuring {entry.owner or entry.what} needs", str(error.name).partition(".")[0], EXTRA)
        )
    except Exception as error:
        if not entry.owner:
            raise
        why = f"{entry.owner}, {entry.what}, does not run here: {type(error).__name__}: {error}"
    if why not in missing:
        missing.append(why)
    return None


def versions() -> dict[str, str]:
    """The version of each package that is compared and installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


@contextmanager
def on_one_core() -> Iterator[None]:
    """Keep this process on one of its cores, with all the threads that begin meanwhile, where the system can do so."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
