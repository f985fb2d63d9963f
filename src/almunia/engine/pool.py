"""Work in threads that an interruption ends, where those of the standard library would be waited for."""

import atexit
import os
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from queue import SimpleQueue
from threading import Lock, Thread, current_thread, enumerate as all_threads
from time import monotonic
from typing import Any, Self, TypeVar

from ..errors import SetupError
from ..validation import checked_number
from .interrupts import raise_in

Out = TypeVar("Out")

LOOK = 0.1  # seconds between two looks whether something has happened; nothing wakes a thread that waits without end
AGAIN = 0.5  # seconds after which a thread that has not ended is told once more
PATIENCE = 1.0  # seconds for all threads to end; one that is inside LLVM or a long loop in machine code cannot
LAST = 10.0  # seconds for those to end when Python does, which must not be pulled away from under them
NAME = "almunia-worker"
MOST_THREADS = 1024


class WorkerStopped(BaseException):
    """Raised in a thread whose work nobody waits for any more."""


STARTING = Lock()  # held while a thread is started, which goes by the number of the one that starts it until it runs


def start(thread: Thread) -> None:
    """Start a thread, so that what is raised in the one that starts it is not raised in this one."""
    with STARTING:
        thread.start()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checked_threads(count: int) -> int:
    """A number of threads, if it is one that can be of use."""
    return checked_number("threads", count, 1, MOST_THREADS)


class WorkerPool:
    """So many threads, but no more than there is work for, that do what they are given.

    As a context it ends with them: at once, whatever they are at. What they run sees `Ended` raised, and so may let go
    what it holds. A thread that is inside machine code is left alone, and ends when it comes out of it.

    Args:
        count: threads at most.
        patience: seconds that the end of the context waits for its threads.
        again: seconds after which a thread that has not ended is told once more.
    """

    def __init__(self, count: int, *, patience: float = PATIENCE, again: float = AGAIN) -> None:
        self._tasks: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._lock = Lock()  # held when a thread begins or ends a task, and when one is told to end
        self._busy: set[Thread] = set()
        self._over = False
        self._patience, self._again = patience, again
        self._count = checked_threads(count)
        self._threads: list[Thread] = []

    def submit(self, work: Callable[..., Out], *given: Any) -> Future[Out]:
        """Have this done as soon as a thread is free; SetupError if the system lets none be started for it."""
        if len(self._threads) < self._count:
            self._start_one()
        future: Future[Out] = Future()
        self._tasks.put((future, lambda: work(*given)))
        return future

    def _start_one(self) -> None:
        thread = Thread(target=self._run, name=NAME, daemon=True)
        self._threads.append(thread)  # before it runs: an interruption must find it
        try:
            start(thread)
        except RuntimeError:
            self._threads.remove(thread)
            count = len(self._threads)
            raise SetupError(f"Here no more than {count} threads can be started; ask for that many at most.") from None

    def _run(self) -> None:
        thread = current_thread()
        try:
            while task := self._tasks.get():
                with self._lock:
                    if self._over:
                        return
                    self._busy.add(thread)
                self._do(*task)
                with self._lock:
                    self._busy.discard(thread)
        except WorkerStopped:
            return

    def _do(self, future: Future[Any], work: Callable[[], Any]) -> None:
        try:
            result = work()
        except WorkerStopped:
            raise
        except BaseException as error:  # noqa: BLE001 - whoever waits for the result gets to know
            future.set_exception(error)
        else:
            future.set_result(result)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._over = True
        for _thread in self._threads:
            self._tasks.put(None)
        until = monotonic() + self._patience
        while (left := self._alive()) and monotonic() < until:
            self._tell(left)
            again = min(monotonic() + self._again, until)
            for thread in left:
                thread.join(max(0.0, again - monotonic()))
        for thread in self._alive():
            atexit.register(thread.join, LAST)

    def _alive(self) -> list[Thread]:
        return [thread for thread in self._threads if thread.is_alive()]

    def _tell(self, threads: list[Thread]) -> None:
        with self._lock, STARTING:
            for thread in threads:
                if thread in self._busy:
                    raise_in(thread, WorkerStopped)


def left_over() -> bool:
    """Is there a thread of a crew that could not end yet?"""
    return any(thread.name == NAME for thread in all_threads())


def first_done(futures: Iterable[Future[Out]]) -> tuple[set[Future[Out]], set[Future[Out]]]:
    """Those that are done, one at least, and the others. An interruption is heeded while it waits."""
    done, left = wait(futures, LOOK, FIRST_COMPLETED)
    while not done:
        done, left = wait(left, LOOK, FIRST_COMPLETED)
    return done, left


def side_by_side(work: Callable[..., Out], *given: Iterable[Any]) -> list[Out]:
    """What `map` gives, each call in a thread of its own; a single one is done right here."""
    calls = list(zip(*given, strict=True))
    if len(calls) <= 1:
        return [work(*call) for call in calls]
    with WorkerPool(len(calls)) as crew:
        futures = [crew.submit(work, *call) for call in calls]
        left = set(futures)
        while left:
            done, left = first_done(left)
            for future in done:
                future.result()  # raises what was raised there, without waiting for the others
        return [future.result() for future in futures]
