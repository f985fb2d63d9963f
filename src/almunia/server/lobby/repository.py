"""The database of the lobby: listings of tables, and reserved seats."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from threading import Lock
from time import monotonic
from typing import Any

from sqlalchemy import ColumnElement, Engine, case, delete, exists, func, insert, select, update

from ..storage import schema
from ..storage.database import locked_transaction, read_connection
from ..tables.model import OPEN, OPEN_SEAT_NAME, RUNNING
from ..tokens import TOKEN_PATTERN, new_table_id

LISTING, RESERVED, t = schema.listing.c, schema.seat_reservation.c, schema.game_table.c
IS_LISTED = (t.status == RUNNING) & (LISTING.offered | LISTING.watched)
CACHE_SECONDS = 60.0  # of a cached listing; changes are published
NOT_CACHED: tuple[float, None] = (0.0, None)
MAX_CACHED_LISTINGS = 10_000


@dataclass(frozen=True)
class Listing:
    """The listing of a table. A table without a listing is private."""

    table: str
    handle: str = ""  # in addresses of the lobby
    offered: bool = False  # whether any visitor of the lobby may join
    watched: bool = False  # whether it is listed for spectators
    open_chat: bool = False  # whether spectators may read the chat of the running game


@dataclass(frozen=True, kw_only=True)
class ListedTable(Listing):
    """A listing with the columns of its table by which the lobby chooses."""

    game: str
    host: str
    network: str
    time_control: str
    created_at: float
    has_free_seat: bool  # which any visitor may take


@dataclass(frozen=True)
class SeatReservation:
    """A seat that is reserved for a guest: for a rematch, or because a friend invites the guest."""

    table: str
    seat: int
    guest: str
    previous_table: str  # id of the table at which the guest played; empty for invitations of friends


class LobbyRepository:
    """Stores listings and reservations."""

    def __init__(
        self, engine: Engine, *, timer: Callable[[], float] = monotonic, tokens: Callable[[], str] = new_table_id
    ) -> None:
        self._engine = engine
        self._timer, self._tokens = timer, tokens  # monotonic seconds; the handle of a new listing
        self._cache: dict[str, tuple[float, Listing]] = {}
        self._changes, self._cache_lock = 0, Lock()

    # --- listings -------------------------------------------------------------------------

    def get(self, table: str) -> Listing:
        """Return the listing of a table, perhaps from the cache; a table without a stored listing is not listed."""
        then, known = self._cache.get(table, NOT_CACHED)
        if known is None or self._timer() - then > CACHE_SECONDS:
            changes, now = self._changes, self._timer()
            known = self._find(LISTING.table == table) or Listing(table)
            with self._cache_lock:
                if changes == self._changes:  # else a listing may have been written meanwhile
                    if len(self._cache) >= MAX_CACHED_LISTINGS:
                        self._cache.clear()
                    self._cache[table] = now, known
        return known

    def find_by_handle(self, handle: str) -> Listing | None:
        return self._find(LISTING.handle == handle) if TOKEN_PATTERN.fullmatch(handle) else None

    def _find(self, condition: ColumnElement[bool]) -> Listing | None:
        with read_connection(self._engine) as db:
            row = db.execute(select(schema.listing).where(condition)).mappings().first()
        return Listing(**row) if row else None

    def invalidate(self, table: str) -> None:
        """Drop the cached listing of a table, and count a change."""
        with self._cache_lock:
            self._changes += 1
            self._cache.pop(table, None)

    def invalidate_all(self) -> None:
        """Drop all cached listings: messages may have been lost."""
        with self._cache_lock:
            self._changes += 1
            self._cache.clear()

    @property
    def change_count(self) -> int:
        return self._changes

    def save(self, listing: Listing) -> Listing:
        """Save a listing, and return it with its handle."""
        facts = {"offered": listing.offered, "watched": listing.watched, "open_chat": listing.open_chat}
        with locked_transaction(self._engine, f"listing {listing.table}") as db:
            if not db.execute(update(schema.listing).where(LISTING.table == listing.table).values(facts)).rowcount:
                db.execute(insert(schema.listing), {"table": listing.table, "handle": self._tokens(), **facts})
        self.invalidate(listing.table)
        return self.get(listing.table)

    def running_games(self, most: int) -> list[ListedTable]:
        """Return at most `most` listed games that run: the latest of each network, then the second latest, and so on.

        Thus many games of one network do not hide the games of other networks.
        """
        s = schema.seat.c
        is_reserved = exists().where(RESERVED.table == s.table, RESERVED.seat == s.seat)
        free = exists().where(s.table == t.id, s.kind == OPEN, s.name == OPEN_SEAT_NAME, ~is_reserved)
        facts = t.game, t.host, t.network, t.time_control, t.created_at, free.label("has_free_seat")
        listed = select(schema.listing, *facts).join(schema.game_table, t.id == LISTING.table).where(IS_LISTED)
        latest = t.created_at.desc(), t.id
        turn = func.row_number().over(partition_by=t.network, order_by=latest)
        with read_connection(self._engine) as db:
            rows = db.execute(listed.order_by(turn, *latest).limit(most)).mappings()
            return [ListedTable(**row) for row in rows]

    def count_listed(self, host: str, network: str, but: str) -> tuple[int, int, int]:
        """Return the numbers of listed running games: all, a host's, and a network's. `but` is not counted."""
        own = (
            func.coalesce(func.sum(case((is_own, 1), else_=0)), 0) for is_own in (t.host == host, t.network == network)
        )
        listed = schema.listing.join(schema.game_table, t.id == LISTING.table)
        wanted = select(func.count(), *own).select_from(listed).where(IS_LISTED, t.id != but)
        with read_connection(self._engine) as db:
            total, of_host, of_network = db.execute(wanted).one()
        return int(total), int(of_host), int(of_network)

    # --- reservations ---------------------------------------------------------------------

    def reserve(self, table: str, guests: Mapping[int, str], after: str) -> None:
        """Reserve seats of a table for guests, who played at the table `after` or, if it is empty, are invited."""
        rows = [asdict(SeatReservation(table, seat, guest, after)) for seat, guest in guests.items()]
        if rows:
            with self._engine.begin() as db:
                db.execute(insert(schema.seat_reservation), rows)
            self.invalidate(table)

    def reservations_for(self, guest: str) -> list[SeatReservation]:
        """Return the reservations of a guest in running games, latest games first."""
        return self._reservations(t.status == RUNNING, RESERVED.guest == guest)

    def reservations_after(self, table: str) -> list[SeatReservation]:
        """Return the reservations in later games for the players of a table, latest games first."""
        return self._reservations(RESERVED.previous_table == table)

    def reservations_at(self, table: str) -> list[SeatReservation]:
        return self._reservations(RESERVED.table == table)

    def _reservations(self, *conditions: ColumnElement[bool]) -> list[SeatReservation]:
        wanted = select(schema.seat_reservation).join(schema.game_table, t.id == RESERVED.table).where(*conditions)
        with read_connection(self._engine) as db:
            rows = db.execute(wanted.order_by(t.created_at.desc(), RESERVED.seat)).mappings()
            return [SeatReservation(**row) for row in rows]

    def reserved_seats(self, tables: Collection[str]) -> dict[str, set[int]]:
        """Return the reserved seats of several tables, by table."""
        wanted = select(RESERVED.table, RESERVED.seat).where(RESERVED.table.in_(tables))
        found: dict[str, set[int]] = {}
        with read_connection(self._engine) as db:
            for table, seat in db.execute(wanted):
                found.setdefault(table, set()).add(seat)
        return found

    def release(self, table: str, guest: str, seat: int | None = None) -> bool:
        """Delete the reservations of a guest at a table, or only that of `seat`; return whether there were any."""
        own: list[Any] = [RESERVED.table == table, RESERVED.guest == guest]
        if seat is not None:
            own.append(RESERVED.seat == seat)
        with self._engine.begin() as db:
            gone = db.execute(delete(schema.seat_reservation).where(*own)).rowcount > 0
        self.invalidate(table)
        return gone
