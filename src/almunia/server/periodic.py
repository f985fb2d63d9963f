"""What a process does again and again beside answering requests, each in a thread of its own."""

import logging
from collections.abc import Callable
from threading import Event, Thread

from sqlalchemy.exc import SQLAlchemyError

log = logging.getLogger(__name__)


class PeriodicTask:
    """Does its work every so many seconds, and as soon as it is rung."""

    def __init__(self, name: str, work: Callable[[], object], every: float, failing: str, *, rest: float = 0) -> None:
        """`failing` says on the log what is not done while the work fails; `rest` seconds lie between two rounds."""
        self._work, self._every, self._failing, self._rest = work, every, failing, rest
        self._rung, self._stop = Event(), Event()
        self._failed = False
        self._thread = Thread(target=self._go_on, name=name, daemon=True)

    def start(self) -> None:
        """Begin; the first round comes when the time for one has passed, or when it is rung."""
        self._thread.start()

    @property
    def stopping(self) -> bool:
        """Is no further round wanted?"""
        return self._stop.is_set()

    def ring(self) -> None:
        """Have a round soon; from any thread."""
        self._rung.set()

    def close(self, patience: float | None = None) -> None:
        """End after the round that is going on, for which one waits `patience` seconds, or as long as it takes."""
        self._stop.set()
        self._rung.set()
        if self._thread.is_alive():
            self._thread.join(patience)

    def _go_on(self) -> None:
        while not self.stopping:
            self._rung.wait(self._every)
            self._rung.clear()
            if not self.stopping:
                self.try_once()
                self._stop.wait(self._rest)

    def try_once(self) -> None:
        """One round; what fails is told once, until it works again."""
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
