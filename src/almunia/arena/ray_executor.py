"""Run tasks on a Ray cluster."""

from collections.abc import Callable, Generator, Iterable
from itertools import islice
from typing import Any, TypeVar

from ..errors import MissingExtra
from .executors import PREFETCH

In = TypeVar("In")
Out = TypeVar("Out")


class RayExecutor:
    """An executor on the Ray cluster of the environment, or on a new cluster on this machine. Needs the extra `ray`."""

    def __init__(self, **options: Any) -> None:
        try:
            import ray
        except ImportError:
            raise MissingExtra.named("A cluster needs", "ray", "ray") from None
        self._ray = ray
        if not ray.is_initialized():
            ray.init(**({"log_to_driver": False, "include_dashboard": False} | options))

    def map_unordered(self, work: Callable[[In], Out], tasks: Iterable[In]) -> Generator[Out, None, None]:
        """Yield the results of all tasks as they are completed, or raise the error of the first failed task."""
        ray = self._ray
        remote = ray.remote(num_cpus=1)(work)
        waiting = iter(tasks)
        pending: list[Any] = []  # in the order of the tasks
        max_pending = PREFETCH * max(1, int(ray.cluster_resources().get("CPU", 1)))
        try:
            while True:
                pending += [remote.remote(task) for task in islice(waiting, max_pending - len(pending))]
                if not pending:
                    return
                [done], others = ray.wait(pending)
                try:
                    result = ray.get(done)
                except Exception:
                    yield from map(ray.get, pending[: pending.index(done)])  # earlier tasks may fail too
                    raise
                pending = others
                yield result
        finally:
            for task in pending:
                ray.cancel(task)
