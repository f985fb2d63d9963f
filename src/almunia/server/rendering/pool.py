"""A pool of processes that render pictures and labels, which take half of the time of a busy site.

Python runs one thread of a process at a time, so rendering elsewhere leaves the site room for other work. A worker gets
the view of one seat and returns its panels. If all workers are late, the site renders by itself.
"""

import logging
import pickle
import select
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock
from time import monotonic
from typing import Any

from ...play.play import Observation
from ...play.serialization import compat_key
from ..background import PeriodicTask
from ..tables import rendering
from ..tables.compiler import CREATION_FLAGS
from ..tables.viewer_history import ViewerHistory
from .worker import READY_MESSAGE, RenderJob, RenderResult

WORKER_COMMAND = (sys.executable, "-P", "-c", f"from {__package__} import worker; worker.run()")
LATE_SECONDS = 0.5  # that a worker may take for a job before the site renders those behind it
LOST_SECONDS = 20.0  # without a result, after which a worker is replaced
START_TIMEOUT_SECONDS = 120.0  # for a worker to start
CHECK_SECONDS = 30.0  # between two checks whether all are alive, and between the first two starts
MAX_RESTART_SECONDS = 900.0  # between two starts

log = logging.getLogger(__name__)


class WorkerDied(Exception):
    """A worker has ended, or does not answer."""


class RenderWorker:
    """One process that renders one job at a time. The thread that has a job reads its result."""

    def __init__(
        self,
        command: Sequence[str] = WORKER_COMMAND,
        *,
        late_seconds: float = LATE_SECONDS,
        lost_seconds: float = LOST_SECONDS,
    ) -> None:
        self._late_seconds, self._lost_seconds = late_seconds, lost_seconds
        # Not in the site's process group, so that Ctrl+C stops the site alone. It ends when the site does.
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, creationflags=CREATION_FLAGS
        )
        assert self._process.stdin
        assert self._process.stdout
        self._job_pipe, self._result_pipe = self._process.stdin, self._process.stdout
        self._lock = Lock()  # held by the thread whose job it renders
        self._jobs: deque[bytes] = deque()  # of the threads that hold or await the lock
        self._busy_since: float | None = None  # None while it has no job
        self._started_at, self._is_ready, self._has_ended = monotonic(), False, False

    @property
    def is_ready(self) -> bool:
        """Whether the process has started, as its first message says; for one thread at a time."""
        if not self._is_ready and is_readable_within(self._result_pipe.fileno(), 0):
            with suppress(WorkerDied):
                self._is_ready = self._answer() == READY_MESSAGE
            self._has_ended = not self._is_ready
        return self._is_ready

    @property
    def load(self) -> int:
        """The number of jobs that the worker has not finished."""
        return len(self._jobs)

    @property
    def is_late(self) -> bool:
        """Whether the worker has been at the same job for long."""
        return self._has_drawn_for(self._late_seconds)

    @property
    def is_lost(self) -> bool:
        """Whether the worker has ended, or taken too long to start or for its job."""
        is_slow = not self._is_ready and monotonic() - self._started_at > START_TIMEOUT_SECONDS
        return self._has_ended or self._process.poll() is not None or is_slow or self._has_drawn_for(self._lost_seconds)

    def _has_drawn_for(self, seconds: float) -> bool:
        since = self._busy_since
        return since is not None and monotonic() - since > seconds

    def render(self, task: bytes) -> RenderResult | None:
        """Return the result of a pickled job; None if the worker does not begin it soon.

        Raises:
            WorkerDied: the worker has ended, or does not answer in time.
        """
        self._jobs.append(task)
        try:
            if not self._lock.acquire(timeout=self._late_seconds):
                return None
            try:
                return self._exchange(task)
            except WorkerDied:  # another exchange could read the result of this one
                self._has_ended = True
                raise
            finally:
                self._busy_since = None
                self._lock.release()
        finally:
            self._jobs.pop()

    def _exchange(self, task: bytes) -> RenderResult:
        if self._has_ended:
            raise WorkerDied
        self._busy_since = monotonic()
        try:
            self._job_pipe.write(task)
            self._job_pipe.flush()
        except Exception as error:  # on any error the site renders by itself
            raise WorkerDied from error
        if not is_readable_within(self._result_pipe.fileno(), self._lost_seconds):
            raise WorkerDied
        answer = self._answer()
        if not isinstance(answer, RenderResult):
            raise WorkerDied
        return answer

    def _answer(self) -> Any:
        try:
            return pickle.load(self._result_pipe)  # noqa: S301 - from a process that this one started
        except Exception as error:  # a pickle may raise anything: one of another version names what is not here
            raise WorkerDied from error

    def stop(self) -> None:
        """Kill the process, and close its pipes."""
        self._process.kill()
        self._process.wait()
        with self._lock:  # a thread that still reads gets the end of the pipe first
            for line in (self._job_pipe, self._result_pipe):
                with suppress(OSError):  # unsent jobs are lost
                    line.close()


class RenderPool:
    """The render workers of a site."""

    def __init__(
        self,
        count: int,
        *,
        make: Callable[[], RenderWorker] = RenderWorker,
        check_seconds: float = CHECK_SECONDS,
        timer: Callable[[], float] = monotonic,
    ) -> None:
        self._make, self._timer, self._check_seconds = make, timer, check_seconds
        self._restart_at, self._restart_seconds = 0.0, check_seconds
        self._count, self._lock = count, Lock()
        self._workers: set[RenderWorker] = set()
        self.task = PeriodicTask(self.respawn_missing, check_seconds, "Render workers cannot be started")

    @property
    def live_count(self) -> int:
        """The number of workers that are ready."""
        with self._lock:
            return sum(worker.is_ready for worker in self._workers)

    def close(self) -> None:
        """Stop all workers, after the last run of the task."""
        with self._lock:
            gone, self._workers = self._workers, set()
        for worker in gone:
            worker.stop()

    def fill_view(self, history: ViewerHistory) -> None:
        """Let a worker render what is new in a viewer's history, if there is something and a worker has time."""
        rendered = history.rendered
        if not rendered.is_cheap and (parts := self._ask(rendering.render_all, history.view, *rendered.args)):
            rendered.fill(parts)

    def previews(self, view: Observation, actions: Sequence[int]) -> list[str]:
        """Return what each of some actions would add to the main picture."""
        found: list[str] | None = self._ask(rendering.move_previews, view, actions)
        return rendering.move_previews(view, actions) if found is None else found

    def _ask(self, work: Callable[..., Any], view: Observation, *given: Any) -> Any:
        """Return the result of a function in a worker; None if no worker has computed it."""
        worker = self._least_busy()
        if worker is None:
            return None
        this = view.game
        task = RenderJob(work, this.name, compat_key(this), view.to_state(), view.seat, given)
        try:
            answer = worker.render(pickle.dumps(task, pickle.HIGHEST_PROTOCOL))
        except WorkerDied:
            self._remove(worker)
            return None
        if answer and answer.error:
            log.warning("A worker could not render %s: %s", this.meta.title, answer.error)
        return answer.value if answer else None

    def _least_busy(self) -> RenderWorker | None:
        with self._lock:
            free = (one for one in self._workers if one.is_ready and not one.is_late)
            return min(free, key=lambda one: one.load, default=None)

    def respawn_missing(self) -> None:
        """Start the workers that are missing, after a delay that doubles until all live from one check to the next."""
        for lost in [one for one in self._workers.copy() if one.is_lost]:
            self._remove(lost)
        if len(self._workers) == self._count:
            self._restart_at, self._restart_seconds = 0.0, self._check_seconds
        elif self._timer() >= self._restart_at:
            self._restart_at = self._timer() + self._restart_seconds
            self._restart_seconds = min(2 * self._restart_seconds, MAX_RESTART_SECONDS)
            self._start_missing()

    def _start_missing(self) -> None:
        """Start processes, without waiting until they are ready."""
        for _ in range(self._count - len(self._workers)):
            try:
                worker = self._make()
            except OSError as error:  # the system has no room for it
                log.warning("A render worker has not started: %s.", error.strerror)
                return
            with self._lock:
                self._workers.add(worker)

    def _remove(self, worker: RenderWorker) -> None:
        """Remove a worker that died; the next check starts another."""
        with self._lock:
            known, fate = worker in self._workers, "ended" if worker.is_ready else "not started"
            self._workers.discard(worker)
        if known:
            log.warning("A render worker has %s; the next check starts another.", fate)
            worker.stop()


def is_readable_within(line: int, patience: float) -> bool:
    """Return whether a file descriptor becomes readable in time; True at once if the system cannot tell."""
    if not hasattr(select, "poll"):
        return True
    looking = select.poll()
    looking.register(line, select.POLLIN)
    return bool(looking.poll(1000 * patience))
