"""Vacation: time in which somebody's slow clocks stand still. It is earned by and by, and runs out."""

from typing import NamedTuple

from . import times
from .clocks import SLOW, TimeControl
from .errors import Conflict
from .seating import Seating
from .store import DAY, Store

FIRST, MOST = 3.0 * DAY, 30.0 * DAY  # seconds that everybody has at first, and that one may save up
RATE = 0.1  # seconds of vacation that a second brings


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


class Vacations:
    """The vacations of all guests."""

    def __init__(self, store: Store, seating: Seating) -> None:
        self._store, self._seating = store, seating

    def of(self, guest: str) -> Vacation:
        """What a guest has of it."""
        row = self._store.vacation(guest)
        return Vacation(*row) if row else Vacation()

    def begin(self, guest: str) -> None:
        """Let the slow clocks of a guest stand still from now on; Conflict if nothing is left."""
        now, known = times.now(), self.of(guest)
        if known.since is not None:
            raise Conflict("You are on vacation already.")
        if known.left(now) < 1:
            raise Conflict("You have no vacation left. It grows by a day every ten days.")
        self._store.set_vacation(guest, known.left(now), now, now)
        self._tell(guest, begins=True)

    def end(self, guest: str) -> None:
        """Let them go on."""
        now, known = times.now(), self.of(guest)
        if known.since is None:
            raise Conflict("You are not on vacation.")
        self._store.set_vacation(guest, known.left(now), now, None)
        self._tell(guest, begins=False)

    def end_spent(self) -> None:
        """End the vacations of which nothing is left."""
        for guest in self._store.spent_vacations(times.now()):
            self.end(guest)

    def _tell(self, guest: str, *, begins: bool) -> None:
        for table in self._store.of_guest(guest):
            if not table.finished and TimeControl.read(table.time_control).kind == SLOW:
                for seat in table.held_by(guest):
                    self._seating.rest(table.id, seat, guest, begins=begins)
