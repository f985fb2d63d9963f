"""What is written down so that people find each other: which tables the lobby lists, and seats kept for somebody."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from threading import Lock
from time import monotonic

from sqlalchemy import Engine, delete, insert, select, update

from ..secret import TOKEN, table_token
from ..storage import schema
from ..storage.database import alone, reading
from ..storage.store import RUNNING

LISTING, KEPT = schema.listing.c, schema.kept_seat.c
TRUSTED = 60.0  # seconds for which a listing is not looked up again: of changes this process is told
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
class KeptSeat:
    """A seat for somebody who has played with the same people before."""

    table: str
    seat: int
    guest: str
    after: str  # the table at which they played


class Listings:
    """Listings and kept seats in the database."""

    def __init__(
        self,
        engine: Engine,
        *,
        timer: Callable[[], float] = monotonic,
        tokens: Callable[[], str] = table_token,
    ) -> None:
        self._engine = engine
        self._timer, self._tokens = timer, tokens  # seconds that pass; the handle of a new listing
        self._known: dict[str, tuple[float, Listing]] = {}
        self._changes, self._knowing = 0, Lock()

    def of(self, table: str) -> Listing:
        """What a table is listed for."""
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
        with reading(self._engine) as db:
            row = db.execute(select(schema.listing).where(LISTING.table == table)).mappings().first()
        return Listing(**row) if row else Listing(table)

    def look_again(self) -> None:
        """Look all listings up again, for one was written, by this process or another one."""
        with self._knowing:
            self._changes += 1
            self._known.clear()

    def called(self, handle: str) -> Listing | None:
        """The listing that the lobby calls so, if there is one."""
        if not TOKEN.fullmatch(handle):
            return None
        with reading(self._engine) as db:
            row = db.execute(select(schema.listing).where(LISTING.handle == handle)).mappings().first()
        return Listing(**row) if row else None

    def put(self, listing: Listing) -> Listing:
        """Write down what a table is listed for; returns it with its handle."""
        facts = {"offered": listing.offered, "watched": listing.watched, "open_chat": listing.open_chat}
        with alone(self._engine, f"listing {listing.table}") as db:
            if not db.execute(update(schema.listing).where(LISTING.table == listing.table).values(**facts)).rowcount:
                fresh = Listing(listing.table, self._tokens(), **facts)
                db.execute(insert(schema.listing), asdict(fresh))
        self.look_again()
        return self.of(listing.table)

    def running(self) -> list[Listing]:
        """The listings of all games that go on and are listed for anything."""
        t = schema.table.c
        joined = schema.listing.join(schema.table, t.id == LISTING.table)
        shown = LISTING.offered | LISTING.watched
        wanted = select(schema.listing).select_from(joined).where(t.status == RUNNING, shown).order_by(t.opened)
        with reading(self._engine) as db:
            return [Listing(**row) for row in db.execute(wanted).mappings()]

    # --- kept seats -----------------------------------------------------------------------

    def keep(self, table: str, guests: Mapping[int, str], after: str) -> None:
        """Keep seats of a table for guests who played at another one."""
        rows = [asdict(KeptSeat(table, seat, guest, after)) for seat, guest in guests.items()]
        if rows:
            with self._engine.begin() as db:
                db.execute(insert(schema.kept_seat), rows)

    def kept_for(self, guest: str) -> list[KeptSeat]:
        """The seats that are kept for a guest, at games that go on."""
        t = schema.table.c
        joined = schema.kept_seat.join(schema.table, t.id == KEPT.table)
        wanted = select(schema.kept_seat).select_from(joined).where(t.status == RUNNING, KEPT.guest == guest)
        with reading(self._engine) as db:
            return [KeptSeat(**row) for row in db.execute(wanted.order_by(t.opened.desc(), KEPT.seat)).mappings()]

    def kept_after(self, table: str) -> list[KeptSeat]:
        """The seats that were kept for those who played at a table, in the games that came after it."""
        t = schema.table.c
        joined = schema.kept_seat.join(schema.table, t.id == KEPT.table)
        wanted = select(schema.kept_seat).select_from(joined).where(KEPT.after == table)
        with reading(self._engine) as db:
            return [KeptSeat(**row) for row in db.execute(wanted.order_by(t.opened.desc(), KEPT.seat)).mappings()]

    def kept_in(self, table: str) -> list[KeptSeat]:
        """The seats of a table that are kept for somebody."""
        with reading(self._engine) as db:
            rows = db.execute(select(schema.kept_seat).where(KEPT.table == table)).mappings()
            return [KeptSeat(**row) for row in rows]

    def kept_at(self, tables: Collection[str]) -> dict[str, set[int]]:
        """The seats of some tables that are kept for anybody, by table."""
        wanted = select(KEPT.table, KEPT.seat).where(KEPT.table.in_(tables))
        found: dict[str, set[int]] = {}
        with reading(self._engine) as db:
            for table, seat in db.execute(wanted):
                found.setdefault(table, set()).add(seat)
        return found

    def let_go(self, table: str, guest: str, seat: int | None = None) -> bool:
        """Keep no seat of a table for a guest any more, or not this one; returns whether any was kept."""
        ours = delete(schema.kept_seat).where(KEPT.table == table, KEPT.guest == guest)
        if seat is not None:
            ours = ours.where(KEPT.seat == seat)
        with self._engine.begin() as db:
            return db.execute(ours).rowcount > 0
