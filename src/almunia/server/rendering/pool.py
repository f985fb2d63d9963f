"""Processes that draw beside the one that serves: pictures and words take half of the time of a busy site.

Python lets one thread of a process work at a time, so what is drawn elsewhere leaves room for everything else. An
artist gets what one seat sees, and gives back what its page shows. It is sent what it is to do next while it still
draws, so that it never waits for a thread of the site. Where one is busy for long, the site draws itself.
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
from ..tables.compiler import GROUP
from ..tables.viewer_history import ViewerHistory, depiction_of
from .worker import READY_MESSAGE, RenderJob, RenderResult

WORKER_COMMAND = (sys.executable, "-P", "-c", f"from {__package__} import worker; worker.run()")
PIPELINE_DEPTH = 4  # pictures that an artist is sent; those of 10 KB fit into a pipe, and nobody waits for room there
LATE_SECONDS = 0.5  # that an artist may take for a picture before those that wait behind it draw by themselves
LOST_SECONDS = 20.0  # without an answer, after which an artist is replaced
START_TIMEOUT_SECONDS = 120.0  # seconds for one to begin
CHECK_SECONDS = 30.0  # between two looks at whether all are there

log = logging.getLogger(__name__)


class WorkerDied(Exception):
    """An artist is gone, or does not answer."""


class RenderWorker:
    """One process that draws what it is asked, one thing after the other."""

    def __init__(
        self,
        command: Sequence[str] = WORKER_COMMAND,
        *,
        late_seconds: float = LATE_SECONDS,
        lost_seconds: float = LOST_SECONDS,
    ) -> None:
        self._late_seconds, self._lost_seconds = late_seconds, lost_seconds
        # None of the site's group, so that Ctrl+C is for the site alone; it ends when the site does.
        self._process = subprocess.Popen(  # noqa: S603 - a module of ours
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, creationflags=GROUP
        )
        assert self._process.stdin
        assert self._process.stdout
        self._job_pipe, self._result_pipe = self._process.stdin, self._process.stdout
        self._send_lock = Lock()
        self._pending: deque[Future[RenderResult]] = deque()  # what it has still to answer; it is drawing the first
        self._slots = Semaphore(PIPELINE_DEPTH)
        self._busy_since = 0.0  # when it began with the first
        self._has_ended = False
        self._reader = Thread(target=self._read, name="artist", daemon=True)

    def start_up(self) -> None:
        """Wait until it is there; Lost if it does not come."""
        if not is_readable_within(self._result_pipe.fileno(), START_TIMEOUT_SECONDS) or self._answer() != READY_MESSAGE:
            raise WorkerDied
        self._reader.start()

    @property
    def load(self) -> int:
        """How much it has to do."""
        return len(self._pending)

    @property
    def is_late(self) -> bool:
        """Has it been drawing the same for long?"""
        return self._has_drawn_for(self._late_seconds)

    @property
    def is_lost(self) -> bool:
        """Has it ended, or been drawing the same for too long, though nobody may wait for that any more?"""
        return self._has_ended or self._has_drawn_for(self._lost_seconds)

    def _has_drawn_for(self, seconds: float) -> bool:
        return bool(self._pending) and monotonic() - self._busy_since > seconds

    def render(self, task: bytes) -> RenderResult | None:
        """What comes of a task, which is a pickle; None if it does not come to it soon. Lost if it never answers."""
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
            except Exception as error:  # whatever it is, the site draws by itself
                raise WorkerDied from error
        return found

    def _is_first(self, one: "Future[RenderResult]") -> bool:
        with suppress(IndexError):  # everything has just been answered
            return self._pending[0] is one
        return True

    def _read(self) -> None:
        """Hand out what it answers, until it ends or says something else: then all are lost that wait."""
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
            return pickle.load(self._result_pipe)  # noqa: S301 - from a process that this one has started
        except Exception as error:  # a pickle may raise anything: one of another version names what is not here
            raise WorkerDied from error

    def stop(self) -> None:
        """Let it go."""
        self._process.kill()
        self._process.wait()
        if self._reader.is_alive():
            self._reader.join()
        for line in (self._job_pipe, self._result_pipe):
            with suppress(OSError):  # what it was still to be told reaches nobody
                line.close()


class RenderPool:
    """All of them."""

    def __init__(
        self, count: int, *, make: Callable[[], RenderWorker] = RenderWorker, check_seconds: float = CHECK_SECONDS
    ) -> None:
        self._make = make
        self._count, self._lock, self._closed = count, Lock(), False
        self._workers: set[RenderWorker] = set()
        self._respawn_task = PeriodicTask(
            "artists", self.respawn_missing, check_seconds, "Processes that draw cannot be begun"
        )

    @property
    def live_count(self) -> int:
        """How many are at work or could be."""
        return len(self._workers)

    def start(self) -> None:
        """Let all of them come, without waiting for them."""
        if self._count:
            self._respawn_task.start()
            self._respawn_task.ring()

    def close(self) -> None:
        """Let all of them go, without waiting for one that is still to come."""
        self._respawn_task.close(0)
        with self._lock:
            self._closed, gone = True, self._workers
            self._workers = set()
        for artist in gone:
            artist.stop()

    def fill_view(self, diary: ViewerHistory) -> None:
        """See to it that what a page shows of a diary is there, if an artist can do that."""
        depiction = depiction_of(diary)
        if not depiction.done and (found := self._ask(rendering.whole, diary.view, *depiction.asked)):
            depiction.take(found)

    def previews(self, view: Observation, actions: Sequence[int]) -> list[str]:
        """What each of some actions would add to the main picture."""
        found: list[str] | None = self._ask(rendering.ghosts, view, actions)
        return rendering.ghosts(view, actions) if found is None else found

    def _ask(self, work: Callable[..., Any], view: Observation, *given: Any) -> Any:
        """What comes of some work; None if no artist has done it."""
        artist = self._least_busy()
        if artist is None:
            return None
        this = view.game
        task = RenderJob(work, this.name, compat_key(this), view.to_state(), view.seat, given)
        try:
            answer = artist.render(pickle.dumps(task, pickle.HIGHEST_PROTOCOL))
        except WorkerDied:
            self._replace(artist)
            return None
        if answer and answer.error:
            log.warning("%s could not be drawn beside the site: %s", this.meta.title, answer.error)
        return answer.value if answer else None

    def _least_busy(self) -> RenderWorker | None:
        with self._lock:
            return min((one for one in self._workers if not one.is_late), key=lambda one: one.load, default=None)

    def respawn_missing(self) -> None:
        """Let as many come as are missing, for whatever reason, or none for now if one does not."""
        for lost in [one for one in self._workers.copy() if one.is_lost]:
            self._replace(lost)
        while self.live_count < self._count and not self._respawn_task.stopping:
            artist = start_worker(self._make)
            if artist is None:
                log.warning("A process that draws has not begun, so the site draws more by itself.")
                return
            self._take_in(artist)

    def _take_in(self, artist: RenderWorker) -> None:
        with self._lock:
            late = self._closed
            if not late:
                self._workers.add(artist)
        if late:
            artist.stop()

    def _replace(self, artist: RenderWorker) -> None:
        """Let one go that is lost; another one comes at the next look."""
        with self._lock:
            known = artist in self._workers
            self._workers.discard(artist)
        if known:
            log.warning("A process that draws has ended; another one takes its place soon.")
            artist.stop()


def start_worker(make: Callable[[], RenderWorker]) -> RenderWorker | None:
    """An artist who is there; None if it does not come, or the system has no room for it."""
    try:
        artist = make()
    except OSError:
        return None
    try:
        artist.start_up()
    except WorkerDied:
        artist.stop()
        return None
    return artist


def is_readable_within(line: int, patience: float) -> bool:
    """Does anything come from there soon? Where that cannot be asked, it is waited for."""
    if not hasattr(select, "poll"):
        return True
    looking = select.poll()
    looking.register(line, select.POLLIN)
    return bool(looking.poll(1000 * patience))
