"""Vacation: time in which a player's correspondence clocks are paused.

After their first vacation, players earn a day for every ten days outside vacations, up to 30 days.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import NamedTuple

from ...errors import AlmuniaError
from ..clock import DAY, Clock
from ..errors import Conflict
from .action_limits import check_vacation_cooldown
from .clocks import CORRESPONDENCE, TimeControl
from .repository import TableRepository
from .seats import SeatService

INITIAL_SECONDS, MAX_SECONDS = 3.0 * DAY, 30.0 * DAY
EARNED_PER_SECOND = 0.1  # seconds
MAX_ATTEMPTS = 3  # at a table to which other processes write

log = logging.getLogger(__name__)


class Vacation(NamedTuple):
    balance: float = INITIAL_SECONDS  # seconds left at `updated_at`
    updated_at: float = 0.0
    started_at: float | None = None  # None outside vacations

    def seconds_left(self, now: float) -> float:
        if self.started_at is not None:
            return max(0.0, self.balance - (now - self.started_at))
        return (
            min(MAX_SECONDS, self.balance + EARNED_PER_SECOND * (now - self.updated_at))
            if self.updated_at
            else self.balance
        )


class VacationService:
    def __init__(self, store: TableRepository, seating: SeatService, clock: Clock) -> None:
        self._store, self._seating, self._clock = store, seating, clock
        self._changing = Lock()

    def get(self, guest: str) -> Vacation:
        row = self._store.get_vacation(guest)
        return Vacation(*row) if row else Vacation()

    def begin(self, guest: str) -> None:
        """Pause the correspondence clocks of a guest; raise RequestError if no vacation may begin."""
        with self._exclusive(guest):
            now, known = self._clock.now(), self.get(guest)
            if known.started_at is not None:
                raise Conflict("You are already on vacation.")
            if known.seconds_left(now) < 1:
                raise Conflict("You have no vacation left. You get one more day every ten days.")
            check_vacation_cooldown(known.updated_at, now)
            self._store.set_vacation(guest, known.seconds_left(now), now, now)
            self._pause_clocks(guest, begins=True)

    def end(self, guest: str) -> None:
        """Resume the correspondence clocks of a guest; raise Conflict if the guest is not on vacation."""
        with self._exclusive(guest):
            if self.get(guest).started_at is None:
                raise Conflict("You are not on vacation.")
            self._end(guest)

    def _end(self, guest: str) -> None:
        now = self._clock.now()
        self._store.set_vacation(guest, self.get(guest).seconds_left(now), now, None)
        self._pause_clocks(guest, begins=False)

    def transfer(self, guest: str, other: str) -> None:
        """End a guest's vacation, and move the balance to another guest, unless the other guest has a balance.

        Must be called before seats are transferred. Otherwise a clock that stays behind, or comes to a guest who is
        not on vacation, would be paused for ever.
        """
        with self._exclusive(guest):
            if self.get(guest).started_at is not None:
                self._end(guest)
            self._store.merge_vacation(guest, other)

    def end_expired(self) -> None:
        for guest in self._store.guests_with_spent_vacation(self._clock.now()):
            with suppress(Conflict):  # the guest has just come back
                self.end(guest)

    @contextmanager
    def _exclusive(self, guest: str) -> Iterator[None]:
        """Exclude other changes to a guest's vacation until all clocks are updated.

        Else clocks could be paused for ever: the last update might pause them for a vacation that is over.
        """
        with self._changing, self._store.exclusive(f"vacations of {guest}"):
            yield

    def _pause_clocks(self, guest: str, *, begins: bool) -> None:
        for table in self._store.for_guest(guest, running=True):
            if TimeControl.parse(table.time_control).kind == CORRESPONDENCE:
                for seat in table.seats_of(guest):
                    self._pause_clock(table.id, seat, guest, begins=begins)

    def _pause_clock(self, table: str, seat: int, guest: str, *, begins: bool) -> None:
        for _ in range(MAX_ATTEMPTS):
            try:
                self._seating.pause_clock(table, seat, guest, begins=begins)
            except Conflict:
                continue  # another process has just written there, or the game has just ended
            except AlmuniaError as error:
                log.info("The clock of table %s ignores a vacation: %s", table, error)
            return
