"""Tables that are open to others: offered or listed in the lobby, and to be played again by the same people.

The lobby shows what everybody may know: who sits, what is missing, how fast it is played. Nothing here goes by what
has been done in a game, nor by when.
"""

from collections.abc import Callable, Iterable
from threading import Lock
from typing import NamedTuple

from sqlalchemy import Engine

from ..core.game import Game
from . import times
from .clocks import TimeControl
from .errors import Conflict, Forbidden, Missing
from .experience import Experience, experience_of
from .guests import Guest
from .listings import KeptSeat, Listing, Listings
from .new_table import FRIEND, ME, at_random, seats_of
from .pages import mark_of
from .presence import Presence
from .seating import Seating
from .store import ANYBODY, OPEN, PERSON, Table
from .tables import Tables

LOBBY = "lobby"  # as a topic, and as a place where people are
FRESH = 1.0  # seconds for which what was read of all listed tables holds
JUST_HERE = 60.0  # seconds after a host has fetched the page of a table: browsers without scripts keep no stream
NEVER = 0.0, ""  # a mark that was worked out long ago
WISE = 60.0  # seconds for which somebody's experience holds
PAIR = 2
MOST = 10  # running games that one host may have listed
ROOM = 100  # games of each kind that the lobby shows, those that were opened first


class Sitter(NamedTuple):
    """Who sits at a table in the lobby."""

    name: str
    kind: str
    level: Experience | None  # of a person


class Shown(NamedTuple):
    """A table as the lobby shows it."""

    table: Table
    listing: Listing
    sitters: tuple[Sitter, ...]
    free: int  # seats that anybody may take

    @property
    def control(self) -> TimeControl:
        """How fast it is played."""
        return TimeControl.read(self.table.time_control)

    @property
    def face(self) -> str:
        """What of it is seen, as one word."""
        return f"{self.listing} {self.sitters} {self.free}"


class Lobby(NamedTuple):
    """What the lobby shows."""

    offered: tuple[Shown, ...]
    watched: tuple[Shown, ...]
    people: int  # who are there

    @property
    def mark(self) -> str:
        """All of that as one word."""
        return mark_of("\0".join([*(one.face for one in (*self.offered, *self.watched)), str(self.people)]).encode())


class Rematch(NamedTuple):
    """The game after one that is over, with the same people."""

    table: Table
    seat: int | None  # the seat that waits for the reader; None if he or she sits there already

    @property
    def host(self) -> str:
        """What its host is called."""
        return next((seat.name for seat in self.table.seats if seat.player == self.table.owner), "")


class OpenTables:
    """All tables that are open to others."""

    def __init__(self, engine: Engine, tables: Tables, seating: Seating, presence: Presence) -> None:
        self._engine, self._tables, self._seating, self._presence = engine, tables, seating, presence
        self.listings = Listings(engine)
        self._reading, self._meeting = Lock(), Lock()
        self._listed: list[tuple[Listing, Table]] = []
        self._seats: dict[str, tuple[str, ...]] = {}  # who sits at listed tables, as it was read
        self._read, self._marked = 0.0, NEVER
        self._levels: dict[tuple[str, str], tuple[float, Experience]] = {}  # by guest and game
        self._fetched: dict[str, float] = {}  # when hosts fetched the pages of tables that they offer

    # --- what is listed -------------------------------------------------------------------

    def put(self, table_id: str, guest: str, *, offered: bool, watched: bool, open_chat: bool) -> Listing:
        """List a table for this and that, or for nothing any more; only its host may."""
        table = self._tables.snapshot(table_id).table
        if table.owner != guest:
            raise Forbidden("Only the host can say who may see and join this game.")
        if table.finished:
            raise Conflict("This game is over, so nobody can join it any more.")
        if offered or watched:
            self.check_room(guest, table_id)
        listing = self.listings.put(Listing(table_id, "", offered, watched, open_chat))
        self._fetched[table_id] = times.now()
        self._tell()
        return listing

    def check_room(self, guest: str, but: str = "") -> None:
        """Conflict if the lobby lists so many games of a host, `but` for this one, that it takes no more."""
        self._read = 0.0
        if sum(table.owner == guest for _, table in self._all() if table.id != but) >= MOST:
            raise Conflict(f"The lobby lists {MOST} games of yours, and takes no more. Play or close one of them.")

    def changed(self, table: Table) -> None:
        """Let the lobby know if others sit at a listed table now, or its game is over."""
        if table.id in self._seats and self._seats[table.id] != seated(table):
            self._tell()

    def fetched(self, table: Table, guest: str) -> None:
        """Remember that somebody has just fetched the page of a table, if that is its host and the lobby has it."""
        if table.owner == guest and table.id in self._seats:
            self._fetched[table.id] = times.now()

    def now(self) -> Lobby:
        """What the lobby shows now."""
        offered: list[Shown] = []
        watched: list[Shown] = []
        for listing, table in self._all():
            if listing.offered and free_seats(table) and self._is_hosted(table):
                offered += [self._shown(listing, table)] if len(offered) < ROOM else []
            elif listing.watched and any(self._presence.is_here(table.id, table.seats[p].player) for p in table.people):
                watched += [self._shown(listing, table)] if len(watched) < ROOM else []
        return Lobby(tuple(offered), tuple(watched), self._presence.count(LOBBY))

    def mark(self) -> str:
        """What the lobby showed a moment ago, as one word: worked out once for all who look at it."""
        then, known = self._marked
        if not 0 <= times.now() - then < FRESH:
            known = self.now().mark
            self._marked = times.now(), known
        return known

    def _all(self) -> list[tuple[Listing, Table]]:
        """All listed tables whose games go on, as they were read a moment ago."""
        with self._reading:
            if not 0 <= times.now() - self._read < FRESH:
                self._read = times.now()
                listings = self.listings.running()
                known = {table.id: table for table in self._tables.store.those([one.table for one in listings])}
                self._listed = [(one, known[one.table]) for one in listings if one.table in known]
                self._seats = {table.id: seated(table) for _, table in self._listed}
                self._fetched = {table: time for table, time in self._fetched.items() if table in self._seats}
            return self._listed

    def _tell(self) -> None:
        self._read, self._marked = 0.0, NEVER
        self._tables.notifier.notify(LOBBY)

    def _is_hosted(self, table: Table) -> bool:
        """Is the host of a table there, or in the lobby?"""
        here = any(self._presence.is_here(place, table.owner) for place in (table.id, LOBBY))
        return here or times.now() - self._fetched.get(table.id, 0.0) < JUST_HERE

    def _shown(self, listing: Listing, table: Table) -> Shown:
        levels = self.levels({seat.player for seat in table.seats if seat.kind == PERSON}, table.game)
        sitters = tuple(
            Sitter(seat.name, seat.kind, levels[seat.player] if seat.kind == PERSON else None) for seat in table.seats
        )
        return Shown(table, listing, sitters, len(free_seats(table)))

    def levels(self, guests: Iterable[str], game: str) -> dict[str, Experience]:
        """What the site knows of guests who play a game."""
        now, found, unknown = times.now(), {}, []
        for guest in guests:
            since, level = self._levels.get((guest, game), (-WISE, Experience()))
            if 0 <= now - since < WISE:
                found[guest] = level
            else:
                unknown.append(guest)
        if unknown:
            fresh = experience_of(self._engine, unknown, game)
            kept = {key: one for key, one in self._levels.items() if 0 <= now - one[0] < WISE}
            self._levels = kept | {(guest, game): (now, level) for guest, level in fresh.items()}
            found |= fresh
        return found

    # --- sitting down ---------------------------------------------------------------------

    def sit(self, handle: str, guest: str, name: str, hours: str = "") -> Table:
        """Sit down at a table that the lobby calls so; Conflict if it is not offered any more.

        Asked twice, for an answer may be lost, it is done once.
        """
        listing = self.listings.called(handle)
        offered = any(one.listing.handle == handle for one in self.now().offered)
        if listing and (offered or self._tables.snapshot(listing.table).table.held_by(guest)):
            return self._sit(listing.table, guest, name, hours)
        raise Conflict("This game isn't open any more. Choose another one, or open one yourself.")

    def _sit(self, table_id: str, guest: str, name: str, hours: str) -> Table:
        table = self._tables.snapshot(table_id).table
        if table.held_by(guest):
            return table
        for seat in free_seats(table):
            try:
                return self._seating.join(table_id, seat, guest, name, hours).table
            except Conflict:
                continue  # somebody was quicker
        raise Conflict("Somebody else has just taken the last seat. Choose another game, or open one yourself.")

    def play_somebody(self, game: Game, control: TimeControl, guest: Guest) -> Table:
        """Sit down at the first open table of a game and a pace, or open one that waits for somebody."""
        for shown in self.now().offered:
            fits = (shown.table.game, shown.control[:3]) == (game.name, control[:3]) and not shown.table.seed_known
            if fits and not shown.table.held_by(guest.id):
                try:
                    return self._sit(shown.table.id, guest.id, guest.name, guest.hours)
                except Conflict:
                    continue
        waiting = self._waiting(game.name, control, guest)
        return waiting or self._open(game, control, guest)

    def _waiting(self, game: str, control: TimeControl, guest: Guest) -> Table | None:
        """The table at which a guest waits for somebody to play this with already."""
        for listing, table in self._all():
            alike = (table.game, TimeControl.read(table.time_control)[:3]) == (game, control[:3])
            if alike and listing.offered and table.owner == guest.id and free_seats(table):
                self._fetched[table.id] = times.now()
                return table
        return None

    def _open(self, game: Game, control: TimeControl, guest: Guest) -> Table:
        fewest = max(PAIR, game.meta.seats[0])
        if fewest > game.meta.seats[1]:
            raise Missing(f"{game.meta.title} is a game for one player.")
        self.check_room(guest.id)
        seats = at_random(seats_of([ME] + [FRIEND] * (fewest - 1), guest))
        table = self._tables.open(game.name, seats, guest.id, time_control=control)
        self.put(table.id, guest.id, offered=True, watched=False, open_chat=False)
        return table

    # --- the same people again ------------------------------------------------------------

    def play_again(self, old: Table, guest: Guest, opening: Callable[[], Table], *, alike: bool) -> Table:
        """Open the game after one that is over; where it is `alike`, and somebody else was quicker, go there.

        Whoever asks anew takes back what they have asked the same people for before.
        """
        with self._meeting:  # of two who click at the same moment, one is first
            found = self.rematch_after(old, guest.id) if alike else None
            if found is None:
                self._take_back(old, guest.id)
                new = opening()
                self._keep_seats(old, new)
                return new
        return self.accept(found.table.id, guest)

    def _take_back(self, old: Table, guest: str) -> None:
        kept = self.listings.kept_after(old.id)
        owners = {table.id: table.owner for table in self._tables.store.those({one.table for one in kept})}
        for one in kept:
            if owners[one.table] == guest:
                self.listings.let_go(one.table, one.guest)

    def _keep_seats(self, old: Table, new: Table) -> None:
        """Keep the open seats of a table for those who sat there at another one, which is over."""
        guests = {
            number: was.player
            for number, (was, now) in enumerate(zip(old.seats, new.seats, strict=True))
            if now.kind == OPEN and was.kind == PERSON
        }
        self.listings.keep(new.id, guests, old.id)
        self._tables.notifier.notify(again_topic(old.id))

    def rematch_after(self, old: Table, guest: str) -> Rematch | None:
        """The game that goes on after this one in which a guest has a seat, or is to have one; None without any."""
        kept = self.listings.kept_after(old.id)
        tables = {table.id: table for table in self._tables.store.those({one.table for one in kept})}
        for one in kept:
            table = tables[one.table]
            if table.finished:
                continue
            if table.held_by(guest):
                return Rematch(table, None)
            if one.guest == guest and is_waiting(table, one):
                return Rematch(table, one.seat)
        return None

    def invitations(self, guest: str) -> list[Rematch]:
        """The games in which a seat is kept for a guest."""
        kept = self.listings.kept_for(guest) if guest else []
        tables = {table.id: table for table in self._tables.store.those({one.table for one in kept})}
        return [Rematch(tables[one.table], one.seat) for one in kept if is_waiting(tables[one.table], one)]

    def accept(self, table_id: str, guest: Guest) -> Table:
        """Sit down in the seat that is kept for a guest; Conflict if there is none."""
        kept = next((one for one in self.listings.kept_for(guest.id) if one.table == table_id), None)
        table = self._tables.snapshot(table_id).table
        if table.held_by(guest.id):
            return table
        if kept is None:
            raise Conflict("No seat is kept for you there any more.")
        return self._seating.join(table_id, kept.seat, guest.id, guest.name, guest.hours).table

    def decline(self, table_id: str, guest: str) -> None:
        """Let the seat that is kept for a guest go to whoever gets the link."""
        if not self.listings.let_go(table_id, guest):
            raise Conflict("No seat is kept for you there any more.")


def again_topic(table: str) -> str:
    """What streams of a table listen to for the game after it."""
    return f"again {table}"


def is_waiting(table: Table, kept: KeptSeat) -> bool:
    """Is a kept seat still open, at a game that goes on?"""
    return not table.finished and table.seats[kept.seat].kind == OPEN


def free_seats(table: Table) -> list[int]:
    """The seats that anybody may take: open ones that are meant for nobody else."""
    return [number for number, seat in enumerate(table.seats) if seat.kind == OPEN and seat.name == ANYBODY]


def seated(table: Table) -> tuple[str, ...]:
    """Who sits at a table, and whether its game goes on, as far as the lobby shows it."""
    return (table.status, *(f"{seat.kind} {seat.name}" for seat in table.seats))
