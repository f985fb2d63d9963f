"""Clocks for tests. A site with one of these clocks can experience months in a short test."""

import asyncio
import selectors
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from math import inf
from typing import Any, TypeVar

import pytest

from almunia.server.clock import Clock
from almunia.server.limits import Limits

T = TypeVar("T")
BY_HAND = 3600.0  # seconds between two rounds of the caretaker: all that a test sees are its own
# However far a test moves the clock at once, the site was there all the time.
NEVER_AWAY = pytest.mark.parametrize("limits", [Limits(outage_seconds=inf, maintenance_seconds=BY_HAND)], ids=[""])


class ManualClock(Clock):
    """A clock that stands still until a test moves it."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += seconds

    def set(self, now: float) -> None:
        """Set the time, in seconds since 1970."""
        self._now = now


class ShiftedClock(Clock):
    """The system's clock, ahead by the time that a test has added."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> float:
        return super().now() + self._ahead

    def advance(self, seconds: float) -> None:
        self._ahead += seconds


class FakeLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock stands still while a task is ready, and jumps to the next timer otherwise.

    It does not wait for threads, so tests must call their functions directly.
    """

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(Waiting(self))

    def time(self) -> float:
        """Return the seconds since the loop was created."""
        return self.now


class Waiting(selectors.DefaultSelector):
    """A selector that never waits."""

    def __init__(self, loop: FakeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list:
        """Return the ready events. If there are none, advance the clock by the timeout."""
        ready = super().select(0)
        if not ready and timeout:
            self._loop.now += timeout
        return ready


def run_at_once(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a new thread and event loop, where timers fire without waiting, and return its result.

    The main thread may have a loop from a browser's test.
    """
    with ThreadPoolExecutor(1) as thread, closing(FakeLoop()) as loop:
        return thread.submit(loop.run_until_complete, work).result()
