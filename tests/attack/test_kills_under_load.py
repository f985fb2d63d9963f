"""A site that is killed repeatedly while a crowd plays: no action is lost or doubled, and every table goes on.

By default the crowd is small. The numbers in docs/results.md come from `--attack-tables 400 --attack-kills 20`.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from pathlib import Path
from random import Random
from statistics import median
from threading import Event, Thread
from time import perf_counter
from typing import Any, TypeVar

import pytest

from almunia.client import Client, Position
from almunia.server.settings import DATABASE_FILE
from almunia.server.storage.database import open_migrated
from almunia.server.tables.model import MOVE
from almunia.server.tables.repository import TableRepository
from benchmarks.load_client import CONNECTION_ERRORS, FACTS, Connection, Visitor
from benchmarks.site import Crowd, Load, raise_file_limit

from ..serving import free_port, settled
from ..waiting import pause_at_random, wait_until, wait_until_async
from .conftest import Round
from .test_kills import STALLED
from .test_kills_together import Process, Roamer, Watcher, acts_in

GAME = "oregon"
EACH = 2.5  # open pages at each table
RATE = 100.0  # actions per second, if the site is fast enough
WORKING, GATHERING = 2.0, 0.03  # seconds of play before each kill, at most, and the extra time for each table
# Numbers of kills, unless an option sets another number.
FEW = [
    pytest.param("sqlite", 1, id="once"),
    pytest.param("sqlite", 3, id="sqlite", marks=pytest.mark.exhaustive),
    pytest.param("postgres", 0, id="postgres", marks=pytest.mark.exhaustive),
]
AWAY_FOR = 2.0  # seconds until a killed process restarts, at most
AWAY = 0.5  # seconds until a visitor tries again, at most
TOKEN = re.compile(r'id="made"[^>]*value="([^"]+)"')
T = TypeVar("T")


@dataclass
class Told:
    """The actions that were acknowledged to visitors, and the times that this took."""

    acts: dict[tuple[str, int], dict[int, int]] = field(default_factory=lambda: defaultdict(dict))  # by table and seat
    waits: list[float] = field(default_factory=list)  # seconds until each action was acknowledged, over all kills
    again: int = 0  # repeated requests


class Stubborn(Visitor):
    """A visitor who sends a request without a response again to the next process."""

    def __init__(self, ports: Sequence[int], crowd: "Throng") -> None:
        self._ports, self._crowd = cycle(ports), crowd
        super().__init__(next(self._ports), crowd.tally)

    async def get(self, target: str, **headers: str) -> Any:
        return await self._insist(lambda: super(Stubborn, self).get(target, **headers))

    async def post(self, target: str, form: Any, **headers: str) -> Any:
        return await self._insist(lambda: super(Stubborn, self).post(target, form, **headers))

    async def _insist(self, ask: Callable[[], Awaitable[T]]) -> T:
        while True:
            try:
                return await ask()
            except CONNECTION_ERRORS:
                self._crowd.told.again += 1
                self._connection.close()
                self._port = next(self._ports)
                self._connection = Connection(self._port, self.tally)
                await asyncio.sleep(self._crowd.rng.uniform(0, AWAY))

    async def open(self, game: str, others: list[str]) -> list[str]:
        """Open a table, with a preference by which each response is about one action."""
        await self.post("/preferences", {"forced": "ask"})
        return await super().open(game, others)

    async def join(self, invitation: str) -> None:
        """Join a table, with a preference by which each response is about one action."""
        await self.post("/preferences", {"forced": "ask"})
        await super().join(invitation)

    async def act(self, choose: Callable[[list[int]], int]) -> tuple[int, int] | None:
        """Play an action, and record it. A response that the page is out of date also acknowledges the action."""
        start = perf_counter()
        chosen = await super().act(choose)
        if chosen:
            seen, action = chosen
            self._crowd.told.acts[self.table, self.seat][seen] = action
            self._crowd.told.waits.append(perf_counter() - start)
        return chosen

    async def current(self) -> str:
        """Return the version that the page would have if it were opened now."""
        async with self._fetching:  # on the connection for changed parts of the page
            found = FACTS.search((await self.get(self.table, **self._part())).text)
        return found[1] if found else ""

    async def watch(self) -> None:
        """Follow the table until the visitor leaves. A stream that breaks is opened again."""
        while not self.gone:
            with suppress(*CONNECTION_ERRORS):
                await super().watch()
            self._stream.close()
            self._stream = Connection(self._port, self.tally)
            await asyncio.sleep(self._crowd.rng.uniform(0, AWAY))


class Throng(Crowd):
    """Visitors who repeat requests without a response, and the actions that the site has acknowledged to them."""

    def __init__(self, ports: Sequence[int], load: Load) -> None:
        super().__init__(GAME, load, ports)
        self.told = Told()
        self._order = [*ports], [*reversed(ports)]

    def _visitor(self) -> Stubborn:
        first = next(self._ports)
        return Stubborn(next(order for order in self._order if order[0] == first), self)

    async def bear(self, killing: Callable[[], None]) -> None:
        """Play while the site is killed. Then check that each table goes on and each page becomes current."""
        await self.open_tables()
        killer = asyncio.create_task(asyncio.to_thread(killing))
        while not killer.done():
            await self.play()
        await killer
        for people in self._tables:
            await self._go_on(people)
        for visitor in (*(one for people in self._tables for one in people), *self._watchers):
            await wait_until_async(partial(self._is_current, visitor), f"a page of {visitor.table} is current", STALLED)
        assert not self._errors
        self.leave()

    async def _go_on(self, people: list[Visitor]) -> None:
        async def is_somebodys_turn() -> bool:
            return people[0].over or any(visitor.actions for visitor in people)

        await wait_until_async(is_somebodys_turn, f"somebody may act at {people[0].table}", STALLED)
        for visitor in people:
            if visitor.actions and not people[0].over:
                await visitor.act(self.rng.choice)
                return

    async def _is_current(self, visitor: Any) -> bool:
        return bool(visitor.mark == await visitor.current())


class Enough(Exception):
    """Raised by a program to stop playing."""


class Program(Thread):
    """A thread that plays against a bot through the API, at one table after another."""

    def __init__(self, ports: list[int], rng: Random) -> None:
        super().__init__(daemon=True)
        page = Roamer(ports, rng).post("/api-tokens", {"label": "A program"}).text
        self._client = Client(f"http://127.0.0.1:{ports[-1]}", TOKEN.search(page)[1], timeout=STALLED)
        self._rng, self.enough = rng, Event()
        self.played: dict[tuple[str, int], dict[int, int]] = defaultdict(dict)

    def run(self) -> None:
        """Play until `enough` is set."""
        with self._client, suppress(Enough):
            while True:
                table = self._client.open(GAME, ("me", "easy")).table
                self._client.play(self._choose, table)

    def _choose(self, position: Position) -> int:
        if self.enough.is_set():
            raise Enough
        action = self._rng.choice(position.legal).action
        self.played[position.table, 0][position.seen] = action
        return action


def kill_in_turn(processes: list[Process], kills: int, working: float, told: Told, rng: Random) -> None:
    """Kill and restart the processes in turn, each after one more acknowledged action."""
    for i in range(kills):
        pause_at_random(rng, working)
        done, more = len(told.waits), "a visitor is told that something was done"
        wait_until(lambda: len(told.waits) > done, more, STALLED, interval=0.001)  # noqa: B023 - at once
        process = processes[i % len(processes)]
        process.kill()
        pause_at_random(rng, AWAY_FOR)
        process.start()


@pytest.mark.slow
@pytest.mark.parametrize(("database", "usual"), FEW)
def test_repeated_kills_under_load_lose_no_action(
    rounds: Iterator[Round], database: str, usual: int, request: pytest.FixtureRequest
) -> None:
    tables, kills = request.config.option.attack_tables, request.config.option.attack_kills or usual
    if not kills:
        pytest.skip("Three processes and a crowd need cores of their own: with --attack-kills alone.")
    load = Load(tables=tables, streams=int(EACH * tables), rate=RATE, seconds=1.0)
    raise_file_limit()
    for rng, folder in rounds:
        with ExitStack() as stack:
            address, settings, ports = where(stack, database, folder, request)
            processes = [Process(port, folder, **settings) for port in ports]
            for process in processes:
                stack.callback(process.kill)
            engine = open_migrated(address)
            stack.callback(engine.dispose)
            serving = [port for port in ports if port]
            program = Program(serving, Random(rng.random()))
            watcher = Watcher(serving, TableRepository(engine), Random(rng.random()))
            threads = program, watcher
            for thread in threads:
                stack.callback(thread.enough.set)
                thread.start()
            crowd = Throng(serving, load)
            start = perf_counter()
            settled(crowd.bear(partial(kill_in_turn, processes, kills, WORKING + GATHERING * tables, crowd.told, rng)))
            for thread in threads:
                thread.enough.set()
                thread.join()
            for process in processes:
                process.kill()  # otherwise bots would play on while the entries are counted
            acts_in(engine)
            took = perf_counter() - start
            assert watcher.longest < STALLED
            assert len({table for table, _ in crowd.told.acts}) >= tables
            for (table, seat), acts in (crowd.told.acts | program.played).items():
                assert done(TableRepository(engine), table.removeprefix("/table/"), seat) == [
                    acts[seen] for seen in sorted(acts)
                ]
            tell(kills, took, crowd.told, program, watcher)


def where(
    stack: ExitStack, database: str, folder: Path, request: pytest.FixtureRequest
) -> tuple[str, dict[str, str], list[int | None]]:
    """Return the address of a database, the settings of its processes, and their ports.

    The bot worker has the port None.
    """
    if database == "sqlite":
        return f"sqlite:///{folder / DATABASE_FILE}", {}, [free_port()]
    address = stack.enter_context(request.getfixturevalue("postgres").database())
    return address, {"ALMUNIA_DATABASE": address, "ALMUNIA_BOTS": "worker"}, [free_port(), free_port(), None]


def done(store: TableRepository, table: str, seat: int) -> list[int | None]:
    """Return the stored actions of a seat."""
    return [entry.action for entry in store.events(store.find(table)) if (entry.kind, entry.seat) == (MOVE, seat)]


def tell(kills: int, seconds: float, told: Told, program: Program, watcher: Watcher) -> None:
    """Print the results."""
    print(f"{kills} kills in {seconds:,.0f} s: {len(told.waits):,} acts of a crowd", end=" and ")
    print(f"{sum(map(len, program.played.values())):,} of a program, none lost and none doubled", end="; ")
    print(f"{told.again:,} requests sent again; an act was known after {median(told.waits):.2f} s", end=", ")
    print(f"{max(told.waits):.1f} s at most; a table of bots waited for {watcher.longest:.1f} s at most.")
