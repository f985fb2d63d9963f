"""How much a site bears: it runs as processes of its own, and visitors play at many tables at a time.

Those at a table come by different processes, where there are several. The visitors need a core of their own, and
their own time is in the answers' times.
"""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import cycle
from math import inf
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from ...errors import SetupError
from .games import MILLI, Figure
from .visitors import SiteError, Tally, Visitor

MEGABYTE = 1024 * 1024
PATIENCE = 300.0  # seconds until a site must have done what it does at its start
STRETCH = 10  # acts of a game by which a view is measured, at a time
ACTS = 100.0  # a second that a site is to bear
A_MOMENT = 0.05  # until one looks whether a bot has moved
AT_A_TIME = 20  # tables that are opened at the same time
POSTS = {"ALMUNIA_POSTS": "1000000/second"}


@dataclass(frozen=True)
class Load:
    """What a site is to bear."""

    tables: int = 400
    streams: int = 1000
    rate: float = 100.0  # acts a second that are tried
    seconds: float = 60.0
    bot: str = ""  # the level of a bot that sits in the second seat of every table; nobody but people if empty
    processes: int = 1  # that serve the site
    database: str = ""  # its address; SQLite in a folder of its own if empty
    seed: int = 1
    rest_seconds: float = 2.0  # of little work, after which a site has done what it does at its start
    max_rest_load: float = 0.05  # of a core, which counts as little
    max_alone_acts: int = 400  # of a game, by which a view is measured
    max_acts: float = inf  # after which play ends before its time is up


def measure(name: str, load: Load) -> Iterator[Figure]:
    """Every figure of a site where one game is played."""
    with TemporaryDirectory() as folder, served(Path(folder), load.processes, load.database) as site:
        yield from asyncio.run(measured(name, load, site))


class Served:
    """The processes of a site: their numbers, and the ports at which they serve."""

    def __init__(self, processes: Sequence[int], ports: Sequence[int]) -> None:
        self.processes, self.ports = processes, ports

    def cpu(self) -> float:
        """The seconds of processor time that all of them have used, with those that draw for them."""
        everybody = (one for process in self.processes for one in (process, *children_of(process)))
        return sum(cpu_of(stat) for one in everybody if (stat := told_of(one, "stat")))

    def serving(self) -> float:
        """The seconds of processor time that those have used which serve."""
        return sum(cpu_of(told_of(one, "stat")) for one in self.processes)

    def compiles(self) -> bool:
        """Does one of them have a process that compiles?"""
        return any("compiling" in told_of(child, "cmdline") for one in self.processes for child in children_of(one))

    def memory(self) -> float:
        """The megabytes that the largest of them holds, with those that draw for it."""
        pages = max(
            sum(int(told_of(each, "statm").split()[1]) for each in (one, *children_of(one))) for one in self.processes
        )
        return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


def children_of(process: int) -> list[int]:
    """The processes that a process has started, and that still run."""
    threads = [path.name for path in Path(f"/proc/{process}/task").iterdir()]
    return [int(child) for thread in threads for child in told_of(process, f"task/{thread}/children").split()]


def told_of(process: int, name: str) -> str:
    """What the system tells of a process; nothing of one that has ended."""
    try:
        return Path(f"/proc/{process}/{name}").read_text("utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def cpu_of(stat: str) -> float:
    """The seconds of processor time of a process, of its file `stat`."""
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(folder: Path, processes: int, database: str) -> Iterator[Served]:
    """A site with tables of its own, until it is let go; SetupError where it cannot be measured."""
    if not Path("/proc/self/statm").is_file():
        raise SetupError("How much a site bears can be measured on Linux alone, which tells what a process uses.")
    if processes > 1 and not database:
        raise SetupError("With SQLite one process serves a site. Name a database in PostgreSQL with --database.")
    where = ["--database", database] if database else ["--data", str(folder)]
    with ExitStack() as started:
        found = [started.enter_context(process_of(where)) for _ in range(processes)]
        yield Served([process.pid for process, _ in found], [port for _, port in found])


@contextmanager
def process_of(where: list[str]) -> "Iterator[tuple[subprocess.Popen[str], int]]":
    """A process that serves what lies there, and its port."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "almunia", "serve", "--no-browser", "--port", str(port), *where]
    process = subprocess.Popen(  # noqa: S603
        command, env=os.environ | POSTS, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        if process.stdout is None or not process.stdout.readline():
            raise SetupError("The site does not start; 'almunia serve' tells why.")
        yield process, port
    finally:
        process.kill()  # nobody misses it, and it would wait for the visitors' open pages
        process.wait()


async def measured(name: str, load: Load, site: Served, tally: Tally | None = None) -> list[Figure]:
    """Return the figures of a site that has just been started, counted in `tally` if one is given."""
    more_files()
    await rested(site, load)
    crowd = Crowd(name, load, site.ports, tally)
    tally = crowd.tally
    view = await alone(crowd, site, load.max_alone_acts)
    at_first = site.memory()
    await crowd.gather()
    opened = site.memory()
    tally.begin()
    used, served = site.cpu(), site.serving()
    taken = await crowd.play()
    used, served = site.cpu() - used, site.serving() - served
    acts = len(tally.acts)
    if acts < 2 or len(tally.seen) < 2:
        raise SetupError(f"Nobody could act at the tables of {name}: {tally.refused} acts were refused.")
    percentiles = quantiles(tally.acts, n=100, method="inclusive")
    seen = quantiles(tally.seen, n=100, method="inclusive")
    crowd.leave()
    borne = ACTS if load.rate >= ACTS else None
    return [
        Figure("site's processor time per view, one at a time", "ms", view, 3),
        Figure("a view in the first quarter of a game", "ms", view[: quarter(view)]),
        Figure("a view in the last quarter of a game", "ms", view[-quarter(view) :]),
        Figure(f"acts, with {load.streams} streams at {load.tables} tables", "acts/s", [acts / taken], borne, True),
        *(
            Figure(f"time to answer an act: {share} % within", "ms", [percentiles[share - 1] * MILLI], goal)
            for share, goal in ((50, None), (95, None), (99, 250))
        ),
        *(
            Figure(f"time until others see an act: {share} % within", "ms", [seen[share - 1] * MILLI])
            for share in (50, 99)
        ),
        Figure("acts refused", "", [tally.refused]),
        Figure("site's processor time per act, with all that follows from it", "ms", [used / acts * MILLI]),
        Figure("of that, where it is served", "ms", [served / acts * MILLI]),
        Figure("views per act", "", [tally.views / acts]),
        Figure("requests per act", "", [tally.requests / acts]),
        Figure("bytes per act", "", [tally.received / acts]),
        Figure("memory before any table", "MB", [at_first], 500),
        Figure("memory with all tables open", "MB", [opened], 500),
        Figure(f"memory after {load.seconds:g} seconds of play", "MB", [site.memory()], 500),
    ]


def more_files() -> None:
    """Let this process open as many connections as the system allows."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def rested(site: Served, load: Load) -> None:
    """Wait until the site has compiled what it compiles."""
    end = perf_counter() + PATIENCE
    while perf_counter() < end:
        used = site.cpu()
        await asyncio.sleep(load.rest_seconds)
        if site.cpu() - used < load.max_rest_load * load.rest_seconds and not site.compiles():
            return
    raise SetupError(f"The site is still busy with itself after {PATIENCE:g} seconds.")


async def alone(crowd: "Crowd", site: Served, max_acts: int) -> list[float]:
    """Milliseconds of processor time a view, of each stretch of a game that is played at one table."""
    found: list[float] = []
    people = await crowd.table()
    going_on = True
    for _ in range(0, max_acts, STRETCH):
        used, views, acts = site.cpu(), crowd.tally.views, 0
        while going_on and acts < STRETCH:
            going_on = await somebody_acts(people, crowd.rng)
            acts += going_on
        if acts == STRETCH or not found:  # what is left at the end of a game is too little, unless it is all
            found.append((site.cpu() - used) / (crowd.tally.views - views) * MILLI)
        if not going_on:
            break
    crowd.dismiss(people)
    return found


def quarter(stretches: Sequence[float]) -> int:
    """How many of them are a quarter."""
    return max(1, len(stretches) // 4)


async def somebody_acts(people: Sequence[Visitor], rng: Random) -> bool:
    """One of a table acts and the others look, unless the game is over."""
    while not any(visitor.actions for visitor in people):
        if people[0].over:
            return False
        await asyncio.sleep(A_MOMENT)  # a bot is to move
        await people[0].refresh()
    mover = next(visitor for visitor in people if visitor.actions)
    await mover.act(rng.choice)
    for visitor in people:
        if visitor is not mover:
            await visitor.refresh()
    return True


class Crowd:
    """All visitors."""

    def __init__(self, name: str, load: Load, ports: Sequence[int], tally: Tally | None = None) -> None:
        self._name, self._load, self._ports = name, load, cycle(ports)
        self.tally, self.rng = tally or Tally(), Random(load.seed)
        self._tables: list[list[Visitor]] = []
        self._watchers: list[Visitor] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._acting: set[Visitor] = set()
        self._errors: list[BaseException] = []

    async def table(self) -> list[Visitor]:
        """Those who sit at a new table."""
        people = [self._visitor()]
        try:
            invitations = await people[0].open(self._name, [f"bot-{self._load.bot}" if self._load.bot else "friend"])
            for invitation in invitations:
                people.append(self._visitor())
                await people[-1].join(invitation)
            await people[0].refresh()
        except BaseException:  # the end may come in the midst of it
            self.dismiss(people)
            raise
        return people

    def _visitor(self) -> Visitor:
        """Somebody who comes by the next of the processes."""
        return Visitor(next(self._ports), self.tally)

    async def gather(self) -> None:
        """Open all tables, with everybody at them."""
        while len(self._tables) < self._load.tables:
            more = min(AT_A_TIME, self._load.tables - len(self._tables))
            self._tables += await asyncio.gather(*(self.table() for _ in range(more)))
        for visitor in [visitor for people in self._tables for visitor in people]:
            self._begin(visitor.watch())
        for i in range(self._load.streams - len(self._tasks)):
            watcher = self._visitor()
            self._watchers.append(watcher)
            await watcher.enter(self._tables[i % len(self._tables)][0].table)
            self._begin(watcher.watch())
        await asyncio.sleep(self._load.rest_seconds)

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._errors.append(error)

    async def play(self) -> float:
        """Act as often as the load says, wherever somebody may; returns how long it took in all.

        Raises:
            SiteError: the site has failed one of the visitors.
        """
        start, acting, due, begun = perf_counter(), set(), 0.0, 0
        while (now := perf_counter() - start) < self._load.seconds and begun < self._load.max_acts:
            if now < due:
                await asyncio.sleep(due - now)
            due += 1 / self._load.rate
            mover = self._somebody()
            if mover:
                begun += 1
                self._acting.add(mover)
                task = self._begin(self._act(mover))
                acting.add(task)
                task.add_done_callback(acting.discard)
        await asyncio.gather(*acting, return_exceptions=True)
        if self._errors:
            raise SiteError(f"The site has failed a visitor: {self._errors[0]!r}") from self._errors[0]
        return perf_counter() - start

    async def _act(self, mover: Visitor) -> None:
        try:
            await mover.act(self.rng.choice)
        finally:
            self._acting.discard(mover)

    def _somebody(self) -> Visitor | None:
        for place in self.rng.sample(range(len(self._tables)), len(self._tables)):
            people = self._tables[place]
            if people[0].over:
                people[0].over = False  # it is seen to
                self._begin(self._again(place))
            for visitor in people:
                if visitor.actions and visitor not in self._acting:
                    return visitor
        return None

    async def _again(self, place: int) -> None:
        """Put a new table in the place of one that is over."""
        self.dismiss(self._tables[place])
        self._tables[place] = await self.table()
        for visitor in self._tables[place]:
            self._begin(visitor.watch())

    def dismiss(self, people: Iterable[Visitor]) -> None:
        """Let these go."""
        for visitor in people:
            visitor.leave()

    def leave(self) -> None:
        """Let everybody go."""
        for task in self._tasks:
            task.cancel()
        for people in (*self._tables, self._watchers):
            self.dismiss(people)
