"""What is written down so that people find each other: which tables the lobby lists, and seats kept for somebody."""

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

LISTING, KEPT = schema.listing.c, schema.kept_seat.c
SHOWN = LISTING.offered | LISTING.watched
TRUSTED = 60.0  # seconds for which a cached listing counts; changes are published
NEVER: tuple[float, None] = (0.0, None)
MOST = 10_000  # tables of which that is remembered


@dataclass(frozen=True)
class Listing:
    """What a table is listed for. One that nobody has listed is private."""

    table: str
    handle: str = ""  # what the lobby calls it
    offered: bool = False  # may anybody in the lobby take its free seats?
    watched: bool = False  # is it listed for those who like to watch?
    open_chat: bool = False  # may spectators read the chat while the game goes on?


@dataclass(frozen=True)
class SeatReservation:
    """A seat for somebody who has played with the same people before."""

    table: str
    seat: int
    guest: str
    after: str  # the table at which they played


class Listed(NamedTuple):
    """A listing, with what of its table is enough to choose which ones a page shows."""

    listing: Listing
    game: str
    owner: str
    network: str
    time_control: str
    opened: float
    free: bool  # has the table a seat that anybody may take?


class Counts(NamedTuple):
    """How many games are listed."""

    all: int
    host: int  # of one host
    network: int  # opened from one network


def in_turn(listed: Iterable[Listed]) -> list[Listed]:
    """Listings, one of each network in turn, so that nobody's many games hide those of others."""
    ranks: Counter[str] = Counter()
    ranked = []
    for one in listed:
        ranked.append((ranks[one.network], one))
        ranks[one.network] += 1
    return [one for _, one in sorted(ranked, key=lambda pair: pair[0])]


class Listings:
    """Listings and kept seats in the database."""

    def __init__(
        self,
        engine: Engine,
        *,
        timer: Callable[[], float] = monotonic,
        tokens: Callable[[], str] = new_table_id,
    ) -> None:
        self._engine = engine
        self._timer, self._tokens = timer, tokens  # seconds that pass; the handle of a new listing
        self._known: dict[str, tuple[float, Listing]] = {}
        self._changes, self._knowing = 0, Lock()

    def of(self, table: str) -> Listing:
        """Return what a table is listed for, from the cache if that is fresh."""
        then, known = self._known.get(table, NEVER)
        if known is None or self._timer() - then > TRUSTED:
            changes, now = self._changes, self._timer()
            known = self._read(table)
            with self._knowing:
                if changes == self._changes:  # else somebody has written meanwhile
                    if len(self._known) >= MOST:
                        self._known.clear()
                    self._known[table] = now, known
        return known

    def _read(self, table: str) -> Listing:
        with read_connection(self._engine) as db:
            row = db.execute(select(schema.listing).where(LISTING.table == table)).mappings().first()
        return Listing(**row) if row else Listing(table)

    def forget(self, table: str) -> None:
        """Drop what is cached of a table: its listing or its kept seats have been written, here or elsewhere."""
        with self._knowing:
            self._changes += 1
            self._known.pop(table, None)

    def forget_all(self) -> None:
        """Drop all that is cached: messages may have been lost."""
        with self._knowing:
            self._changes += 1
            self._known.clear()

    def called(self, handle: str) -> Listing | None:
        """The listing that the lobby calls so, if there is one."""
        if not TOKEN_PATTERN.fullmatch(handle):
            return None
        with read_connection(self._engine) as db:
            row = db.execute(select(schema.listing).where(LISTING.handle == handle)).mappings().first()
        return Listing(**row) if row else None

    def put(self, listing: Listing) -> Listing:
        """Save what a table is listed for, and return it with its handle."""
        facts = {"offered": listing.offered, "watched": listing.watched, "open_chat": listing.open_chat}
        with locked_transaction(self._engine, f"listing {listing.table}") as db:
            if not db.execute(update(schema.listing).where(LISTING.table == listing.table).values(**facts)).rowcount:
                fresh = Listing(listing.table, self._tokens(), **facts)
                db.execute(insert(schema.listing), asdict(fresh))
        self.forget(listing.table)
        return self.of(listing.table)

    @property
    def changes(self) -> int:
        """A number that is another one after each change of which this process knows."""
        return self._changes

    def running(self, most: int) -> list[Listed]:
        """At most so many of the games that go on and are listed for anything: the latest first."""
        t, s = schema.table.c, schema.seat.c
        joined = schema.listing.join(schema.table, t.id == LISTING.table)
        is_kept = exists().where(KEPT.table == s.table, KEPT.seat == s.seat)
        free = exists().where(s.table == t.id, s.kind == OPEN, s.name == OPEN_SEAT_NAME, ~is_kept)
        wanted = select(schema.listing, t.game, t.owner, t.network, t.time_control, t.opened, free.label("free"))
        wanted = wanted.select_from(joined).where(t.status == RUNNING, SHOWN).order_by(t.opened.desc(), t.id)
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

    def counts(self, host: str, network: str, but: str) -> Counts:
        """How many games that go on are listed for anything, beside the table `but`."""
        t = schema.table.c
        joined = schema.listing.join(schema.table, t.id == LISTING.table)
        theirs = [
            func.coalesce(func.sum(case((which, 1), else_=0)), 0) for which in (t.owner == host, t.network == network)
        ]
        wanted = select(func.count(), *theirs).select_from(joined).where(t.status == RUNNING, SHOWN, t.id != but)
        with read_connection(self._engine) as db:
            return Counts(*map(int, db.execute(wanted).one()))

    # --- kept seats -----------------------------------------------------------------------

    def keep(self, table: str, guests: Mapping[int, str], after: str) -> None:
        """Keep seats of a table for guests who played at another one."""
        rows = [asdict(SeatReservation(table, seat, guest, after)) for seat, guest in guests.items()]
        if rows:
            with self._engine.begin() as db:
                db.execute(insert(schema.kept_seat), rows)
            self.forget(table)

    def kept_for(self, guest: str) -> list[SeatReservation]:
        """The seats that are kept for a guest, at games that go on."""
        t = schema.table.c
        joined = schema.kept_seat.join(schema.table, t.id == KEPT.table)
        wanted = select(schema.kept_seat).select_from(joined).where(t.status == RUNNING, KEPT.guest == guest)
        with read_connection(self._engine) as db:
            return [
                SeatReservation(**row) for row in db.execute(wanted.order_by(t.opened.desc(), KEPT.seat)).mappings()
            ]

    def kept_after(self, table: str) -> list[SeatReservation]:
        """The seats that were kept for those who played at a table, in the games that came after it."""
        t = schema.table.c
        joined = schema.kept_seat.join(schema.table, t.id == KEPT.table)
        wanted = select(schema.kept_seat).select_from(joined).where(KEPT.after == table)
        with read_connection(self._engine) as db:
            return [
                SeatReservation(**row) for row in db.execute(wanted.order_by(t.opened.desc(), KEPT.seat)).mappings()
            ]

    def kept_in(self, table: str) -> list[SeatReservation]:
        """The seats of a table that are kept for somebody."""
        with read_connection(self._engine) as db:
            rows = db.execute(select(schema.kept_seat).where(KEPT.table == table)).mappings()
            return [SeatReservation(**row) for row in rows]

    def kept_at(self, tables: Collection[str]) -> dict[str, set[int]]:
        """The seats of some tables that are kept for anybody, by table."""
        wanted = select(KEPT.table, KEPT.seat).where(KEPT.table.in_(tables))
        found: dict[str, set[int]] = {}
        with read_connection(self._engine) as db:
            for table, seat in db.execute(wanted):
                found.setdefault(table, set()).add(seat)
        return found

    def let_go(self, table: str, guest: str, seat: int | None = None) -> bool:
        """Keep no seat of a table for a guest, or not this one; return whether any was kept."""
        ours = delete(schema.kept_seat).where(KEPT.table == table, KEPT.guest == guest)
        if seat is not None:
            ours = ours.where(KEPT.seat == seat)
        with self._engine.begin() as db:
            gone = db.execute(ours).rowcount > 0
        self.forget(table)
        return gone
