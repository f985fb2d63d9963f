"""Deliveries: messages on their way to servers of others, which may take long to answer.

One at a time for each guest, and guests take turns: whoever waits for a slow server delays no messages but their own.
A guest costs nothing. So those whose last delivery was slow share half of the threads, however many they are.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from time import monotonic
from typing import NamedTuple

from sqlalchemy.exc import SQLAlchemyError

from ..fair_queue import Turns

THREADS = 8
SLOW_SECONDS = 2.0  # that a delivery may take before its guest counts as slow
MAX_SLOW_GUESTS = 20_000  # that are remembered

log = logging.getLogger(__name__)


class Delivery(NamedTuple):
    """A message, or several by the same way."""

    way: str  # id
    guest: str
    deliver: Callable[[], object]
    done: Future[None]


class Deliveries:
    """Delivers in threads of its own."""

    def __init__(
        self,
        *,
        threads: int = THREADS,
        slow_seconds: float = SLOW_SECONDS,
        timer: Callable[[], float] = monotonic,
    ) -> None:
        self._max_slow, self._slow_seconds, self._timer = threads // 2, slow_seconds, timer
        self._pool = ThreadPoolExecutor(threads, "alert")
        self._lock, self._turns, self._closed = Lock(), Turns(), False
        self._waiting: dict[str, Delivery] = {}  # by way
        self._running: dict[str, Delivery] = {}  # by guest
        self._slow: dict[str, None] = {}  # guests whose last delivery was slow, the latest last

    @property
    def ways(self) -> set[str]:
        """The ids of the ways by which something is delivered or waits for that."""
        with self._lock:
            return {*self._waiting, *(one.way for one in self._running.values())}

    def add(self, way: str, guest: str, deliver: Callable[[], object]) -> Future[None]:
        """Deliver something by a way, by which nothing else may wait; return what ends when that is done or failed."""
        delivery = Delivery(way, guest, deliver, Future())
        with self._lock:
            self._waiting[way] = delivery
        self._pool.submit(self._work)
        return delivery.done

    def close(self) -> None:
        """Begin no more."""
        with self._lock:
            self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _work(self) -> None:
        """Deliver what may be delivered now. What must wait for another delivery is left to the thread of that one."""
        while delivery := self._next():
            began = self._timer()
            try:
                delivery.deliver()
            except SQLAlchemyError as error:  # the database may be away for a while
                log.warning("An alert could not be delivered: %s", error.__cause__ or error)
            except Exception:
                log.exception("An alert could not be delivered.")
            self._finish(delivery, self._timer() - began)

    def _next(self) -> Delivery | None:
        with self._lock:
            ready = [] if self._closed else [one for one in self._waiting.values() if self._may_run(one.guest)]
            if not ready:
                return None
            delivery = min(ready, key=lambda one: self._turns.last(one.guest))
            del self._waiting[delivery.way]
            self._running[delivery.guest] = delivery
            self._turns.serve(delivery.guest)
            return delivery

    def _may_run(self, guest: str) -> bool:
        if guest in self._running:
            return False
        return guest not in self._slow or sum(one in self._slow for one in self._running) < self._max_slow

    def _finish(self, delivery: Delivery, seconds: float) -> None:
        with self._lock:
            del self._running[delivery.guest]
            self._slow.pop(delivery.guest, None)
            if seconds > self._slow_seconds:
                self._slow[delivery.guest] = None
                if len(self._slow) > MAX_SLOW_GUESTS:
                    del self._slow[next(iter(self._slow))]
        delivery.done.set_result(None)
