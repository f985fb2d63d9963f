"""Sites for tests over real connections, in a thread or in another process."""

import asyncio
import re
import socket
import subprocess
import sys
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, closing, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import uvicorn
from anyio.from_thread import start_blocking_portal
from starlette.types import ASGIApp

from almunia.server.app import create_app
from almunia.server.settings import Settings

from .waiting import TIMEOUT, wait_until


@contextmanager
def served(settings: Settings, port: int = 0, **config: object) -> Iterator[int]:
    """Serve a site for the duration of the block, and yield its port. The port 0 stands for any free port."""
    with answering(create_app(settings), port, **config) as found:
        yield found


@contextmanager
def answering(app: ASGIApp, port: int = 0, **config: object) -> Iterator[int]:
    """Serve an application, as `served` does.

    Keep the handlers of logging: uvicorn would close all of them, also the file in which pytest captures.
    """
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1, **config))
    with running(server, port) as (found, _):
        yield found


@contextmanager
def running(server: uvicorn.Server, port: int = 0) -> Iterator[tuple[int, Thread]]:
    """Run a server in a thread for the duration of the block, and yield its port and the thread."""
    with closing(socket.socket()) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        wait_until(lambda: server.started or not thread.is_alive(), "the site has started")
        assert server.started, "the site did not start"
        try:
            yield listening.getsockname()[1], thread
        finally:
            server.should_exit = True
            thread.join(TIMEOUT)
            assert not thread.is_alive(), "the site does not end"


@contextmanager
def in_event_loop(context: AbstractAsyncContextManager[Any]) -> Iterator[None]:
    """Enter an asynchronous context in an event loop of another thread, for the duration of the block."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(context):
        yield


def settled(work: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of an awaitable from another thread, because a browser's loop may run in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def read_table(page: str) -> tuple[int, int, list[int]]:
    """Return what the page of a table says: the seat shown, its version, and the actions offered."""
    seat, seen = (int(re.search(rf'data-{name}="(-?\d+)"', page)[1]) for name in ("seat", "seen"))
    return seat, seen, [int(action) for action in re.findall(r'name="action" value="(\d+)"', page)]


def free_port() -> int:
    """Return a port at which no program listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def serve(port: int, folder: Path, **config: Any) -> "subprocess.Popen[bytes]":
    """Start `almunia serve` in another process."""
    command = [sys.executable, "-m", "almunia", "serve", "--port", str(port), "--data", str(folder), "--no-browser"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, **config)


def await_answers(port: int, process: "subprocess.Popen[Any]", timeout: float = TIMEOUT) -> None:
    """Wait until a site accepts connections; fail if its process ends."""

    def answers() -> bool:
        assert process.poll() is None, "the site did not start"
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            return False
        return True

    wait_until(answers, "the site answers", timeout)
