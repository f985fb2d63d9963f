"""Deliveries of messages to other servers, which may answer slowly.

Each guest has one delivery at a time, and guests take turns. Guests whose last delivery was slow share one thread:
anyone can become many guests.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Lock
from time import monotonic
from typing import NamedTuple

from sqlalchemy.exc import SQLAlchemyError

from ..fair_queue import Turns

SLOW_SECONDS = 2.0  # of a delivery, after which its guest counts as slow
MAX_SLOW_GUESTS = 20_000  # in memory

log = logging.getLogger(__name__)


class Delivery(NamedTuple):
    """A message, or several through the same channel."""

    channel: str  # id
    guest: str
    deliver: Callable[[], object]
    done: Future[None]


class Deliveries:
    """Runs deliveries in the threads of an executor, which needs at least two."""

    def __init__(
        self,
        executor: Executor,
        *,
        slow_seconds: float = SLOW_SECONDS,
        timer: Callable[[], float] = monotonic,
    ) -> None:
        self._executor, self._slow_seconds, self._timer = executor, slow_seconds, timer
        self._lock, self._turns, self._closed = Lock(), Turns(), False
        self._waiting: dict[str, Delivery] = {}  # by channel id
        self._running: dict[str, Delivery] = {}  # by guest
        self._slow: dict[str, None] = {}  # guests whose last delivery was slow, the latest last

    @property
    def channels(self) -> set[str]:
        """The ids of channels with a delivery that runs or waits."""
        with self._lock:
            return {*self._waiting, *(one.channel for one in self._running.values())}

    def add(self, channel: str, guest: str, deliver: Callable[[], object]) -> Future[None]:
        """Queue a delivery through a channel without one in the queue; return a future that ends with the delivery."""
        delivery = Delivery(channel, guest, deliver, Future())
        with self._lock:
            self._waiting[channel] = delivery
        self._executor.submit(self._work)
        return delivery.done

    def close(self) -> None:
        with self._lock:
            self._closed = True

    def _work(self) -> None:
        if delivery := self._next():
            began = self._timer()
            try:
                delivery.deliver()
            except SQLAlchemyError as error:  # the database may be away for a while
                log.warning("An alert could not be delivered: %s", error.__cause__ or error)
            except Exception:
                log.exception("An alert could not be delivered.")
            self._finish(delivery, self._timer() - began)
            self._executor.submit(self._work)

    def _next(self) -> Delivery | None:
        with self._lock:
            ready = [] if self._closed else [one for one in self._waiting.values() if self._may_run(one.guest)]
            if not ready:
                return None
            delivery = min(ready, key=lambda one: self._turns.last(one.guest))
            del self._waiting[delivery.channel]
            self._running[delivery.guest] = delivery
            self._turns.serve(delivery.guest)
            return delivery

    def _may_run(self, guest: str) -> bool:
        if guest in self._running:
            return False
        return guest not in self._slow or not any(one in self._slow for one in self._running)

    def _finish(self, delivery: Delivery, seconds: float) -> None:
        with self._lock:
            del self._running[delivery.guest]
            self._slow.pop(delivery.guest, None)
            if seconds > self._slow_seconds:
                self._slow[delivery.guest] = None
                if len(self._slow) > MAX_SLOW_GUESTS:
                    del self._slow[next(iter(self._slow))]
        delivery.done.set_result(None)
