"""Waiting for a state that another thread or process reaches without a signal.

If there is an event, a stream, a future or a thread to wait for, tests wait for that instead.
"""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from threading import Lock
from time import monotonic, sleep
from typing import TypeVar

TIMEOUT = 90.0  # seconds; far more than a busy machine needs, it only turns a hang into a failure
INTERVAL = 0.01  # seconds between two looks

T = TypeVar("T")


def wait_until(condition: Callable[[], T], what: str, timeout: float = TIMEOUT, interval: float = INTERVAL) -> T:
    """Return the first true value of a condition. Fail after the timeout, with the description `what`."""
    end = monotonic() + timeout
    while not (found := condition()):
        assert monotonic() < end, f"Waited for {timeout:g} s until {what}."
        sleep(interval)
    return found


async def wait_until_async(condition: Callable[[], Awaitable[T]], what: str, timeout: float = TIMEOUT) -> T:  # noqa: ASYNC109
    """Await a condition repeatedly, as `wait_until` calls one."""
    end = monotonic() + timeout
    while not (found := await condition()):
        assert monotonic() < end, f"Waited for {timeout:g} s until {what}."
        await asyncio.sleep(INTERVAL)
    return found


class CountingLock:
    """A lock that counts its requests, so that its holder can wait until other threads want it."""

    def __init__(self) -> None:
        self.asked = 0
        self._counting, self._lock = Lock(), Lock()

    def __enter__(self) -> None:
        with self._counting:
            self.asked += 1
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def pause_at_random(rng: Random, most: float) -> None:
    """Sleep for a random time of at most `most` seconds, before a kill that may come at any moment."""
    sleep(rng.uniform(0, most))
