"""A pool of processes that render pictures and labels, which take half of the time of a busy site.

Python runs one thread of a process at a time, so rendering elsewhere leaves the site room for other work. A worker gets
the view of one seat and returns its panels. It receives the next jobs while it renders, so that it never waits for a
thread of the site. If all workers are late, the site renders by itself.
"""

import logging
import pickle
import select
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from threading import Lock, Semaphore, Thread
from time import monotonic
from typing import Any

from ...play.play import Observation
from ...play.serialization import compat_key
from ..periodic import PeriodicTask
from ..tables import rendering
from ..tables.compiler import CREATION_FLAGS
from ..tables.viewer_history import ViewerHistory
from .worker import READY_MESSAGE, RenderJob, RenderResult

WORKER_COMMAND = (sys.executable, "-P", "-c", f"from {__package__} import worker; worker.run()")
PIPELINE_DEPTH = 4  # jobs that a worker holds; those of 10 KB fit into a pipe, so no thread waits to write them
LATE_SECONDS = 0.5  # that a worker may take for a job before the jobs behind it are rendered by the site
LOST_SECONDS = 20.0  # without a result, after which a worker is replaced
START_TIMEOUT_SECONDS = 120.0  # for a worker to start
CHECK_SECONDS = 30.0  # between two checks whether all are alive, and between the first two starts
MAX_RESTART_SECONDS = 900.0  # between two starts

log = logging.getLogger(__name__)


class WorkerDied(Exception):
    """A worker has ended, or does not answer."""


class RenderWorker:
    """One process that renders jobs in their order."""

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
        self._send_lock = Lock()
        self._pending: deque[Future[RenderResult]] = deque()  # unfinished jobs; the first is being rendered
        self._slots = Semaphore(PIPELINE_DEPTH)
        self._busy_since = 0.0  # when it began the first job
        self._has_ended = False
        self._reader = Thread(target=self._read, name="render-worker", daemon=True)

    def start_up(self) -> None:
        """Wait until the process is ready; raise WorkerDied if it does not start."""
        if not is_readable_within(self._result_pipe.fileno(), START_TIMEOUT_SECONDS) or self._answer() != READY_MESSAGE:
            raise WorkerDied
        self._reader.start()

    @property
    def load(self) -> int:
        """The number of jobs that the worker has not finished."""
        return len(self._pending)

    @property
    def is_late(self) -> bool:
        """Whether the worker has been at the same job for long."""
        return self._has_drawn_for(self._late_seconds)

    @property
    def is_lost(self) -> bool:
        """Whether the worker has ended, or been at the same job for too long."""
        return self._has_ended or self._has_drawn_for(self._lost_seconds)

    def _has_drawn_for(self, seconds: float) -> bool:
        return bool(self._pending) and monotonic() - self._busy_since > seconds

    def render(self, task: bytes) -> RenderResult | None:
        """Return the result of a pickled job; None if the worker does not begin it soon.

        Raises:
            WorkerDied: the worker has ended, or does not answer in time.
        """
        if not self._slots.acquire(timeout=self._late_seconds):
            return None
        found, end = self._send(task), monotonic() + self._lost_seconds
        while monotonic() < end:
            with suppress(TimeoutError):
                return found.result(self._late_seconds)
            if not self._is_first(found):
                return None
        raise WorkerDied

    def _send(self, task: bytes) -> "Future[RenderResult]":
        found: Future[RenderResult] = Future()
        with self._send_lock:
            if self._has_ended:
                raise WorkerDied
            if not self._pending:
                self._busy_since = monotonic()
            self._pending.append(found)
            try:
                self._job_pipe.write(task)
                self._job_pipe.flush()
            except Exception as error:  # on any error the site renders by itself
                raise WorkerDied from error
        return found

    def _is_first(self, one: "Future[RenderResult]") -> bool:
        with suppress(IndexError):  # all jobs have just been finished
            return self._pending[0] is one
        return True

    def _read(self) -> None:
        """Hand out results until the process ends or writes something else; then fail all jobs that wait."""
        with suppress(WorkerDied):
            while isinstance(answer := self._answer(), RenderResult):
                self._busy_since = monotonic()
                self._pending.popleft().set_result(answer)
                self._slots.release()
        with self._send_lock:
            self._has_ended = True
        for found in self._pending:
            found.set_exception(WorkerDied())

    def _answer(self) -> Any:
        try:
            return pickle.load(self._result_pipe)  # noqa: S301 - from a process that this one started
        except Exception as error:  # a pickle may raise anything: one of another version names what is not here
            raise WorkerDied from error

    def stop(self) -> None:
        """Kill the process, and close its pipes."""
        self._process.kill()
        self._process.wait()
        if self._reader.is_alive():
            self._reader.join()
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
        self._count, self._lock, self._closed = count, Lock(), False
        self._workers: set[RenderWorker] = set()
        self._respawn_task = PeriodicTask(
            "render-pool", self.respawn_missing, check_seconds, "Render workers cannot be started"
        )

    @property
    def live_count(self) -> int:
        """The number of live workers."""
        return len(self._workers)

    def start(self) -> None:
        """Start all workers without waiting for them."""
        if self._count:
            self._respawn_task.start()
            self._respawn_task.trigger()

    def close(self) -> None:
        """Stop all workers, without waiting for one that still starts."""
        self._respawn_task.close(0)
        with self._lock:
            self._closed, gone = True, self._workers
            self._workers = set()
        for worker in gone:
            worker.stop()

    def fill_view(self, history: ViewerHistory) -> None:
        """Let a worker render what a page shows of a viewer's history, if a worker has time."""
        rendered = history.rendered
        if not rendered.is_complete and (parts := self._ask(rendering.render_all, history.view, *rendered.args)):
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
            self._replace(worker)
            return None
        if answer and answer.error:
            log.warning("A worker could not render %s: %s", this.meta.title, answer.error)
        return answer.value if answer else None

    def _least_busy(self) -> RenderWorker | None:
        with self._lock:
            return min((one for one in self._workers if not one.is_late), key=lambda one: one.load, default=None)

    def respawn_missing(self) -> None:
        """Start the workers that are missing, after a delay that doubles until all live; stop at the first failure."""
        for lost in [one for one in self._workers.copy() if one.is_lost]:
            self._replace(lost)
        if self.live_count == self._count:
            self._restart_at, self._restart_seconds = 0.0, self._check_seconds
        elif self._timer() >= self._restart_at:
            self._restart_at = self._timer() + self._restart_seconds
            self._restart_seconds = min(2 * self._restart_seconds, MAX_RESTART_SECONDS)
            self._start_missing()

    def _start_missing(self) -> None:
        while self.live_count < self._count and not self._respawn_task.is_stopping:
            worker = start_worker(self._make)
            if worker is None:
                log.warning("A render worker has not started, so the site renders more by itself.")
                return
            self._take_in(worker)

    def _take_in(self, worker: RenderWorker) -> None:
        with self._lock:
            late = self._closed
            if not late:
                self._workers.add(worker)
        if late:
            worker.stop()

    def _replace(self, worker: RenderWorker) -> None:
        """Remove a worker that died; the next check starts another."""
        with self._lock:
            known = worker in self._workers
            self._workers.discard(worker)
        if known:
            log.warning("A render worker has ended; the next check starts another.")
            worker.stop()


def start_worker(make: Callable[[], RenderWorker]) -> RenderWorker | None:
    """Return a worker that is ready; None if it does not start, or the system has no room for it."""
    try:
        worker = make()
    except OSError:
        return None
    try:
        worker.start_up()
    except WorkerDied:
        worker.stop()
        return None
    return worker


def is_readable_within(line: int, patience: float) -> bool:
    """Return whether a file descriptor becomes readable in time; True at once if the system cannot tell."""
    if not hasattr(select, "poll"):
        return True
    looking = select.poll()
    looking.register(line, select.POLLIN)
    return bool(looking.poll(1000 * patience))
