"""Looks after what nobody looks after: writes down who has been where, and ends games that nobody wants any more."""

import logging
from collections.abc import Callable
from functools import partial
from threading import Event, Thread

from ..errors import AlmuniaError, RecordError
from . import times
from .chat import Chat
from .presence import Presence
from .seating import Seating
from .store import DAY, Store
from .vacations import Vacations

BEAT = 5.0  # seconds between two rounds
HOUR = 3600.0  # seconds between two looks for games that nobody wants
FORSAKEN, NOTICED = 60 * DAY, 14 * DAY  # seconds without a move before a game is warned, and before it ends after that
MOST = 100  # games in a round

Deed = Callable[[str], object]

log = logging.getLogger(__name__)


class Caretaker:
    """One thread, from the start of the site to its end."""

    def __init__(self, store: Store, seating: Seating, presence: Presence, vacations: Vacations, chat: Chat) -> None:
        self._store, self._seating, self._presence, self._vacations = store, seating, presence, vacations
        self._chat = chat
        self._stop = Event()
        self._failed = 0  # rounds in a row
        self._looked = 0.0  # when games that nobody wants were looked for
        self._thread = Thread(target=self._go_round, name="caretaker", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """Stop, and write down once more who has been where."""
        self._stop.set()
        self._thread.join()
        self._try()

    def _go_round(self) -> None:
        while not self._stop.wait(BEAT):
            self._try()

    def _try(self) -> None:
        try:
            self.look()
        except Exception:  # the database may be away for a while
            self._failed += 1
            if self._failed == 1:
                log.exception("The tables cannot be looked after.")
        else:
            self._failed = 0

    def look(self) -> None:
        """One round."""
        self._presence.save()
        self._vacations.end_spent()
        now = times.now()
        for table in self._store.overdue(now, MOST):
            self._do(self._seating.out_of_time, table, outdated=self._store.stop_clock)
        if now >= self._looked + HOUR:
            self._looked = now
            self.look_for_forsaken(now)
            self._chat.prune(now)

    def look_for_forsaken(self, now: float) -> None:
        """Warn games at which nothing has happened for long, and end those that were warned."""
        idle, warned = self._store.forsaken(now - FORSAKEN, now - NOTICED, MOST)
        for table in [*warned, *(one for one in idle if one not in warned)]:
            if table in warned:
                self._do(self._seating.end_forsaken, table, outdated=self._store.end_outdated)
            else:
                warn = partial(self._seating.warn_forsaken, left=times.lasting(NOTICED))
                self._do(warn, table, outdated=self._store.end_outdated)

    def _do(self, deed: Deed, table: str, *, outdated: Deed) -> None:
        """Do something at a table; where it was begun under rules that are gone, do another thing."""
        try:
            deed(table)
        except RecordError:
            outdated(table)
        except AlmuniaError as error:  # somebody has just moved
            log.info("Table %s is left as it is: %s", table, error)
