"""Exports of personal data, one file each, written one after the other.

An export replays every running game of a player, which takes seconds. Eight exports at a time occupied all threads
that serve pages, so an executor writes the exports. Each player and each network may wait for one export.
"""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Lock

from starlette.responses import Response

from ..errors import Conflict, TooManyRequests

MAX_WAITING = 50  # exports in the queue
EXPORT_RUNNING = "Your file is already being written. Please wait until it is ready."
NETWORK_BUSY = "A file for another player in your network is being written. Please try again in a minute."
TOO_MANY_EXPORTS = "Too many files are being written at the moment. Please try again in a minute."


class Exports:
    """Writes exports one after the other, in the order of the requests."""

    def __init__(self, executor: Executor, *, max_waiting: int = MAX_WAITING) -> None:
        self._executor, self._max_waiting = executor, max_waiting
        self._lock = Lock()
        self._waiting: dict[str, str] = {}  # network by guest

    def submit(self, guest: str, network: str, write: Callable[[], Response]) -> Future[Response]:
        """Queue an export, and return its future.

        Raises:
            Conflict: an export of the same guest is in the queue.
            TooManyRequests: the queue is full, or holds an export for the same network, unless `network` is empty.
        """
        with self._lock:
            if guest in self._waiting:
                raise Conflict(EXPORT_RUNNING)
            if network and network in self._waiting.values():
                raise TooManyRequests(NETWORK_BUSY)
            if len(self._waiting) >= self._max_waiting:
                raise TooManyRequests(TOO_MANY_EXPORTS)
            written = self._executor.submit(write)
            self._waiting[guest] = network
        written.add_done_callback(lambda _: self._remove(guest))  # also if it was cancelled
        return written

    def _remove(self, guest: str) -> None:
        with self._lock:
            del self._waiting[guest]
