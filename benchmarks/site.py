"""Measure how much load a site can take: start a site in its own processes, with visitors who play at many tables.

If the site has several processes, the visitors of a table use different ones. Response times include the visitors' own
processor time. The benchmark needs Linux and two cores, one of them for the visitors. It takes some minutes per game.
"""

import argparse
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

from almunia.arena.bench import MILLISECONDS, Figure
from almunia.bots.levels import LEVELS
from almunia.cli.arguments import positive_int_arg
from almunia.cli.commands.bench import collect, print_figures, selected_games
from almunia.errors import SetupError
from benchmarks.command import make_parser, run_command
from benchmarks.load_client import SiteError, Tally, Visitor

MEGABYTE = 1024 * 1024
STARTUP_TIMEOUT_SECONDS = 300.0
STRETCH = 10  # acts of a game, over which the time of a view is averaged
TARGET_RATE = 100.0  # acts per second
BOT_POLL_SECONDS = 0.05
TABLES_AT_ONCE = 20  # opened at the same time
NO_RATE_LIMIT = {"ALMUNIA_RATE_LIMIT": "1000000/second"}
FIGURES_PER_GAME = 17
OPTIONS = ("tables", "streams", "rate", "seconds", "bot", "processes", "database")  # fields of Load


@dataclass(frozen=True)
class Load:
    """The load on a site."""

    tables: int = 400
    streams: int = 1000
    rate: float = 100.0  # attempted acts per second
    seconds: float = 60.0
    bot: str = ""  # level of a bot in the second seat of every table; no bot if empty
    processes: int = 1  # serving the site
    database: str = ""  # URL; SQLite in a temporary folder if empty
    seed: int = 1
    idle_seconds: float = 2.0  # idle time after which the start of a site is complete
    max_idle_load: float = 0.05  # maximum share of a core of an idle site
    max_solo_acts: int = 400  # of the game that is played at one table
    max_acts: float = inf  # number of acts after which the play ends


def measure(name: str, load: Load) -> Iterator[Figure]:
    """Yield every figure of a site with tables of one game."""
    with TemporaryDirectory() as folder, run_site(Path(folder), load.processes, load.database) as site:
        yield from asyncio.run(measure_site(name, load, site))


class Site:
    """The processes of a running site, by process id, and their ports."""

    def __init__(self, processes: Sequence[int], ports: Sequence[int]) -> None:
        self.processes, self.ports = processes, ports

    def cpu_seconds(self) -> float:
        """Return the processor time of all processes and their children."""
        pids = (pid for process in self.processes for pid in (process, *children_of(process)))
        return sum(cpu_seconds(stat) for pid in pids if (stat := read_proc(pid, "stat")))

    def is_compiling(self) -> bool:
        """Return whether a child process compiles a game."""
        return any("compiler" in read_proc(child, "cmdline") for pid in self.processes for child in children_of(pid))

    def megabytes(self) -> float:
        """Return the resident memory of the largest process and its children."""
        pages = max(sum(map(resident_pages, (pid, *children_of(pid)))) for pid in self.processes)
        return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


def children_of(process: int) -> list[int]:
    """Return the ids of the running child processes."""
    threads = [path.name for path in Path(f"/proc/{process}/task").iterdir()]
    return [int(child) for thread in threads for child in read_proc(process, f"task/{thread}/children").split()]


def read_proc(process: int, name: str) -> str:
    """Return a file of a process in /proc, or an empty string if the process has ended."""
    try:
        return Path(f"/proc/{process}/{name}").read_text("utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def resident_pages(process: int) -> int:
    """Return the number of pages of a process in memory; 0 if it has ended."""
    statm = read_proc(process, "statm")
    return int(statm.split()[1]) if statm else 0


def cpu_seconds(stat: str) -> float:
    """Return the processor time in the file `stat` of a process."""
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def run_site(folder: Path, processes: int, database: str) -> Iterator[Site]:
    """Run a site with an empty database in this block, and yield it. Raise SetupError if it cannot be measured here."""
    if not Path("/proc/self/statm").is_file():
        raise SetupError("The load of a site can be measured on Linux only, which reports what a process uses.")
    if processes > 1 and not database:
        raise SetupError("With SQLite one process serves a site. Name a database in PostgreSQL with --database.")
    where = ["--database", database] if database else ["--data", str(folder)]
    with ExitStack() as stack:
        running = [stack.enter_context(run_process(where)) for _ in range(processes)]
        yield Site([process.pid for process, _ in running], [port for _, port in running])


@contextmanager
def run_process(where: list[str]) -> "Iterator[tuple[subprocess.Popen[str], int]]":
    """Run a process that serves this database in this block. Yield the process and its port."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "almunia", "serve", "--no-browser", "--port", str(port), *where]
    process = subprocess.Popen(  # noqa: S603
        command, env=os.environ | NO_RATE_LIMIT, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        if process.stdout is None or not process.stdout.readline():
            raise SetupError("The site does not start; 'almunia serve' says why.")
        yield process, port
    finally:
        process.kill()  # a shutdown would wait for the visitors' open pages
        process.wait()


async def measure_site(name: str, load: Load, site: Site, tally: Tally | None = None) -> list[Figure]:
    """Return the figures of a site that has just started. Count in `tally` if it is given."""
    raise_file_limit()
    await wait_until_idle(site, load)
    crowd = Crowd(name, load, site.ports, tally)
    tally = crowd.tally
    view = await play_one_table(crowd, site, load.max_solo_acts)
    at_first = site.megabytes()
    await crowd.open_tables()
    opened = site.megabytes()
    tally.reset()
    used = site.cpu_seconds()
    elapsed = await crowd.play()
    used = site.cpu_seconds() - used
    acts = len(tally.acts)
    if acts < 2 or len(tally.seen) < 2:
        raise SetupError(f"No visitor could act at the tables of {name}: {tally.refused} acts were refused.")
    percentiles = quantiles(tally.acts, n=100, method="inclusive")
    seen = quantiles(tally.seen, n=100, method="inclusive")
    crowd.leave()
    target_rate = TARGET_RATE if load.rate >= TARGET_RATE else None
    return [
        Figure("site's processor time per view, one at a time", "ms", view, 3),
        Figure("a view in the first quarter of a game", "ms", view[: quarter(view)]),
        Figure("a view in the last quarter of a game", "ms", view[-quarter(view) :]),
        Figure(
            f"acts, with {load.streams} streams at {load.tables} tables", "acts/s", [acts / elapsed], target_rate, True
        ),
        *(
            Figure(f"time to answer an act: {share} % within", "ms", [percentiles[share - 1] * MILLISECONDS], goal)
            for share, goal in ((50, None), (95, None), (99, 250))
        ),
        *(
            Figure(f"time until others see an act: {share} % within", "ms", [seen[share - 1] * MILLISECONDS])
            for share in (50, 99)
        ),
        Figure("acts refused", "", [tally.refused]),
        Figure("site's processor time per act, with all that follows from it", "ms", [used / acts * MILLISECONDS]),
        Figure("views per act", "", [tally.views / acts]),
        Figure("requests per act", "", [tally.requests / acts]),
        Figure("bytes per act", "", [tally.received / acts]),
        Figure("memory before any table", "MB", [at_first], 500),
        Figure("memory with all tables open", "MB", [opened], 500),
        Figure(f"memory after {load.seconds:g} seconds of play", "MB", [site.megabytes()], 500),
    ]


def raise_file_limit() -> None:
    """Allow this process as many open connections as the system permits."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def wait_until_idle(site: Site, load: Load) -> None:
    """Wait until the site has finished compiling. Raise SetupError if that takes too long."""
    end = perf_counter() + STARTUP_TIMEOUT_SECONDS
    while perf_counter() < end:
        used = site.cpu_seconds()
        await asyncio.sleep(load.idle_seconds)
        if site.cpu_seconds() - used < load.max_idle_load * load.idle_seconds and not site.is_compiling():
            return
    raise SetupError(f"The site is still busy {STARTUP_TIMEOUT_SECONDS:g} seconds after its start.")


async def play_one_table(crowd: "Crowd", site: Site, max_acts: int) -> list[float]:
    """Play one game at one table. Return the processor time per view in milliseconds, for each stretch of acts."""
    milliseconds: list[float] = []
    people = await crowd.new_table()
    going_on = True
    for _ in range(0, max_acts, STRETCH):
        used, views, acts = site.cpu_seconds(), crowd.tally.views, 0
        while going_on and acts < STRETCH:
            going_on = await play_one_act(people, crowd.rng)
            acts += going_on
        if acts == STRETCH or not milliseconds:  # a shorter stretch counts only if it is the whole game
            milliseconds.append((site.cpu_seconds() - used) / (crowd.tally.views - views) * MILLISECONDS)
        if not going_on:
            break
    crowd.dismiss(people)
    return milliseconds


def quarter(stretches: Sequence[float]) -> int:
    """Return a quarter of the number of stretches, at least 1."""
    return max(1, len(stretches) // 4)


async def play_one_act(people: Sequence[Visitor], rng: Random) -> bool:
    """Let one visitor of a table act, and the others refresh. Return False if the game is over."""
    while not any(visitor.actions for visitor in people):
        if people[0].over:
            return False
        await asyncio.sleep(BOT_POLL_SECONDS)  # it is a bot's turn
        await people[0].refresh()
    mover = next(visitor for visitor in people if visitor.actions)
    await mover.act(rng.choice)
    for visitor in people:
        if visitor is not mover:
            await visitor.refresh()
    return True


class Crowd:
    """The visitors of a site at all tables."""

    def __init__(self, name: str, load: Load, ports: Sequence[int], tally: Tally | None = None) -> None:
        self._name, self._load, self._ports = name, load, cycle(ports)
        self.tally, self.rng = tally or Tally(), Random(load.seed)
        self._tables: list[list[Visitor]] = []
        self._watchers: list[Visitor] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._acting: set[Visitor] = set()
        self._errors: list[BaseException] = []

    async def new_table(self) -> list[Visitor]:
        """Open a table, and return its players."""
        people = [self._visitor()]
        try:
            invitations = await people[0].open(self._name, [f"bot-{self._load.bot}" if self._load.bot else "friend"])
            for invitation in invitations:
                people.append(self._visitor())
                await people[-1].join(invitation)
            await people[0].refresh()
        except BaseException:  # also if the task is cancelled
            self.dismiss(people)
            raise
        return people

    def _visitor(self) -> Visitor:
        """Return a new visitor, who uses the next process."""
        return Visitor(next(self._ports), self.tally)

    async def open_tables(self) -> None:
        """Open all tables, with their players and the pages that watch them."""
        while len(self._tables) < self._load.tables:
            more = min(TABLES_AT_ONCE, self._load.tables - len(self._tables))
            self._tables += await asyncio.gather(*(self.new_table() for _ in range(more)))
        for visitor in [visitor for people in self._tables for visitor in people]:
            self._start(visitor.watch())
        for i in range(self._load.streams - len(self._tasks)):
            watcher = self._visitor()
            self._watchers.append(watcher)
            await watcher.enter(self._tables[i % len(self._tables)][0].table)
            self._start(watcher.watch())
        await asyncio.sleep(self._load.idle_seconds)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._errors.append(error)

    async def play(self) -> float:
        """Let visitors act at the rate of the load, at random tables. Return the elapsed seconds.

        Raises:
            SiteError: the site gave a visitor a wrong response.
        """
        start, acting, due, started = perf_counter(), set(), 0.0, 0
        while (now := perf_counter() - start) < self._load.seconds and started < self._load.max_acts:
            if now < due:
                await asyncio.sleep(due - now)
            due += 1 / self._load.rate
            mover = self._find_mover()
            if mover:
                started += 1
                self._acting.add(mover)
                task = self._start(self._act(mover))
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

    def _find_mover(self) -> Visitor | None:
        for index in self.rng.sample(range(len(self._tables)), len(self._tables)):
            people = self._tables[index]
            if people[0].over:
                people[0].over = False  # do not replace the table twice
                self._start(self._replace_table(index))
            for visitor in people:
                if visitor.actions and visitor not in self._acting:
                    return visitor
        return None

    async def _replace_table(self, index: int) -> None:
        """Replace a table whose game is over by a new one."""
        self.dismiss(self._tables[index])
        self._tables[index] = await self.new_table()
        for visitor in self._tables[index]:
            self._start(visitor.watch())

    def dismiss(self, people: Iterable[Visitor]) -> None:
        """Close the pages of these visitors."""
        for visitor in people:
            visitor.leave()

    def leave(self) -> None:
        """Cancel all tasks and close all pages."""
        for task in self._tasks:
            task.cancel()
        for people in (*self._tables, self._watchers):
            self.dismiss(people)


def add_load_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe the load."""
    defaults = Load()
    for name, text in {
        "tables": "open tables",
        "streams": "pages that watch the tables",
        "rate": "attempted acts per second",
        "seconds": "duration in seconds",
        "processes": "processes that serve the site",
    }.items():
        default = getattr(defaults, name)
        parser.add_argument(
            f"--{name}", type=positive_int_arg, default=default, metavar="N", help=f"{text} (default: {default:g})"
        )
    parser.add_argument("--bot", default="", metavar="LEVEL", help="a bot in the second seat of every table")
    parser.add_argument(
        "--database", default="", metavar="URL", help="a PostgreSQL database (default: a temporary SQLite file)"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the games and print the figures. Return the exit code."""

    def run(args: argparse.Namespace) -> None:
        if args.bot and args.bot not in LEVELS:
            raise SetupError(f"--bot takes a level, {', '.join(LEVELS)}, not {args.bot!r}.")
        load = Load(**{name: getattr(args, name) for name in OPTIONS})
        names = selected_games(args.games)
        measured = ((name, figure) for name in names for figure in measure(name, load))
        print_figures(args, collect(measured, FIGURES_PER_GAME * len(names)))

    parser = make_parser(__file__, __doc__, repeats=False)
    add_load_options(parser)
    return run_command(parser, run, argv)


if __name__ == "__main__":
    sys.exit(main())
