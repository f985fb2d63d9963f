"""Periodic tasks of a process, each in a thread of its own."""

import logging
from collections.abc import Callable
from threading import Event, Thread

from sqlalchemy.exc import SQLAlchemyError

log = logging.getLogger(__name__)


class PeriodicTask:
    """Runs its work at an interval, and when triggered."""

    def __init__(self, name: str, work: Callable[[], object], every: float, failing: str, *, rest: float = 0) -> None:
        """`failing` is the log message while the work fails; at least `rest` seconds lie between two runs."""
        self._work, self._every, self._failing, self._rest = work, every, failing, rest
        self._triggered, self._stop = Event(), Event()
        self._failed = False
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread; the first run comes after one interval, or when triggered."""
        self._thread.start()

    @property
    def is_stopping(self) -> bool:
        """Whether the task is stopping."""
        return self._stop.is_set()

    def trigger(self) -> None:
        """Run soon; from any thread."""
        self._triggered.set()

    def close(self, patience: float | None = None) -> None:
        """Stop after the current run, waiting for it at most `patience` seconds, or as long as it takes."""
        self._stop.set()
        self._triggered.set()
        if self._thread.is_alive():
            self._thread.join(patience)

    def _run(self) -> None:
        while not self.is_stopping:
            self._triggered.wait(self._every)
            self._triggered.clear()
            if not self.is_stopping:
                self.run_once()
                self._stop.wait(self._rest)

    def run_once(self) -> None:
        """Run the work; a failure is logged once, until the work succeeds again."""
        failed, self._failed = self._failed, True
        try:
            self._work()
            self._failed = False
        except SQLAlchemyError as error:  # the database may be away for a while
            if not failed:
                log.warning("%s: %s", self._failing, error.__cause__ or error)
        except Exception:
            if not failed:
                log.exception("%s.", self._failing)
