"""Rematches: the next game with the same people, for whom seats are reserved."""

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import NamedTuple

from ..errors import Conflict
from ..hashes import short_hash
from ..tables.model import OPEN, PERSON, Table
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..users.visitors import Visitor
from .repository import LobbyRepository, SeatReservation

NOT_RESERVED = "Your seat in that game is no longer reserved."


class Rematch(NamedTuple):
    """A game with seats that are reserved for a guest: a rematch, or an invitation of a friend."""

    table: Table
    seats: tuple[int, ...]  # reserved for the guest
    is_seated: bool = False  # whether the guest has joined
    previous_table: str = ""  # id of the table at which the guest played before; empty for an invitation of a friend

    @property
    def version(self) -> str:
        """A hash of the facts that a page shows of the rematch."""
        return short_hash(repr((self.table.id, self.host_name, self.seats, self.is_seated)).encode())

    @property
    def player_names(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in self.table.seats if seat.kind != OPEN)

    @property
    def has_several_seats(self) -> bool:
        """Whether there are seats for several people at the guest's screen."""
        return len(self.seats) + self.is_seated > 1

    @property
    def host_name(self) -> str:
        return next((seat.name for seat in self.table.seats if seat.player == self.table.host), "")


class Rematches:
    """Opens rematches, and answers invitations to them."""

    def __init__(self, listings: LobbyRepository, tables: TableService, seating: SeatService) -> None:
        self._listings, self._tables, self._seating = listings, tables, seating
        self._lock = Lock()

    # --- invitations ----------------------------------------------------------------------

    def play_again(self, old: Table, guest: Visitor, opening: Callable[[], Table], *, alike: bool) -> Table:
        """Open the next game; if `alike`, join a running rematch that has a place for the guest instead.

        If a host opens a second rematch, the invitations to the first rematch are withdrawn.
        """
        # One of two players who click at the same time is first.
        with self._lock, self._tables.store.exclusive(rematch_topic(old.id)):
            found = self.next_game(old, guest.id) if alike else None
            if found is None:
                self._withdraw(old, guest.id)
                new = opening()
                self._reserve_seats(old, new)
                return new
        return self.accept(found.table.id, guest)

    def _withdraw(self, old: Table, guest: str) -> None:
        for table, reservations in self._by_table(self._listings.reservations_after(old.id)):
            for one in reservations if table.host == guest else ():
                self._listings.release(one.table, one.guest)
                self._publish(one.guest)

    def _reserve_seats(self, old: Table, new: Table) -> None:
        guests = {
            number: was.player
            for number, (was, now) in enumerate(zip(old.seats, new.seats, strict=True))
            if now.kind == OPEN and was.kind == PERSON and not was.is_deleted
        }
        self._listings.reserve(new.id, guests, old.id)
        self._tables.broker.publish(rematch_topic(old.id))
        for guest in set(guests.values()):
            self._publish(guest)

    def _publish(self, guest: str) -> None:
        self._tables.broker.publish(invitations_topic(guest))

    def _publish_change(self, reservation: SeatReservation) -> None:
        self._tables.broker.publish(rematch_topic(reservation.previous_table))
        self._publish(reservation.guest)

    # --- reading --------------------------------------------------------------------------

    def next_game(self, old: Table, guest: str) -> Rematch | None:
        """Return a running rematch in which a guest has a seat or a reservation, or None."""
        for table, reservations in self._by_table(self._listings.reservations_after(old.id)):
            seats = tuple(one.seat for one in reservations if one.guest == guest and is_open(table, one))
            is_seated = bool(table.seats_of(guest))
            if not table.finished and (is_seated or (seats and self._seating.may_meet(table, guest))):
                return Rematch(table, seats, is_seated)
        return None

    def _by_table(self, reservations: Sequence[SeatReservation]) -> list[tuple[Table, list[SeatReservation]]]:
        tables = {table.id: table for table in self._tables.store.get_many({one.table for one in reservations})}
        found: dict[str, list[SeatReservation]] = {}
        for one in reservations:
            found.setdefault(one.table, []).append(one)
        return [(tables[name], each) for name, each in found.items()]

    def next_game_version(self, old: Table, guest: str) -> str:
        found = self.next_game(old, guest)
        return found.version if found else ""

    def invitations(self, guest: str) -> list[Rematch]:
        """Return the running games with open seats that are reserved for a guest, latest first."""
        reservations = self._listings.reservations_for(guest) if guest else []
        found = (
            Rematch(table, tuple(one.seat for one in own if is_open(table, one)), previous_table=own[0].previous_table)
            for table, own in self._by_table(reservations)
        )
        return [one for one in found if one.seats and self._seating.may_meet(one.table, guest)]

    def invitations_version(self, guest: str) -> str:
        return version_of(self.invitations(guest))

    # --- answers --------------------------------------------------------------------------

    def accept(self, table_id: str, guest: Visitor, seat: int | None = None) -> Table:
        """Join in an open seat that is reserved for a guest, by default the first; Conflict if there is no such seat.

        A second request changes nothing, because the response to the first request may be lost. A guest with several
        reservations shared a screen with other people before, so these seats keep their names.
        """
        reserved = [one for one in self._listings.reservations_for(guest.id) if one.table == table_id]
        table = self._tables.get(table_id).table
        held = table.seats_of(guest.id)
        if held and seat in (None, *held):
            return table
        wanted = [one.seat for one in reserved if seat in (None, one.seat) and is_open(table, one)]
        if not wanted:
            raise Conflict(NOT_RESERVED)
        name = guest.name if len(reserved) == 1 else table.seats[wanted[0]].name
        table = self._seating.join(table_id, wanted[0], guest.id, name, guest.hours).table
        self._publish(guest.id)
        return table

    def decline(self, table_id: str, guest: str, seat: int | None = None) -> None:
        """Decline the reservations of a guest at a table, or only that of `seat`; Conflict if the guest has none."""
        reserved = self._listings.reservations_at(table_id)
        if not self._listings.release(table_id, guest, seat):
            raise Conflict(NOT_RESERVED)
        for one in reserved:
            if one.guest == guest and seat in (None, one.seat):
                self._seating.decline_reservation(table_id, one.seat)
                self._publish_change(one)

    def release_seat(self, table: Table, seat: int) -> None:
        """Delete the reservation of a seat that its player has left, if the seat is open now."""
        for one in self._listings.reservations_at(table.id) if table.seats[seat].kind == OPEN else []:
            if one.seat == seat:
                self._listings.release(table.id, one.guest, one.seat)
                self._publish_change(one)

    def publish_change(self, table_id: str) -> None:
        """Notify the pages of all guests with a reservation at a table of a change there."""
        for one in self._listings.reservations_at(table_id):
            self._publish_change(one)


def version_of(invitations: Iterable[Rematch]) -> str:
    return short_hash(repr([(one.table.id, one.player_names, one.seats) for one in invitations]).encode())


def rematch_topic(table: str) -> str:
    return f"again {table}"


def invitations_topic(guest: str) -> str:
    return f"invited {guest}"


def is_open(table: Table, reservation: SeatReservation) -> bool:
    """Whether a reserved seat is still open, in a running game."""
    return not table.finished and table.seats[reservation.seat].kind == OPEN
