"""One core for all threads that answer requests.

Python lets one of them work at a time. Left alone, the system spreads them over all cores, and whenever one hands the
interpreter to another, a core has to be woken up; in a virtual machine that takes as long as many answers do. On one
core they take turns without it. Which one is looked at again and again, for others may want it too.
"""

import os
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from random import random

from ..limits import USUAL_LIMITS
from .rounds import Rounds

CROWDED = 0.3  # of a core's time, used by others: then another core is better if it is used half as much
READER = "reader of an artist"  # a thread that hands out what a process has drawn
ANSWERING = "AnyIO worker thread", READER  # how the threads are called, beside the main one, that answer requests
TICKS, IDLE, WAITING = Path("/proc/stat"), 3, 4  # what Linux tells of its cores, and which of it is no work


class OneCore:
    """Keeps those threads together, on Linux, where this process may use several cores."""

    def __init__(self, *, interval_seconds: float = USUAL_LIMITS.core_check_seconds) -> None:
        self._interval_seconds = interval_seconds  # between two looks
        self._cores = allowed()
        self._core: int | None = None  # where they are
        self._before: dict[int, int] = {}  # how much each core had done at the last look
        self._done: dict[int, int] = {}  # and each of those threads
        wrong = "The threads that answer cannot be kept on one core"
        self._rounds = Rounds("one core", self.look, interval_seconds, wrong)

    def __enter__(self) -> None:
        """Keep them together from the second look on."""
        if len(self._cores) > 1:
            self._rounds.start()
            self._rounds.ring()

    def __exit__(self, *_: object) -> None:
        """Let them go where they like."""
        self._rounds.close()
        keep(threading.main_thread().native_id or 0, self._cores)

    def look(self) -> None:
        """Choose the core, and see to it that the threads that answer are there, and no others."""
        found = {thread.native_id: answers(thread) for thread in threading.enumerate() if thread.native_id}
        own = self._own([thread for thread, ours in found.items() if ours])
        before, self._before = self._before, worked()
        used = {core: self._before[core] - before[core] for core in self._cores & before.keys() & self._before.keys()}
        if not used:
            return
        if self._core in used:
            used[self._core] = max(0, used[self._core] - own)
        self._core = chosen(self._core, used, self._interval_seconds)
        for thread, ours in found.items():
            keep(thread, {self._core} if ours else self._cores)

    def _own(self, threads: Iterable[int]) -> int:
        """How much these threads have done since they were last asked about."""
        before, self._done = self._done, {thread: work_of(thread) for thread in threads}
        return sum(done - before.get(thread, 0) for thread, done in self._done.items())


def allowed() -> set[int]:
    """The cores that this process may use, as far as they can be chosen here."""
    try:
        return os.sched_getaffinity(0) & set(worked())
    except (AttributeError, OSError):  # on another system, or where that is hidden
        return set()


def answers(thread: threading.Thread) -> bool:
    """Does a thread answer requests?"""
    return thread is threading.main_thread() or thread.name in ANSWERING


def chosen(core: int | None, used: Mapping[int, int], seconds: float) -> int:
    """The best core, by how much others have used each in these seconds: another only if much better than `core`.

    Of several processes that find themselves on the same, about half leave it.
    """
    best = min(used, key=used.__getitem__)
    if core is None or core not in used:
        return best
    crowded = used[core] > CROWDED * seconds * os.sysconf("SC_CLK_TCK") and used[best] < used[core] / 2
    return best if crowded and random() < 1 / 2 else core


def worked() -> dict[int, int]:
    """How many ticks of the clock each core has worked."""
    found = {}
    for name, *words in map(str.split, TICKS.read_text("ascii").splitlines()):
        if name.startswith("cpu") and name != "cpu":
            ticks = [int(word) for word in words]
            found[int(name[3:])] = sum(ticks) - ticks[IDLE] - ticks[WAITING]
    return found


def work_of(thread: int) -> int:
    """How many ticks a thread of this process has worked; none if it has ended."""
    try:
        fields = Path(f"/proc/self/task/{thread}/stat").read_text("utf-8").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(fields[11]) + int(fields[12])


def keep(thread: int, cores: set[int]) -> None:
    """Let a thread of this process use these cores and no others, unless it has ended, or they are no more."""
    with suppress(OSError):
        if os.sched_getaffinity(thread) != cores:
            os.sched_setaffinity(thread, cores)
