"""Listings of tables in the lobby, and reserved seats."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from threading import Lock
from time import monotonic
from typing import NamedTuple

from sqlalchemy import Engine, case, delete, exists, func, insert, select, update

from ..storage import schema
from ..storage.database import locked_transaction, read_connection
from ..tables.model import OPEN, OPEN_SEAT_NAME, RUNNING
from ..tokens import TOKEN_PATTERN, new_table_id

LISTING, RESERVED = schema.listing.c, schema.kept_seat.c
IS_LISTED = LISTING.offered | LISTING.watched
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


@dataclass(frozen=True)
class SeatReservation:
    """A seat for a guest who has played with the same people before."""

    table: str
    seat: int
    guest: str
    after: str  # id of the table at which they played


class Listed(NamedTuple):
    """A listing with the columns of its table by which the lobby chooses."""

    listing: Listing
    game: str
    owner: str
    network: str
    time_control: str
    opened: float
    free: bool  # whether the table has a seat that any visitor may take


class Counts(NamedTuple):
    """Numbers of listed games."""

    all: int
    host: int  # of one host
    network: int  # opened from one network


def interleave_networks(listed: Iterable[Listed]) -> list[Listed]:
    """Return listings with one of each network in turn, so that many games of one player do not hide others."""
    ranks: Counter[str] = Counter()
    ranked = []
    for one in listed:
        ranked.append((ranks[one.network], one))
        ranks[one.network] += 1
    return [one for _, one in sorted(ranked, key=lambda pair: pair[0])]


class Listings:
    """Stores listings and reservations."""

    def __init__(
        self,
        engine: Engine,
        *,
        timer: Callable[[], float] = monotonic,
        tokens: Callable[[], str] = new_table_id,
    ) -> None:
        self._engine = engine
        self._timer, self._tokens = timer, tokens  # monotonic seconds; the handle of a new listing
        self._cache: dict[str, tuple[float, Listing]] = {}
        self._changes, self._cache_lock = 0, Lock()

    def get(self, table: str) -> Listing:
        """Return the listing of a table, from the cache if that is fresh."""
        then, known = self._cache.get(table, NOT_CACHED)
        if known is None or self._timer() - then > CACHE_SECONDS:
            changes, now = self._changes, self._timer()
            known = self._read(table)
            with self._cache_lock:
                if changes == self._changes:  # else it was written meanwhile
                    if len(self._cache) >= MAX_CACHED_LISTINGS:
                        self._cache.clear()
                    self._cache[table] = now, known
        return known

    def _read(self, table: str) -> Listing:
        with read_connection(self._engine) as db:
            row = db.execute(select(schema.listing).where(LISTING.table == table)).mappings().first()
        return Listing(**row) if row else Listing(table)

    def invalidate(self, table: str) -> None:
        """Drop the cached listing of a table, and note that its listing or reservations have changed."""
        with self._cache_lock:
            self._changes += 1
            self._cache.pop(table, None)

    def invalidate_all(self) -> None:
        """Drop all cached listings: messages may have been lost."""
        with self._cache_lock:
            self._changes += 1
            self._cache.clear()

    def find_by_handle(self, handle: str) -> Listing | None:
        """Return the listing with a handle, or None."""
        if not TOKEN_PATTERN.fullmatch(handle):
            return None
        with read_connection(self._engine) as db:
            row = db.execute(select(schema.listing).where(LISTING.handle == handle)).mappings().first()
        return Listing(**row) if row else None

    def save(self, listing: Listing) -> Listing:
        """Save a listing, and return it with its handle."""
        facts = {"offered": listing.offered, "watched": listing.watched, "open_chat": listing.open_chat}
        with locked_transaction(self._engine, f"listing {listing.table}") as db:
            if not db.execute(update(schema.listing).where(LISTING.table == listing.table).values(**facts)).rowcount:
                fresh = Listing(listing.table, self._tokens(), **facts)
                db.execute(insert(schema.listing), asdict(fresh))
        self.invalidate(listing.table)
        return self.get(listing.table)

    @property
    def change_count(self) -> int:
        """The number of changes that this process has noticed."""
        return self._changes

    def running_games(self, most: int) -> list[Listed]:
        """Return at most `most` running games that are listed, latest first."""
        t, s = schema.table.c, schema.seat.c
        joined = schema.listing.join(schema.table, t.id == LISTING.table)
        is_kept = exists().where(RESERVED.table == s.table, RESERVED.seat == s.seat)
        free = exists().where(s.table == t.id, s.kind == OPEN, s.name == OPEN_SEAT_NAME, ~is_kept)
        wanted = select(schema.listing, t.game, t.owner, t.network, t.time_control, t.opened, free.label("free"))
        wanted = wanted.select_from(joined).where(t.status == RUNNING, IS_LISTED).order_by(t.opened.desc(), t.id)
        with read_connection(self._engine) as db:
            return [
                Listed(
                    Listing(row.table, row.handle, row.offered, row.watched, row.open_chat),
                    row.game,
                    row.owner,
                    row.network,
                    row.time_control,
                    row.opened,
                    bool(row.free),
                )
                for row in db.execute(wanted.limit(most))
            ]

    def count_listed(self, host: str, network: str, but: str) -> Counts:
        """Return the numbers of running games that are listed, without the table `but`."""
        t = schema.table.c
        joined = schema.listing.join(schema.table, t.id == LISTING.table)
        theirs = [
            func.coalesce(func.sum(case((which, 1), else_=0)), 0) for which in (t.owner == host, t.network == network)
        ]
        wanted = select(func.count(), *theirs).select_from(joined).where(t.status == RUNNING, IS_LISTED, t.id != but)
        with read_connection(self._engine) as db:
            return Counts(*map(int, db.execute(wanted).one()))

    # --- reservations ---------------------------------------------------------------------

    def reserve(self, table: str, guests: Mapping[int, str], after: str) -> None:
        """Reserve seats of a table for guests who played at the table `after`."""
        rows = [asdict(SeatReservation(table, seat, guest, after)) for seat, guest in guests.items()]
        if rows:
            with self._engine.begin() as db:
                db.execute(insert(schema.kept_seat), rows)
            self.invalidate(table)

    def reservations_for(self, guest: str) -> list[SeatReservation]:
        """Return the reservations of a guest in running games."""
        t = schema.table.c
        joined = schema.kept_seat.join(schema.table, t.id == RESERVED.table)
        wanted = select(schema.kept_seat).select_from(joined).where(t.status == RUNNING, RESERVED.guest == guest)
        with read_connection(self._engine) as db:
            return [
                SeatReservation(**row) for row in db.execute(wanted.order_by(t.opened.desc(), RESERVED.seat)).mappings()
            ]

    def reservations_after(self, table: str) -> list[SeatReservation]:
        """Return the reservations in later games for the players of a table."""
        t = schema.table.c
        joined = schema.kept_seat.join(schema.table, t.id == RESERVED.table)
        wanted = select(schema.kept_seat).select_from(joined).where(RESERVED.after == table)
        with read_connection(self._engine) as db:
            return [
                SeatReservation(**row) for row in db.execute(wanted.order_by(t.opened.desc(), RESERVED.seat)).mappings()
            ]

    def reservations_at(self, table: str) -> list[SeatReservation]:
        """Return the reservations at a table."""
        with read_connection(self._engine) as db:
            rows = db.execute(select(schema.kept_seat).where(RESERVED.table == table)).mappings()
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
        ours = delete(schema.kept_seat).where(RESERVED.table == table, RESERVED.guest == guest)
        if seat is not None:
            ours = ours.where(RESERVED.seat == seat)
        with self._engine.begin() as db:
            gone = db.execute(ours).rowcount > 0
        self.invalidate(table)
        return gone
