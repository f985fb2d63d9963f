"""Executors, which run tasks in parallel: in threads of this machine, or on a Ray cluster."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from itertools import islice
from typing import Any, Protocol, TypeVar

from ..engine.pool import WorkerPool, check_threads, wait_first
from ..errors import MissingExtra

In = TypeVar("In")
Out = TypeVar("Out")

PREFETCH = 2  # tasks per worker that are submitted at a time


class Executor(Protocol):
    def map_unordered(self, work: Callable[[In], Out], tasks: Iterable[In]) -> Generator[Out, None, None]:
        """Yield the results of all tasks as they are completed. Only a few tasks are fetched in advance.

        If several tasks fail, the error of the first failed task in the order of `tasks` is raised. Closing the
        generator cancels the running tasks.
        """


class ThreadExecutor:
    """An executor with a fixed number of threads of this machine. Raise SetupError for an invalid number."""

    def __init__(self, count: int = 1) -> None:
        self.count = check_threads(count)

    def map_unordered(self, work: Callable[[In], Out], tasks: Iterable[In]) -> Generator[Out, None, None]:
        with WorkerPool(self.count) as pool:
            yield from run_unordered(lambda task: pool.submit(work, task), tasks, PREFETCH * self.count)


class RayExecutor:
    """An executor on the Ray cluster of the environment, or on a new cluster on this machine.

    `options` are those of `ray.init`, and have no effect if Ray is initialized already. Raise MissingExtra without the
    extra `ray`.
    """

    def __init__(self, **options: Any) -> None:
        try:
            import ray
        except ImportError:
            raise MissingExtra.named("A cluster needs", "ray", "ray") from None
        self._ray = ray
        if not ray.is_initialized():
            ray.init(**({"log_to_driver": False, "include_dashboard": False} | options))

    def map_unordered(self, work: Callable[[In], Out], tasks: Iterable[In]) -> Generator[Out, None, None]:
        def run(task: In) -> Out:  # Ray takes functions, and no other callables
            return work(task)

        remote, running = self._ray.remote(num_cpus=1)(run), dict[Future[Out], Any]()

        def submit(task: In) -> Future[Out]:
            reference = remote.remote(task)
            future: Future[Out] = reference.future()
            running[future] = reference
            future.add_done_callback(running.pop)
            return future

        try:
            cores = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            yield from run_unordered(submit, tasks, PREFETCH * cores)
        finally:
            for reference in list(running.values()):
                self._ray.cancel(reference)


def run_unordered(
    submit: Callable[[In], Future[Out]], tasks: Iterable[In], max_pending: int
) -> Generator[Out, None, None]:
    """Submit at most `max_pending` tasks at a time, and yield their results; see `Executor.map_unordered`."""
    waiting, pending = iter(tasks), list[Future[Out]]()  # in the order of the tasks
    while True:
        pending += [submit(task) for task in islice(waiting, max_pending - len(pending))]
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
