"""Plays on a Ray cluster: the same tasks as in threads, carried out wherever there is a core."""

from collections.abc import Callable, Generator, Iterable
from itertools import islice
from typing import Any, TypeVar

from ..errors import MissingExtra

In = TypeVar("In")
Out = TypeVar("Out")

AHEAD = 2  # tasks for each core that are handed out at a time


class Ray:
    """A Ray cluster: the one the environment names, or one that is started on this machine."""

    def __init__(self, **options: Any) -> None:
        try:
            import ray
        except ImportError:
            raise MissingExtra.named("A cluster needs", "ray", "ray") from None
        self._ray = ray
        if not ray.is_initialized():
            ray.init(**({"log_to_driver": False, "include_dashboard": False} | options))

    def each(self, work: Callable[[In], Out], tasks: Iterable[In]) -> Generator[Out, None, None]:
        """Yield the results of all tasks in the order they are done, or raise the error of the first that failed."""
        ray = self._ray
        remote = ray.remote(num_cpus=1)(work)
        waiting = iter(tasks)
        left: list[Any] = []  # in the order of the tasks
        most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        try:
            while True:
                left += [remote.remote(task) for task in islice(waiting, most - len(left))]
                if not left:
                    return
                [done], others = ray.wait(left)
                try:
                    result = ray.get(done)
                except Exception:
                    yield from map(ray.get, left[: left.index(done)])  # those before it may fail as well
                    raise
                left = others
                yield result
        finally:
            for task in left:
                ray.cancel(task)
