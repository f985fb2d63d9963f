"""Vacation: time in which somebody's slow clocks stand still. It is earned by and by, and runs out."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import NamedTuple

from ...errors import AlmuniaError
from ..clock import DAY, Clock
from ..errors import Conflict
from .action_limits import check_cool
from .clocks import SLOW, TimeControl
from .repository import TableRepository
from .seats import SeatService

FIRST, MOST = 3.0 * DAY, 30.0 * DAY  # seconds that everybody has at first, and that one may save up
RATE = 0.1  # seconds of vacation that a second brings
TRIES = 3  # to say it at a table at which somebody else is writing

log = logging.getLogger(__name__)


class Vacation(NamedTuple):
    """What somebody has of it."""

    balance: float = FIRST  # seconds that were left at a moment
    at: float = 0.0  # that moment
    since: float | None = None  # since when it is being taken, if it is

    def left(self, now: float) -> float:
        """The seconds that are left: they run down while it is taken, and grow else."""
        if self.since is not None:
            return max(0.0, self.balance - (now - self.since))
        return min(MOST, self.balance + RATE * (now - self.at)) if self.at else self.balance


class VacationService:
    """The vacations of all guests."""

    def __init__(self, store: TableRepository, seating: SeatService, clock: Clock) -> None:
        self._store, self._seating, self._clock = store, seating, clock
        self._changing = Lock()

    def of(self, guest: str) -> Vacation:
        """What a guest has of it."""
        row = self._store.vacation(guest)
        return Vacation(*row) if row else Vacation()

    def begin(self, guest: str) -> None:
        """Let the slow clocks of a guest stand still from now on; Conflict if nothing is left."""
        with self._alone(guest):
            now, known = self._clock.now(), self.of(guest)
            if known.since is not None:
                raise Conflict("You are on vacation already.")
            if known.left(now) < 1:
                raise Conflict("You have no vacation left. It grows by a day every ten days.")
            check_cool(known.at, now)
            self._store.set_vacation(guest, known.left(now), now, now)
            self._tell(guest, begins=True)

    def end(self, guest: str) -> None:
        """Let them go on."""
        with self._alone(guest):
            if self.of(guest).since is None:
                raise Conflict("You are not on vacation.")
            self._end(guest)

    def _end(self, guest: str) -> None:
        now = self._clock.now()
        self._store.set_vacation(guest, self.of(guest).left(now), now, None)
        self._tell(guest, begins=False)

    def hand_over(self, guest: str, other: str) -> None:
        """End the vacation of a guest, and let what is left be another's who has none; before seats are handed over.

        Else those that stay behind, or come to somebody who is on no vacation, would rest for ever.
        """
        with self._alone(guest):
            if self.of(guest).since is not None:
                self._end(guest)
            self._store.move_vacation(guest, other)

    def end_spent(self) -> None:
        """End the vacations of which nothing is left."""
        for guest in self._store.spent_vacations(self._clock.now()):
            with suppress(Conflict):  # the guest has just come back
                self.end(guest)

    @contextmanager
    def _alone(self, guest: str) -> Iterator[None]:
        """Let nobody else begin or end a vacation of this guest before all tables are told.

        Else clocks could stand still for ever, were it told last that one has begun which is over.
        """
        with self._changing, self._store.alone(f"vacations of {guest}"):
            yield

    def _tell(self, guest: str, *, begins: bool) -> None:
        for table in self._store.of_guest(guest, running=True):
            if TimeControl.read(table.time_control).kind == SLOW:
                for seat in table.held_by(guest):
                    self._tell_at(table.id, seat, guest, begins=begins)

    def _tell_at(self, table: str, seat: int, guest: str, *, begins: bool) -> None:
        """Say it at one table. Where it cannot be said any more, that keeps it from no other table."""
        for _ in range(TRIES):
            try:
                self._seating.rest(table, seat, guest, begins=begins)
            except Conflict:
                continue  # another process has just written there, or the game has just ended
            except AlmuniaError as error:
                log.info("Table %s is not told of a vacation: %s", table, error)
            return
