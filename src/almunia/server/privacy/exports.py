"""Exports: everything about a person as one file, written beside all other requests.

Every running game of a person is replayed for it, which takes seconds: eight at a time kept all threads that answer
busy. So one thread writes them, one at a time for a person and for a network.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock

from starlette.responses import Response

from ..errors import Conflict, TooManyRequests

MAX_WAITING = 50  # people whose files are being written or wait for that
WRITING = "Your file is being written already. Please wait for it, then ask again if you need another one."
NEAR = "Somebody in your network is taking their file along at the moment. Please try again in a minute."
FULL = "Many people are taking their files along at the moment. Please try again in a minute."


class Exports:
    """Writes files one after the other, in the order in which they were asked for."""

    def __init__(self, *, max_waiting: int = MAX_WAITING) -> None:
        self._max_waiting = max_waiting
        self._pool = ThreadPoolExecutor(1, "export")
        self._lock = Lock()
        self._waiting: dict[str, str] = {}  # the network of each guest

    def ask(self, guest: str, network: str, write: Callable[[], Response]) -> Future[Response]:
        """Return the file of a guest, when it has been written.

        Raises:
            Conflict: one is being written for the same guest.
            TooManyRequests: one is being written for the same network, unless that is empty, or too many wait.
        """
        with self._lock:
            if guest in self._waiting:
                raise Conflict(WRITING)
            if network and network in self._waiting.values():
                raise TooManyRequests(NEAR)
            if len(self._waiting) >= self._max_waiting:
                raise TooManyRequests(FULL)
            written = self._pool.submit(write)
            self._waiting[guest] = network
        written.add_done_callback(lambda _: self._forget(guest))  # also if nobody wants it any more
        return written

    def _forget(self, guest: str) -> None:
        with self._lock:
            del self._waiting[guest]

    def close(self) -> None:
        """Write no more."""
        self._pool.shutdown(wait=True, cancel_futures=True)
