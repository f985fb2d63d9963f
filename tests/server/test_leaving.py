"""A process that is about to end says so to proxies, where others serve the same site, and to nobody else."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT, SIGTERM
from threading import Thread
from time import monotonic, sleep

import httpx2 as httpx
import uvicorn
from sqlalchemy.exc import OperationalError

from almunia.server import connections
from almunia.server.app import create_app
from almunia.server.connections import Server
from almunia.server.settings import Settings

from ..postgres import Server as Postgres

PATIENCE = 60  # seconds


@contextmanager
def serving(settings: Settings) -> Iterator[tuple[Server, Thread, httpx.Client]]:
    """A server, what it runs in, and who asks it."""
    app = create_app(settings)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1), app.state.site)
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            wait_until(lambda: server.started)
            with httpx.Client(base_url=f"http://127.0.0.1:{listening.getsockname()[1]}") as visitor:
                yield server, thread, visitor
        finally:
            server.should_exit = True
            thread.join()


def wait_until(condition: Callable[[], object]) -> None:
    """Until something holds."""
    end = monotonic() + PATIENCE
    while not condition():
        assert monotonic() < end
        sleep(0.01)


def test_proxies_notice_before_a_process_ends(postgres: Postgres, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(connections, "LEAVING", int(PATIENCE / connections.STEP))
    with postgres.database() as address:
        settings = Settings(data=tmp_path, database=address, compiled=False)
        with serving(settings) as (server, thread, visitor):
            answer = visitor.get("/health/process")
            assert (answer.status_code, answer.json()["status"]) == (200, "ok")
            assert answer.headers["cache-control"] == "no-store"
            server.handle_exit(SIGTERM, None)
            wait_until(lambda: visitor.get("/health/process").status_code == 503)
            assert visitor.get("/health/process").json()["status"] == "leaving"
            assert visitor.get("/").status_code == visitor.get("/health").status_code == 200
            assert thread.is_alive()
            server.handle_exit(SIGINT, None)  # by somebody who will not wait
            thread.join(PATIENCE / 2)
            assert not thread.is_alive()
            assert not server.force_exit  # all has been closed


def test_the_only_process_ends_at_once(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(connections, "LEAVING", int(2 * PATIENCE / connections.STEP))
    with serving(Settings(data=tmp_path, compiled=False)) as (server, thread, _visitor):
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_a_process_takes_visitors_while_the_database_is_away(visitor, monkeypatch) -> None:
    """Else a proxy would leave out all of them, and nobody would read the site's own page about it."""

    def away() -> None:
        raise OperationalError("SELECT 1", {}, Exception("away"))

    monkeypatch.setattr(visitor.app.state.site.engine, "connect", away)
    assert visitor.get("/health").status_code == 503
    assert visitor.get("/health/process").status_code == 200
