"""A site that is killed at random moments: each acknowledged action is stored once, and the games go on."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPException
from itertools import count
from pathlib import Path
from random import Random
from sqlite3 import connect
from threading import Event, Thread
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from almunia.server.settings import DATABASE_FILE, SECRET_FILE

from ..serving import await_answers, free_port, read_table, serve
from ..waiting import pause_at_random, wait_until
from .conftest import Round
from .wire import Answer, Request, ask

if TYPE_CHECKING:
    from subprocess import Popen

PLAYERS = 3
STARTING, ACTING = 2.0, 1.0  # seconds after which a site is killed, at most
STALLED = 120.0  # seconds without a response that count as a failure, even on a busy machine
GAME = "alpujarras"  # a game that several people can play on one screen without a curtain
DONE, STALE = 200, 409
LOST = (OSError, HTTPException)  # no response, or an incomplete one


class Player(Thread):
    """A thread that plays at a table. A request without a response is sent again."""

    def __init__(self, port: int, rng: Random) -> None:
        super().__init__(daemon=True)
        self.port, self.rng, self.enough = port, rng, Event()
        self.cookie, self.acknowledged = b"", list[int]()
        self.post("/preferences", {"forced": "ask"})  # no automatic answers, so each request plays one action
        self.table = self.post(f"/games/{GAME}/tables", {"seat-0": "me", "seat-1": "here"}).headers["location"]
        self.page = self.ask(b"GET", self.table).text

    def run(self) -> None:
        """Play until `enough` is set or the game is over."""
        while not self.enough.is_set():
            seat, seen, actions = read_table(self.page)
            if not actions:
                return
            action = self.rng.choice(actions)
            self.act({"action": action, "seat": seat, "seen": seen, "sure": action})

    def act(self, fields: dict[str, int]) -> None:
        """Play an action, until the site accepts it or says that the page is out of date."""
        tries = count(1)

        def ask() -> tuple[int, Answer] | None:
            tried = next(tries)
            try:
                return tried, self.post(f"{self.table}/move", fields)
            except LOST:
                return None

        tried, answer = wait_until(ask, "the site answers", STALLED)
        assert answer.status == DONE or (answer.status == STALE and tried > 1), answer.text
        self.acknowledged.append(fields["action"])
        self.page = answer.text

    def post(self, path: str, fields: dict[str, int] | dict[str, str]) -> Answer:
        """Send a form, and keep the cookie of the response."""
        body = urlencode(fields).encode()
        more = ((b"Content-Type", b"application/x-www-form-urlencoded"), (b"Content-Length", b"%d" % len(body)))
        answer = self.ask(b"POST", path, more, body)
        self.cookie = answer.headers.get("set-cookie", self.cookie.decode()).partition(";")[0].encode()
        return answer

    def ask(self, method: bytes, path: str, more: tuple[tuple[bytes, bytes], ...] = (), body: bytes = b"") -> Answer:
        return ask(self.port, self.request(method, path, more, body))

    def request(
        self, method: bytes, path: str, more: tuple[tuple[bytes, bytes], ...] = (), body: bytes = b""
    ) -> Request:
        """Return a request as the site's own page sends it."""
        host = b"127.0.0.1:%d" % self.port
        own = ((b"Host", host), (b"Origin", b"http://" + host), (b"HX-Request", b"true"), (b"Cookie", self.cookie))
        return Request(method, path.encode(), (*own, (b"Connection", b"close"), *more), body)


def await_acknowledgement(players: list[Player]) -> None:
    """Wait until one more action of a player is acknowledged."""
    done = sum(len(player.acknowledged) for player in players)

    def is_more() -> bool:
        assert any(player.is_alive() for player in players)
        return sum(len(player.acknowledged) for player in players) > done

    wait_until(is_more, "a player is told that something was done", STALLED, interval=0.001)


@contextmanager
def serving(port: int, folder: Path, log: Path) -> Iterator["Popen[bytes]"]:
    """Serve a site that is killed at the end. Check that it has logged no exception."""
    with log.open("wb") as errors:
        site = serve(port, folder, stderr=errors, env={**os.environ, "ALMUNIA_RATE_LIMIT": "1000000/minute"})
        try:
            yield site
        finally:
            site.kill()
            site.wait()
    assert "Traceback" not in log.read_text()


def acts_in(folder: Path) -> dict[str, list[int]]:
    """Check a database, and return the actions of each table."""
    with closing(connect(folder / DATABASE_FILE)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        versions = dict(database.execute("SELECT id, version FROM game_table").fetchall())
        acts: dict[str, list[int]] = {table: [] for table in versions}
        for table, number, action in database.execute(
            'SELECT "table", number, action FROM table_event ORDER BY number'
        ):
            acts[table].append(action)
            assert number == len(acts[table])
    assert {table: len(actions) for table, actions in acts.items()} == versions
    return acts


@pytest.mark.slow
@pytest.mark.exhaustive
def test_killing_the_site_loses_and_doubles_no_action(rounds: Iterator[Round]) -> None:
    for rng, folder in rounds:
        port, log, data = free_port(), folder / "log.txt", folder / "data"
        with serving(port, data, log):
            pause_at_random(rng, STARTING)
        with serving(port, data, log) as site:
            await_answers(port, site)
            key = (data / SECRET_FILE).read_bytes()
            players = [Player(port, Random(rng.random())) for _ in range(PLAYERS)]
            for player in players:
                player.start()
            pause_at_random(rng, ACTING)
            await_acknowledgement(players)
        kept = acts_in(data)
        with serving(port, data, log) as site:
            await_answers(port, site)
            await_acknowledgement(players)
            pause_at_random(rng, ACTING)
            for player in players:
                player.enough.set()
                player.join()
        found = acts_in(data)
        assert (data / SECRET_FILE).read_bytes() == key
        for player in players:
            name = player.table.removeprefix("/table/")
            assert found[name] == player.acknowledged
            assert found[name][: len(kept[name])] == kept[name]
        assert any(kept.values())
