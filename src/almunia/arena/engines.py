"""What carries out plays side by side: threads of this machine. `ray_engine` does the same on a cluster."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Protocol, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")

AHEAD = 2  # tasks for each worker that are handed out at a time


class Engine(Protocol):
    """Something that does many tasks side by side."""

    def each(self, work: Callable[[In], Out], tasks: Iterable[In]) -> Iterator[Out]:
        """What comes of every task, in the order they are done; tasks are taken up as workers are free."""


class Threads:
    """So many threads of this machine."""

    def __init__(self, count: int = 1) -> None:
        self.count = count

    def each(self, work: Callable[[In], Out], tasks: Iterable[In]) -> Iterator[Out]:
        """What comes of every task, in the order they are done.

        An interruption waits for the tasks that have begun, and drops the others.
        """
        waiting, left = iter(tasks), set[Future[Out]]()
        pool = ThreadPoolExecutor(self.count)
        try:
            while True:
                left |= {pool.submit(work, task) for task in islice(waiting, AHEAD * self.count - len(left))}
                if not left:
                    return
                finished, left = wait(left, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)
        finally:
            pool.shutdown(cancel_futures=True)
