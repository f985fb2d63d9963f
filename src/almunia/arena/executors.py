"""Run tasks in threads of this machine. `ray_executor` runs tasks on a cluster."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from itertools import islice
from typing import Protocol, TypeVar

from ..engine.pool import WorkerPool, check_threads, wait_first

In = TypeVar("In")
Out = TypeVar("Out")

PREFETCH = 2  # tasks per worker that are submitted at a time


class Executor(Protocol):
    """An executor that runs many tasks in parallel."""

    def map_unordered(self, work: Callable[[In], Out], tasks: Iterable[In]) -> Generator[Out, None, None]:
        """Yield the results of all tasks as they are completed. Tasks are fetched as workers become free.

        If several tasks fail, the error of the first failed task in the order of `tasks` is raised. Closing the
        generator cancels the running tasks.
        """


class ThreadExecutor:
    """An executor with a fixed number of threads of this machine; SetupError for an invalid number."""

    def __init__(self, count: int = 1) -> None:
        self.count = check_threads(count)

    def map_unordered(self, work: Callable[[In], Out], tasks: Iterable[In]) -> Generator[Out, None, None]:
        """Yield the results of all tasks as they are completed, or raise the error of the first failed task."""
        waiting, pending = iter(tasks), list[Future[Out]]()  # in the order of the tasks
        with WorkerPool(self.count) as pool:
            while True:
                pending += [pool.submit(work, task) for task in islice(waiting, PREFETCH * self.count - len(pending))]
                if not pending:
                    return
                finished, _ = wait_first(pending)
                done = [future for future in pending if future in finished]
                if failed := next((future for future in done if future.exception()), None):
                    done = pending[: pending.index(failed) + 1]  # earlier tasks may fail too, so wait for them
                pending = [future for future in pending if future not in done]
                for future in done:
                    wait_first([future])
                    yield future.result()
