"""Several processes on one PostgreSQL database, each killed in turn: no action is lost or doubled, and games go on."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random
from threading import Event, Thread
from time import monotonic

import pytest
from sqlalchemy import Engine, select

from almunia.server.storage import schema
from almunia.server.storage.database import open_migrated
from almunia.server.tables.builds import GameBuilds
from almunia.server.tables.model import MOVE
from almunia.server.tables.repository import TableRepository
from almunia.server.tables.state import TableState

from ..serving import await_answers, free_port, serve
from ..waiting import pause_at_random, wait_until
from .conftest import Round
from .test_kills import GAME, LOST, STALLED, Player
from .wire import Answer, dial

PLAYERS, WATCHED = 3, 2  # people who play, and tables on which only bots play
WORKING = 1.5  # seconds of play before each kill, at most
LOOK = 0.05  # seconds between two checks of the tables


class Process:
    """A process of the site that can be killed and started again."""

    def __init__(self, port: int | None, folder: Path, **settings: str) -> None:
        self.port, self._folder = port, folder
        self._log = folder / f"log-{port or 'bot-worker'}.txt"
        self._env = {**os.environ, "ALMUNIA_RATE_LIMIT": "1000000/minute", **settings}
        self.start()

    def start(self) -> None:
        """Start the process, and wait until a site answers."""
        with self._log.open("ab") as errors:
            if self.port is None:
                command = [sys.executable, "-m", "almunia", "bot-worker"]
                self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, env=self._env)
            else:
                self._process = serve(self.port, self._folder, stderr=errors, env=self._env)
                await_answers(self.port, self._process, STALLED)

    def kill(self) -> None:
        """Kill the process, and check that it has logged no exception."""
        self._process.kill()
        self._process.wait()
        assert "Traceback" not in self._log.read_text()


class Roamer(Player):
    """A player at one table after another, whose requests go to random processes."""

    def __init__(self, ports: list[int], rng: Random) -> None:
        self.ports = ports
        super().__init__(ports[0], rng)
        self.played = {self.table: self.acknowledged}

    def run(self) -> None:
        """Play until `enough` is set."""
        while not self.enough.is_set():
            super().run()
            with suppress(LOST):
                self._open()

    def _open(self) -> None:
        table = self.post(f"/games/{GAME}/tables", {"seat-0": "me", "seat-1": "here"}).headers["location"]
        page = self.ask(b"GET", table).text
        self.table, self.page, self.acknowledged = table, page, []
        self.played[table] = self.acknowledged

    def ask(self, *given: object) -> Answer:
        """Send a request to a random process."""
        self.port = self.rng.choice(self.ports)
        return super().ask(*given)

    def stream(self, table: str) -> socket.socket:
        """Open the stream of a table at a random process, as a socket that does not block."""
        self.port = self.rng.choice(self.ports)
        stream = dial(self.port, self.request(b"GET", f"/table/{table}/stream").sent)
        stream.setblocking(False)
        return stream


class Watcher(Thread):
    """A thread that keeps streams at tables with only bots, so that they play, and measures their longest pause."""

    def __init__(self, ports: list[int], store: TableRepository, rng: Random) -> None:
        super().__init__(daemon=True)
        self._host, self._store, self.enough = Roamer(ports, rng), store, Event()
        self.tables: list[str] = []
        self._moved: dict[str, tuple[int, float]] = {}  # by table: the last version, and the time of its first check
        self._streams: dict[str, socket.socket] = {}  # streams of the tables' pages; bots play only with a viewer
        self.longest = 0.0  # the longest time without a move at a table, in seconds

    def run(self) -> None:
        """Watch the tables until `enough` is set."""
        while not self.enough.wait(LOOK):
            if len(self._moved) < WATCHED:
                self._open()
            for name, (version, since) in list(self._moved.items()):
                self._watch(name)
                table, now = self._store.find(name), monotonic()
                self.longest = max(self.longest, now - since)
                if table.finished:
                    del self._moved[name]
                    self._streams.pop(name).close()
                elif table.version != version:
                    self._moved[name] = table.version, now
        for stream in self._streams.values():
            stream.close()

    def _open(self) -> None:
        try:
            table = self._host.post(f"/games/{GAME}/tables", {"seat-0": "me", "seat-1": "bot-easy"}).headers["location"]
            self._host.post(f"{table}/leave", {"seat": 0, "spec": "easy"})
        except LOST:
            return
        name = table.removeprefix("/table/")
        self.tables.append(name)
        self._moved[name] = 0, monotonic()

    def _watch(self, name: str) -> None:
        if name in self._streams and not is_open(self._streams[name]):  # its process was killed
            self._streams.pop(name).close()
        if name not in self._streams:
            with suppress(LOST):
                self._streams[name] = self._host.stream(name)


def is_open(stream: socket.socket) -> bool:
    """Discard the data on a connection, and return whether it is still open."""
    try:
        while stream.recv(65536):
            pass
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def await_more(players: list[Roamer]) -> None:
    """Wait until one more action of a player is acknowledged."""
    done = acknowledged(players)
    more = "a player is told that something was done"
    wait_until(lambda: acknowledged(players) > done, more, STALLED, interval=0.001)


def acknowledged(players: list[Roamer]) -> int:
    """Return the number of acknowledged actions of all players."""
    return sum(len(acts) for player in players for acts in list(player.played.values()))


def versions(engine: Engine, watcher: Watcher) -> int:
    """Return the sum of the versions of the tables with only bots."""
    return sum(TableRepository(engine).version(table) for table in watcher.tables)


def acts_in(engine: Engine) -> dict[str, list[int]]:
    """Return the actions of each table, after checking that its events have no gap and replay to its turn."""
    store, builds = TableRepository(engine), GameBuilds()
    acts = {}
    for table in store.all():
        entries = store.events(table)
        state = TableState.from_events(table, entries, builds.get(table.game))
        assert (len(entries), state.play.turn) == (table.version, table.turn)
        acts[table.id] = [entry.action for entry in entries if entry.kind == MOVE]
    with engine.connect() as db:
        e = schema.table_event.c
        numbers = db.execute(select(e.table, e.number).order_by(e.table, e.number)).all()
    assert [number for _, number in numbers] == [
        number for table in sorted(acts) for number in range(1, len(store.events(store.find(table))) + 1)
    ]
    return acts


@pytest.mark.slow
@pytest.mark.exhaustive
def test_killing_any_process_loses_and_doubles_no_action(rounds: Iterator[Round], postgres) -> None:
    for rng, folder in rounds:
        with ExitStack() as stack:
            address = stack.enter_context(postgres.database())
            engine = open_migrated(address)
            stack.callback(engine.dispose)
            ports = [free_port(), free_port()]
            settings = {"ALMUNIA_DATABASE": address, "ALMUNIA_BOTS": "worker"}
            processes = [Process(port, folder, **settings) for port in (*ports, None)]
            for process in processes:
                stack.callback(process.kill)
            players = [Roamer(ports, Random(rng.random())) for _ in range(PLAYERS)]
            watcher = Watcher(ports, TableRepository(engine), Random(rng.random()))
            threads = (*players, watcher)
            for thread in threads:
                stack.callback(thread.enough.set)
                thread.start()
            for process in rng.sample(processes, len(processes)):
                pause_at_random(rng, WORKING)
                await_more(players)
                process.kill()
                pause_at_random(rng, WORKING)
                process.start()
            seen = versions(engine, watcher)
            wait_until(lambda: versions(engine, watcher) > seen, "a bot plays on", STALLED)  # noqa: B023 - at once
            for thread in threads:
                thread.enough.set()
                thread.join()
            for process in processes:
                process.kill()  # otherwise bots would play on while the entries are counted
            found = acts_in(engine)
            assert watcher.longest < STALLED
            played = {table: acts for player in players for table, acts in player.played.items()}
            print(f"{sum(map(len, played.values()))} acts of people acknowledged, ", end="")
            print(f"{sum(len(found[table]) for table in watcher.tables)} of bots; ", end="")
            print(f"a table of bots waited for {watcher.longest:.1f} s at most")
            for table, acknowledged in played.items():
                assert found[table.removeprefix("/table/")] == acknowledged
