"""Background work of a process: periodic tasks, and executors with a limited share of a thread pool."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, Future, wait as wait_for_all
from contextlib import asynccontextmanager
from functools import partial
from threading import Lock
from typing import Any, ParamSpec, TypeVar

from anyio import create_task_group, move_on_after, sleep
from anyio.to_thread import run_sync
from sqlalchemy.exc import SQLAlchemyError

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)


class Lane(Executor):
    """An executor that uses at most `size` threads of another executor at a time.

    Further calls wait in order. A call that waits for another call of its lane could wait forever.
    """

    def __init__(self, threads: Executor, size: int = 1) -> None:
        self._threads, self._free, self._is_closed = threads, size, False
        self._lock = Lock()
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._unfinished: set[Future[Any]] = set()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue a call, and return its future; RuntimeError after `shutdown`."""
        future: Future[T] = Future()
        with self._lock:
            if self._is_closed:
                raise RuntimeError("This executor is closed.")
            self._waiting.append((future, partial(fn, *args, **kwargs)))
            self._unfinished.add(future)
        future.add_done_callback(self._unfinished.discard)
        self._start_next()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more calls.

        If `cancel_futures`, cancel the calls that have not begun. If `wait`, wait for the calls that remain.
        """
        with self._lock:
            self._is_closed = True
        for future in self._unfinished.copy() if cancel_futures else ():
            future.cancel()
        if wait:
            wait_for_all(self._unfinished.copy())

    def _start_next(self) -> None:
        with self._lock:
            if not self._waiting or not self._free:
                return
            self._free -= 1
            future, call = self._waiting.popleft()
        self._threads.submit(self._run, future, call)

    def _run(self, future: Future[Any], call: Callable[[], Any]) -> None:
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(call())
            except BaseException as error:  # noqa: BLE001 - the future's owner gets it
                future.set_exception(error)
        with self._lock:
            self._free += 1
        self._start_next()


class PeriodicTask:
    """Work that runs in a thread at an interval, and when triggered."""

    def __init__(
        self,
        work: Callable[[], object],
        interval_seconds: float,
        failure: str,
        *,
        rest_seconds: float = 0,
    ) -> None:
        """Make a task.

        The first of several failures in a row is logged as `failure`. At least `rest_seconds` lie between two runs.
        """
        self._work, self._failure = work, failure
        self._interval_seconds, self._rest_seconds = interval_seconds, rest_seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._triggered = asyncio.Event()
        self._has_failed = False

    def trigger(self) -> None:
        """Request a run of the work; may be called from any thread."""
        if self._loop is None:
            self._triggered.set()
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._triggered.set)

    async def run(self) -> None:
        """Run the work until cancelled; the first run comes after one interval, or when triggered."""
        self._loop = asyncio.get_running_loop()
        while True:
            with move_on_after(self._interval_seconds):
                await self._triggered.wait()
            self._triggered.clear()
            await run_sync(self.run_once)
            await sleep(self._rest_seconds)

    def run_once(self) -> None:
        """Run the work. A failure is logged, unless the last run has failed too."""
        had_failed, self._has_failed = self._has_failed, True
        try:
            self._work()
            self._has_failed = False
        except SQLAlchemyError as error:  # the database may be away for a while
            if not had_failed:
                log.warning("%s: %s", self._failure, error.__cause__ or error)
        except Exception:
            if not had_failed:
                log.exception("%s.", self._failure)


@asynccontextmanager
async def run_tasks(*tasks: PeriodicTask) -> AsyncIterator[None]:
    """Run tasks during the block, and wait for their current runs at its end."""
    async with create_task_group() as group:
        for task in tasks:
            group.start_soon(task.run)
        yield
        group.cancel_scope.cancel()
