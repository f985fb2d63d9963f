"""A pool of processes that render pictures and labels, which take half of the time of a busy site.

Python runs one thread of a process at a time, so rendering elsewhere leaves the site room for other work. A worker gets
the view of one seat and returns its panels. If the workers are late or missing, the site renders by itself.
"""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from multiprocessing import get_context
from threading import Lock
from time import monotonic
from typing import Any

from ...play.play import Observation
from ...play.serialization import compat_key
from ..periodic import PeriodicTask
from ..tables import rendering
from ..tables.viewer_history import ViewerHistory
from .worker import RenderJob, RenderResult, run_job, start_up

LATE_SECONDS = 0.5  # that a request waits for a worker before the site renders by itself
LOST_SECONDS = 20.0  # that a worker may take for a job
START_TIMEOUT_SECONDS = 120.0  # for the workers to start
CHECK_SECONDS = 30.0  # between two checks whether all are alive, and between the first two starts
MAX_RESTART_SECONDS = 900.0  # between two starts
FAILURES = (OSError, RuntimeError, CancelledError)  # if processes cannot start, one has ended, or all are closed

log = logging.getLogger(__name__)


class RenderWorkers(ProcessPoolExecutor):
    """The worker processes. They end with the site, even while they start or render."""

    def __init__(self, count: int) -> None:
        spawn = get_context("spawn")  # a fork would copy locks that other threads hold
        end, self._site_end = spawn.Pipe(duplex=False)
        super().__init__(count, spawn, start_up, (end,))
        self._count, self.are_ready = count, False

    def start(self) -> None:
        """Start all processes, and wait until they are ready."""
        for job in [self.submit(int) for _ in range(self._count)]:  # each starts a process
            job.result(START_TIMEOUT_SECONDS)
        self.are_ready = True

    def close(self) -> None:
        """End all workers at once."""
        self._site_end.close()
        self.shutdown(wait=False, cancel_futures=True)


class RenderPool:
    """The render workers of a site. If one ends, all are started again, after a delay that grows until they render."""

    def __init__(
        self,
        count: int,
        *,
        make: Callable[[int], RenderWorkers] = RenderWorkers,
        late_seconds: float = LATE_SECONDS,
        lost_seconds: float = LOST_SECONDS,
        check_seconds: float = CHECK_SECONDS,
        timer: Callable[[], float] = monotonic,
    ) -> None:
        self._count, self._make, self._timer = count, make, timer
        self._late_seconds, self._lost_seconds, self._check_seconds = late_seconds, lost_seconds, check_seconds
        self._lock = Lock()
        self._workers: RenderWorkers | None = None
        self._pending: dict[Future[RenderResult], float] = {}  # since when
        self._restart_at, self._restart_seconds = 0.0, check_seconds
        self._respawn_task = PeriodicTask(
            "render-pool", self.respawn, check_seconds, "Render workers cannot be started"
        )

    @property
    def live_count(self) -> int:
        return self._count if self._workers and self._workers.are_ready else 0

    def start(self) -> None:
        """Start all workers without waiting for them."""
        if self._count:
            self._respawn_task.start()
            self._respawn_task.trigger()

    def close(self) -> None:
        """Stop all workers, without waiting for those that still start."""
        self._respawn_task.close(0)
        self._discard(self._workers)

    def respawn(self) -> None:
        """Start the workers unless they are alive, or were started too recently."""
        if self._workers:
            try:
                self._workers.submit(int)
            except FAILURES:
                self._discard(self._workers)
        if self._workers or self._timer() < self._restart_at:
            return
        self._restart_at = self._timer() + self._restart_seconds
        self._restart_seconds = min(2 * self._restart_seconds, MAX_RESTART_SECONDS)
        try:
            self._workers = workers = self._make(self._count)
            if not self._respawn_task.is_stopping:  # else `close` may have missed them
                workers.start()
                return
        except FAILURES:
            if not self._respawn_task.is_stopping:
                log.warning("The render workers have not started, so the site renders more by itself.")
        self._discard(self._workers)

    def _discard(self, workers: RenderWorkers | None) -> None:
        """Close workers; the next check starts others."""
        with self._lock:
            if workers is None or workers is not self._workers:
                return  # another thread has done it
            self._workers = None
        workers.close()
        if workers.are_ready and not self._respawn_task.is_stopping:
            log.warning("A render worker has ended; the next check starts others.")

    def fill_view(self, history: ViewerHistory) -> None:
        """Let a worker render what a page shows of a viewer's history, if a worker has time."""
        rendered = history.rendered
        if not rendered.is_complete and (parts := self._ask(rendering.render_all, history.view, *rendered.args)):
            rendered.fill(parts)

    def previews(self, view: Observation, actions: Sequence[int]) -> list[str]:
        """Return what each of some actions would add to the main picture."""
        previews: list[str] | None = self._ask(rendering.move_previews, view, actions)
        return rendering.move_previews(view, actions) if previews is None else previews

    def _ask(self, function: Callable[..., Any], view: Observation, *args: Any) -> Any:
        """Return the result of a function in a worker; None if no worker has computed it in time."""
        workers, now = self._workers, self._timer()
        late = sum(now - since > self._late_seconds for since in self._pending.copy().values())
        if workers is None or not workers.are_ready or late >= self._count:
            return None
        job = RenderJob(function, view.game.name, compat_key(view.game), view.to_state(), view.seat, args)
        try:
            future = workers.submit(run_job, job, self._lost_seconds)
            self._pending[future] = now
            future.add_done_callback(self._pending.pop)
            result = future.result(self._late_seconds)
        except TimeoutError:
            return None
        except FAILURES:
            self._discard(workers)
            return None
        except Exception as error:  # noqa: BLE001 - the value cannot be pickled
            result = RenderResult(None, f"{type(error).__name__}: {error}")
        self._restart_at, self._restart_seconds = 0.0, self._check_seconds
        if result.error:
            log.warning("A worker could not render %s: %s", view.game.meta.title, result.error)
        return result.value
