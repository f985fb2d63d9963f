"""Periodic maintenance of a site, such as expired clocks, abandoned games and outages."""

import logging
from collections.abc import Callable
from functools import partial
from time import monotonic

from ...errors import AlmuniaError, RecordError
from ..auth import one_time_links, sessions
from ..background import PeriodicTask
from ..chat.service import Chat
from ..clock import DAY, Clock, format_duration
from ..errors import Conflict
from ..limits import DEFAULT_LIMITS
from ..storage.locks import AdvisoryLocks
from ..tables.presence import Presence
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..tables.vacation import VacationService

HEARTBEAT_SECONDS = 15.0
COMPENSATION_SHARE = 0.5  # of the interval, for compensating outages; each table may need a replay
PRUNE_SECONDS = 3600.0  # between two searches for abandoned games
ABANDONED_SECONDS = 60 * DAY  # without a move, before a warning
WARNED_SECONDS = 14 * DAY  # after the warning, before the game is closed
BOT_GAME_ABANDONED_SECONDS = 16 * DAY  # before a warning in a rated game against bots, which cannot end it
MAX_TABLES_PER_RUN = 100  # of each kind

TableAction = Callable[[str], object]

log = logging.getLogger(__name__)


class Maintenance:
    def __init__(
        self,
        tables: TableService,
        seating: SeatService,
        presence: Presence,
        vacations: VacationService,
        chat: Chat,
        locks: AdvisoryLocks,
        clock: Clock,
        interval_seconds: float = DEFAULT_LIMITS.maintenance_seconds,
    ) -> None:
        self._tables, self._store = tables, tables.store
        self._seating, self._presence, self._vacations = seating, presence, vacations
        self._chat, self._locks, self._clock = chat, locks, clock
        self._compensated_until = 0.0  # the end of the last outage
        self._tables_to_compensate: list[str] = []  # for that outage
        self._heartbeat_at = 0.0  # of the last heartbeat
        self._pruned_at = 0.0  # of the last search for abandoned games
        self._interval_seconds = interval_seconds
        self.task = PeriodicTask(self.run_once, interval_seconds, "The tables cannot be maintained")

    def close(self) -> None:
        """Run the maintenance once more. Must be called after the task has ended."""
        self.task.run_once()

    def record_start(self) -> None:
        """Record that the site is up, and the outage before if there was one."""
        self._store.record_heartbeat(self._clock.now())
        self._tables.serves_site = True

    def run_once(self) -> None:
        """Save presence; one of several processes at a time also maintains the tables."""
        self._presence.save()
        with self._locks.try_lock("maintenance") as mine:
            if mine:
                self._maintain()

    def _maintain(self) -> None:
        self._heartbeat()
        self._vacations.end_expired()
        now = self._clock.now()
        for table in self._store.with_expired_clock(now, MAX_TABLES_PER_RUN):
            self._apply(self._seating.expire_clock, table, outdated=self._store.clear_deadline)
        if now >= self._pruned_at + PRUNE_SECONDS:
            self._pruned_at = now
            self.close_abandoned(now)
            self._chat.prune(now)
            self._store.delete_expired(now)
            with self._store.engine.begin() as db:  # as the privacy page promises, also on a site without visitors
                sessions.prune(db, now)
                one_time_links.prune(db, now)
        self._compensate_outages()

    def _heartbeat(self) -> None:
        now = self._clock.now()
        if now >= self._heartbeat_at + HEARTBEAT_SECONDS:
            self._store.record_heartbeat(now)
            self._heartbeat_at = now

    def _compensate_outages(self) -> None:
        outages, begun = self._store.outages(), monotonic()
        until = outages[-1][1] if outages else 0.0
        if until != self._compensated_until:
            self._compensated_until, self._tables_to_compensate = until, self._store.with_clocks(until)
        while self._tables_to_compensate and monotonic() - begun < COMPENSATION_SHARE * self._interval_seconds:
            table = self._tables_to_compensate.pop()
            try:
                self._heartbeat()
                self._tables.compensate_outage(table)
            except Conflict:  # a player has just moved
                self._tables_to_compensate.insert(0, table)
            except BaseException:
                self._tables_to_compensate.insert(0, table)  # the others first
                raise
        if outages and not self._tables_to_compensate:
            self._store.delete_outages(until)

    def close_abandoned(self, now: float) -> None:
        """Warn tables that have not advanced for long, and close tables that were warned long ago."""
        idle, warned = self._store.abandoned(
            now - ABANDONED_SECONDS, now - WARNED_SECONDS, MAX_TABLES_PER_RUN, now - BOT_GAME_ABANDONED_SECONDS
        )
        for table, advanced_at in warned.items():
            close = partial(self._seating.close_abandoned, advanced_at=advanced_at)
            self._apply(close, table, outdated=self._store.close_outdated)
        for table, advanced_at in idle.items():
            warn = partial(self._seating.warn_abandoned, left=format_duration(WARNED_SECONDS), advanced_at=advanced_at)
            self._apply(warn, table, outdated=self._store.close_outdated)

    def _apply(self, action: TableAction, table: str, *, outdated: TableAction) -> None:
        """Apply an action to a table, or `outdated` if the table's events cannot be replayed.

        Other AlmuniaErrors are logged.
        """
        self._heartbeat()
        try:
            action(table)
        except RecordError:
            outdated(table)
        except AlmuniaError as error:  # a player has just moved
            log.info("Table %s is left as it is: %s", table, error)
