"""A site that runs in a thread of this process, for tests that need real connections."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Thread
from time import monotonic, sleep

import uvicorn

from almunia.server.app import create_app
from almunia.server.settings import Settings


@contextmanager
def served(settings: Settings, port: int = 0, **config: object) -> Iterator[int]:
    """A site until it is let go; gives its port, which is any free one if none is asked for."""
    with closing(socket.socket()) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        app = create_app(settings)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1, **config))
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        end = monotonic() + 20
        while not server.started:
            assert monotonic() < end, "the site does not start"
            sleep(0.02)
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()
