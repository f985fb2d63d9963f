"""Worker threads that stop soon when their results are no longer needed.

Every task has a stop flag, which its pool sets. Workers check the flag at safe points, such as between two compiler
passes. Exceptions are never raised in a thread from outside.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from threading import Event, Thread, current_thread, enumerate as all_threads, local
from time import monotonic
from typing import Any, Self, TypeVar

from ..errors import SetupError
from ..validation import check_int

Out = TypeVar("Out")

POLL_SECONDS = 0.1  # between two looks at the stop flag; Windows delivers Ctrl-C to no thread that waits longer
STOP_TIMEOUT_SECONDS = 0.5  # for the workers of a closed pool; a worker inside LLVM or a machine code loop takes longer
THREAD_NAME = "almunia-worker"
MAX_THREADS = 1024

_worker = local()  # .stop: the stop flag of this thread's task


class WorkerStopped(BaseException):
    """The error that ends a stopped task in its worker. A bot's `except Exception` does not catch a BaseException."""


def check_stop() -> None:
    """Raise WorkerStopped if this thread is a worker whose task has been stopped."""
    stop: Event | None = getattr(_worker, "stop", None)
    if stop is not None and stop.is_set():
        raise WorkerStopped


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_threads(count: int) -> int:
    """Return `count` as an int. Raise SetupError unless `count` is an integer from 1 to MAX_THREADS."""
    return check_int("threads", count, 1, MAX_THREADS)


class WorkerPool:
    """An executor of at most `count` threads. As a context manager, the pool stops its tasks at the end, as in `stop`.

    Args:
        count: the maximum number of threads.
        stop_timeout: seconds that the end of the context waits for workers to reach a safe point.
    """

    def __init__(self, count: int, *, stop_timeout: float = STOP_TIMEOUT_SECONDS) -> None:
        self._stop, self._stop_timeout, self._is_closed = Event(), stop_timeout, False
        threads = self._threads = list[Thread]()
        self._executor = ThreadPoolExecutor(check_threads(count), THREAD_NAME, lambda: threads.append(current_thread()))

    def submit(self, work: Callable[..., Out], *args: Any) -> Future[Out]:
        """Schedule `work(*args)` for a thread, and return the future.

        Raise SetupError if the pool is closed or no further thread can start.
        """
        try:
            return self._executor.submit(_run, self._stop, work, args)
        except RuntimeError:
            if self._is_closed:
                raise SetupError("This pool of threads is closed, so it takes no more tasks.") from None
            count = len(self._threads)
            raise SetupError(f"Here no more than {count} threads can be started; ask for that many at most.") from None

    def stop_tasks(self) -> None:
        """Stop all current tasks at their next safe point. The pool still accepts new tasks."""
        self._stop.set()
        self._stop = Event()

    def stop(self) -> None:
        """Stop the running tasks, drop waiting tasks, and accept no new tasks. Do not wait for the workers."""
        self._is_closed = True
        self._stop.set()
        self._executor.shutdown(wait=False, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        deadline = monotonic() + self._stop_timeout
        for thread in self._threads:
            thread.join(max(0.0, deadline - monotonic()))


def _run(stop: Event, work: Callable[..., Out], args: tuple[Any, ...]) -> Out:
    _worker.stop = stop
    return work(*args)


def has_running_workers() -> bool:
    """Return whether a worker thread of any pool is alive."""
    return any(thread.name.startswith(THREAD_NAME) for thread in all_threads())


def wait_first(futures: Iterable[Future[Out]]) -> tuple[set[Future[Out]], set[Future[Out]]]:
    """Wait until a future is done. Return the done and the pending futures. Raise WorkerStopped in a stopped worker."""
    left = set(futures)
    while True:
        check_stop()
        done, left = wait(left, POLL_SECONDS, FIRST_COMPLETED)
        if done:
            return done, left


def parallel_map(work: Callable[..., Out], *iterables: Iterable[Any]) -> list[Out]:
    """Return the results of all calls, as `map` does, with a thread for each call. A single call runs in this thread.

    The iterables must have the same length. The first error stops the other calls, and is raised.
    """
    calls = list(zip(*iterables, strict=True))
    if len(calls) <= 1:
        return [work(*call) for call in calls]
    with WorkerPool(len(calls)) as pool:
        return results_of([pool.submit(work, *call) for call in calls])


def results_of(futures: list[Future[Out]]) -> list[Out]:
    """Wait for all futures and return their results. Raise the error of a failed future without waiting for the others.

    Raise WorkerStopped in a stopped worker.
    """
    while True:
        check_stop()
        done, left = wait(futures, POLL_SECONDS, FIRST_EXCEPTION)
        if not left:
            return [future.result() for future in futures]
        for future in done:
            future.result()
