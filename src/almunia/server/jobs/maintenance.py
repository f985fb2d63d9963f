"""Looks after what nobody looks after: writes down who has been where, and ends games that nobody wants any more."""

import logging
from collections.abc import Callable
from functools import partial
from time import monotonic

from ...errors import AlmuniaError, RecordError
from ..auth import one_time_links, sessions
from ..chat.service import Chat
from ..clock import DAY, Clock, format_duration
from ..limits import DEFAULT_LIMITS
from ..periodic import PeriodicTask
from ..storage.locks import AdvisoryLocks
from ..tables.presence import Presence
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..tables.vacation import VacationService

ALIVE = 15.0  # seconds between two times at which it is written down that the site is there
SHARE = 0.5  # of the time of a round, in which tables are told of an outage; each may be replayed for that
HOUR = 3600.0  # seconds between two looks for games that nobody wants
FORSAKEN, NOTICED = 60 * DAY, 14 * DAY  # seconds without a move before a game is warned, and before it ends after that
ABANDONED = 16 * DAY  # instead of FORSAKEN, for rated games against bots alone: nobody else could end them
MOST = 100  # games in a round

Deed = Callable[[str], object]

log = logging.getLogger(__name__)


class Maintenance:
    """From the start of the site to its end."""

    def __init__(
        self,
        tables: TableService,
        seating: SeatService,
        presence: Presence,
        vacations: VacationService,
        chat: Chat,
        claims: AdvisoryLocks,
        clock: Clock,
        interval_seconds: float = DEFAULT_LIMITS.maintenance_seconds,
    ) -> None:
        self._tables, self._store = tables, tables.store
        self._seating, self._presence, self._vacations = seating, presence, vacations
        self._chat, self._claims, self._clock = chat, claims, clock
        self._until = 0.0  # the end of the last outage of which tables are told
        self._owed: list[str] = []  # those that are still to be told of it
        self._noted = 0.0  # when it was written down that the site is there
        self._looked = 0.0  # when games that nobody wants were looked for
        self._interval_seconds = interval_seconds
        self._rounds = PeriodicTask("caretaker", self.look, interval_seconds, "The tables cannot be looked after")

    def start(self) -> None:
        """Begin."""
        self._rounds.start()

    def close(self) -> None:
        """Stop, and write down once more who has been where."""
        self._rounds.close()
        self._rounds.try_once()

    def enter(self) -> None:
        """Before anybody is let in: note that the site is there, and with it for how long it was not."""
        self._store.note_alive(self._clock.now())
        self._tables.serves = True

    def look(self) -> None:
        """One round; of several processes one looks after all tables."""
        self._presence.save()
        with self._claims.held("caretaker") as mine:
            if mine:
                self._look_after_all()

    def _look_after_all(self) -> None:
        self._note_alive()
        self._vacations.end_spent()
        now = self._clock.now()
        for table in self._store.overdue(now, MOST):
            self._do(self._seating.out_of_time, table, outdated=self._store.stop_clock)
        if now >= self._looked + HOUR:
            self._looked = now
            self.look_for_forsaken(now)
            self._chat.prune(now)
            self._store.clean_up(now)
            with self._store.engine.begin() as db:  # as the page on privacy says, also where nobody comes any more
                sessions.prune(db, now)
                one_time_links.prune(db, now)
        self._make_up()

    def _note_alive(self) -> None:
        """Often enough, however long a round takes."""
        now = self._clock.now()
        if now >= self._noted + ALIVE:
            self._store.note_alive(now)
            self._noted = now

    def _make_up(self) -> None:
        """Give back at some tables what their clocks have lost; where somebody acts before, that comes first there."""
        outages, begun = self._store.outages(), monotonic()
        until = outages[-1][1] if outages else 0.0
        if until != self._until:
            self._until, self._owed = until, self._store.timed(until)
        while self._owed and monotonic() - begun < SHARE * self._interval_seconds:
            table = self._owed.pop()
            try:
                self._do(self._tables.make_up, table, outdated=bool)
            except BaseException:
                self._owed.insert(0, table)  # the others first
                raise
        if outages and not self._owed:
            self._store.forget_outages(until)

    def look_for_forsaken(self, now: float) -> None:
        """Warn games that have not advanced for long, and end those that were warned."""
        idle, warned = self._store.forsaken(now - FORSAKEN, now - NOTICED, MOST, now - ABANDONED)
        for table in [*warned, *(one for one in idle if one not in warned)]:
            if table in warned:
                self._do(self._seating.end_forsaken, table, outdated=self._store.end_outdated)
            else:
                warn = partial(self._seating.warn_forsaken, left=format_duration(NOTICED))
                self._do(warn, table, outdated=self._store.end_outdated)

    def _do(self, deed: Deed, table: str, *, outdated: Deed) -> None:
        """Do something at a table; where it was begun under rules that are gone, do another thing."""
        self._note_alive()
        try:
            deed(table)
        except RecordError:
            outdated(table)
        except AlmuniaError as error:  # somebody has just moved
            log.info("Table %s is left as it is: %s", table, error)
