"""The game after one that is over, with the same people: a seat is kept for each of them until they come or decline."""

from collections.abc import Callable, Iterable
from threading import Lock
from typing import NamedTuple

from ..errors import Conflict
from ..hashes import short_hash
from ..tables.model import OPEN, PERSON, Table
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..users.visitors import Visitor
from .listings import Listings, SeatReservation

GONE = "No seat is kept for you there any more."


class Rematch(NamedTuple):
    """The game after one that is over, as somebody finds it."""

    table: Table
    seats: tuple[int, ...]  # that wait for the reader
    held: bool = False  # does the reader sit there already?

    @property
    def mark(self) -> str:
        """It as one word, which changes when a page that shows it must be drawn again."""
        return short_hash(repr((self.table.id, self.host, self.seats, self.held)).encode())

    @property
    def several(self) -> bool:
        """Are there seats for several people at the reader's screen?"""
        return len(self.seats) + self.held > 1

    @property
    def host(self) -> str:
        """What its host is called."""
        return next((seat.name for seat in self.table.seats if seat.player == self.table.host), "")


class Rematches:
    """All games for which seats are kept."""

    def __init__(self, listings: Listings, tables: TableService, seating: SeatService) -> None:
        self._listings, self._tables, self._seating = listings, tables, seating
        self._meeting = Lock()

    # --- opening --------------------------------------------------------------------------

    def play_again(self, old: Table, guest: Visitor, opening: Callable[[], Table], *, alike: bool) -> Table:
        """Open the game after one that is over; where it is `alike`, and somebody else was quicker, go there.

        Whoever asks anew takes back what they have asked the same people for before.
        """
        # Of two who click at the same moment, one is first.
        with self._meeting, self._tables.store.exclusive(again_topic(old.id)):
            found = self.after(old, guest.id) if alike else None
            if found is None:
                self._take_back(old, guest.id)
                new = opening()
                self._keep_seats(old, new)
                return new
        return self.accept(found.table.id, guest)

    def _take_back(self, old: Table, guest: str) -> None:
        kept = self._listings.kept_after(old.id)
        owners = {table.id: table.host for table in self._tables.store.get_many({one.table for one in kept})}
        for one in kept:
            if owners[one.table] == guest:
                self._listings.let_go(one.table, one.guest)
                self._tell(one.guest)

    def _keep_seats(self, old: Table, new: Table) -> None:
        """Keep the open seats of a table for those who sat there at another one, which is over."""
        guests = {
            number: was.player
            for number, (was, now) in enumerate(zip(old.seats, new.seats, strict=True))
            if now.kind == OPEN and was.kind == PERSON and not was.is_deleted
        }
        self._listings.keep(new.id, guests, old.id)
        self._tables.broker.publish(again_topic(old.id))
        for guest in set(guests.values()):
            self._tell(guest)

    def _tell(self, guest: str) -> None:
        self._tables.broker.publish(invited_topic(guest))

    # --- reading --------------------------------------------------------------------------

    def after(self, old: Table, guest: str) -> Rematch | None:
        """The game that goes on after this one in which a guest has a seat, or is to have one; None without any."""
        kept = self._listings.kept_after(old.id)
        tables = {table.id: table for table in self._tables.store.get_many({one.table for one in kept})}
        for table in (tables[name] for name in dict.fromkeys(one.table for one in kept)):
            theirs = (one for one in kept if one.table == table.id and one.guest == guest)
            seats = tuple(one.seat for one in theirs if is_waiting(table, one))
            held = bool(table.seats_of(guest))
            if not table.finished and (held or seats):
                return Rematch(table, seats, held)
        return None

    def mark_after(self, old: Table, guest: str) -> str:
        """That game as one word; empty if there is none."""
        found = self.after(old, guest)
        return found.mark if found else ""

    def invitations(self, guest: str) -> list[Rematch]:
        """The games in which seats are kept for a guest, those that were opened last first."""
        kept = self._listings.kept_for(guest) if guest else []
        tables = {table.id: table for table in self._tables.store.get_many({one.table for one in kept})}
        waiting = [one for one in kept if is_waiting(tables[one.table], one)]
        return [
            Rematch(tables[name], tuple(one.seat for one in waiting if one.table == name))
            for name in dict.fromkeys(one.table for one in waiting)
        ]

    def mark(self, guest: str) -> str:
        """All invitations of a guest as one word."""
        return in_short(self.invitations(guest))

    # --- answering ------------------------------------------------------------------------

    def accept(self, table_id: str, guest: Visitor, seat: int | None = None) -> Table:
        """Sit down in a seat that is kept for a guest, or in the first of them; Conflict if it is none.

        Asked twice, for an answer may be lost, it is done once. Whoever has several seats sat there with others at
        one screen before, so each of them is called as it was.
        """
        kept = [one for one in self._listings.kept_for(guest.id) if one.table == table_id]
        table = self._tables.get(table_id).table
        held = table.seats_of(guest.id)
        if held and seat in (None, *held):
            return table
        wanted = [one.seat for one in kept if seat in (None, one.seat) and is_waiting(table, one)]
        if not wanted:
            raise Conflict(GONE)
        name = guest.name if len(kept) == 1 else table.seats[wanted[0]].name
        table = self._seating.join(table_id, wanted[0], guest.id, name, guest.hours).table
        self._tell(guest.id)
        return table

    def decline(self, table_id: str, guest: str, seat: int | None = None) -> None:
        """Let a seat that is kept for a guest, or all of them, go to whoever gets the link; the table says so."""
        kept = [one for one in self._listings.kept_in(table_id) if one.guest == guest and seat in (None, one.seat)]
        if not self._listings.let_go(table_id, guest, seat):
            raise Conflict(GONE)
        for one in kept:
            self._seating.decline_reservation(table_id, one.seat)
            self._tables.broker.publish(again_topic(one.after))
        self._tell(guest)

    def given_back(self, table: Table, seat: int) -> None:
        """Keep a seat for nobody any more that its player has left: it waits for anybody."""
        for one in self._listings.kept_in(table.id) if table.seats[seat].kind == OPEN else []:
            if one.seat == seat:
                self._listings.let_go(table.id, one.guest, one.seat)
                self._tables.broker.publish(again_topic(one.after))
                self._tell(one.guest)

    def tell(self, table_id: str) -> None:
        """Whoever has a seat kept at a table learns that this has changed, wherever they look."""
        for one in self._listings.kept_in(table_id):
            self._tables.broker.publish(again_topic(one.after))
            self._tell(one.guest)


def in_short(invitations: Iterable[Rematch]) -> str:
    """Invitations as one word."""
    return short_hash(repr([(one.table.id, one.host, one.seats) for one in invitations]).encode())


def again_topic(table: str) -> str:
    """What streams of a table listen to for the game after it."""
    return f"again {table}"


def invited_topic(guest: str) -> str:
    """What pages of a guest listen to for invitations."""
    return f"invited {guest}"


def is_waiting(table: Table, kept: SeatReservation) -> bool:
    """Is a kept seat still open, at a game that goes on?"""
    return not table.finished and table.seats[kept.seat].kind == OPEN
