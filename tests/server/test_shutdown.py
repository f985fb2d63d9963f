"""A process that shuts down tells its proxy, if other processes serve the same site."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT, SIGTERM
from threading import Thread

import httpx2 as httpx
import uvicorn
from sqlalchemy.exc import OperationalError

from almunia.server.app import create_app
from almunia.server.http_server import GracefulServer
from almunia.server.limits import Limits
from almunia.server.settings import Settings

from ..postgres import Server as Postgres
from ..serving import running
from ..waiting import TIMEOUT, wait_until

LONG = Limits(drain_seconds=60.0)


@contextmanager
def serving(settings: Settings) -> Iterator[tuple[GracefulServer, Thread, httpx.Client]]:
    """Serve a site, and yield the server, its thread, and an HTTP client."""
    app = create_app(settings, limits=LONG)
    config, site = uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1), app.state.site
    server = GracefulServer(config, site.broker, site.leaving, LONG.drain_seconds if settings.is_shared else 0)
    with (
        running(server) as (port, thread),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=TIMEOUT) as visitor,
    ):
        yield server, thread, visitor


def test_proxies_notice_before_a_process_ends(postgres: Postgres, tmp_path: Path) -> None:
    with postgres.database() as address:
        settings = Settings(data=tmp_path, database=address, compiled=False)
        with serving(settings) as (server, thread, visitor):
            answer = visitor.get("/health/ready")
            assert (answer.status_code, answer.json()["status"]) == (200, "ok")
            assert answer.headers["cache-control"] == "no-store"
            server.handle_exit(SIGTERM, None)
            wait_until(lambda: visitor.get("/health/ready").status_code == 503, "it is about to end")
            assert visitor.get("/health/ready").json()["status"] == "leaving"
            assert visitor.get("/").status_code == visitor.get("/health").status_code == 200
            assert thread.is_alive()
            server.handle_exit(SIGINT, None)  # a second signal, for an immediate end
            thread.join(TIMEOUT)
            assert not thread.is_alive()
            assert not server.force_exit  # all connections were closed


def test_the_only_process_ends_at_once(tmp_path: Path) -> None:
    with serving(Settings(data=tmp_path, compiled=False)) as (server, thread, _visitor):
        server.should_exit = True
        thread.join(TIMEOUT)
        assert not thread.is_alive()


def test_a_process_takes_visitors_while_the_database_is_away(visitor, monkeypatch) -> None:
    """Otherwise a proxy would drop all processes, and visitors would not see the site's error page."""

    def away() -> None:
        raise OperationalError("SELECT 1", {}, Exception("away"))

    monkeypatch.setattr(visitor.app.state.site.engine, "connect", away)
    assert visitor.get("/health").status_code == 503
    assert visitor.get("/health/ready").status_code == 200
