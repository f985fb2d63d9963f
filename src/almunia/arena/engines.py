"""What carries out plays side by side: threads of this machine. `ray_engine` does the same on a cluster."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from itertools import islice
from typing import Protocol, TypeVar

from ..core.threads import Crew, checked_threads, first_done

In = TypeVar("In")
Out = TypeVar("Out")

AHEAD = 2  # tasks for each worker that are handed out at a time


class Engine(Protocol):
    """Something that does many tasks side by side."""

    def each(self, work: Callable[[In], Out], tasks: Iterable[In]) -> Generator[Out, None, None]:
        """What comes of every task, in the order they are done; tasks are taken up as workers are free.

        Whoever stops listening closes it, and then the tasks that have begun are ended as soon as may be.
        """


class Threads:
    """So many threads of this machine."""

    def __init__(self, count: int = 1) -> None:
        self.count = checked_threads(count)

    def each(self, work: Callable[[In], Out], tasks: Iterable[In]) -> Generator[Out, None, None]:
        """What comes of every task, in the order they are done."""
        waiting, left = iter(tasks), set[Future[Out]]()
        with Crew(self.count) as crew:
            while True:
                left |= {crew.submit(work, task) for task in islice(waiting, AHEAD * self.count - len(left))}
                if not left:
                    return
                finished, left = first_done(left)
                yield from (future.result() for future in finished)
