"""What carries out plays side by side: threads of this machine. `ray_engine` does the same on a cluster."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from itertools import islice
from typing import Protocol, TypeVar

from ..engine.pool import WorkerPool, checked_threads, first_done

In = TypeVar("In")
Out = TypeVar("Out")

AHEAD = 2  # tasks for each worker that are handed out at a time


class Engine(Protocol):
    """Something that does many tasks side by side."""

    def each(self, work: Callable[[In], Out], tasks: Iterable[In]) -> Generator[Out, None, None]:
        """Yield the results of all tasks in the order they are done. Tasks are taken up as workers are free.

        If several tasks fail, it raises the error of the first of them, whichever failed earlier.
        Closing the generator ends the tasks that have begun.
        """


class Threads:
    """So many threads of this machine."""

    def __init__(self, count: int = 1) -> None:
        self.count = checked_threads(count)

    def each(self, work: Callable[[In], Out], tasks: Iterable[In]) -> Generator[Out, None, None]:
        """Yield the results of all tasks in the order they are done, or raise the error of the first that failed."""
        waiting, left = iter(tasks), list[Future[Out]]()  # in the order of the tasks
        with WorkerPool(self.count) as crew:
            while True:
                left += [crew.submit(work, task) for task in islice(waiting, AHEAD * self.count - len(left))]
                if not left:
                    return
                finished, _ = first_done(left)
                done = [future for future in left if future in finished]
                if failed := next((future for future in done if future.exception()), None):
                    done = left[: left.index(failed) + 1]  # those before it may fail as well, and are waited for
                left = [future for future in left if future not in done]
                for future in done:
                    first_done([future])
                    yield future.result()
