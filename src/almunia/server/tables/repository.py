"""The store: tables, seats and entries, read and written. Entries are appended and never changed."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    RowMapping,
    bindparam,
    case,
    delete,
    false,
    func,
    insert,
    literal_column,
    select,
    text,
    true,
    tuple_,
    update,
)
from sqlalchemy.exc import IntegrityError

from ..clock import SYSTEM_CLOCK, Clock
from ..limits import DEFAULT_LIMITS
from ..storage import schema
from ..storage.database import alone, is_shared, key_of, reading
from ..storage.locks import LIVING
from ..tokens import TOKEN_PATTERN
from .model import BOT, FINISHED, NOTICE, OUTDATED, PERSON, RUNNING, Seat, StaleError, Table, TableEvent, Waiting

SEAT = [field.name for field in fields(Seat)]
SITTING = [name for name in SEAT if name != "here"]  # which is written by itself


def given(*names: str) -> dict[str, Any]:
    """Values that are given under the names of their columns whenever a statement is run."""
    return {name: bindparam(name) for name in names}


# What every act runs is put together once.
ITS = schema.table.c.id == bindparam("its_id")
VERSION = select(schema.table.c.version).where(ITS)
GO_ON = (
    update(schema.table)
    .where(ITS, schema.table.c.version == bindparam("its_version"))
    .values(given("status", "turn", "changed", "advanced", "version", "owner", "due", "seed"))
)
ADD = insert(schema.entry)
SIT = (
    update(schema.seat)
    .where(schema.seat.c.table == bindparam("its_table"), schema.seat.c.seat == bindparam("its_seat"))
    .values(given(*SITTING))
)
SEE = (
    update(schema.seat)
    .where(schema.seat.c.table == bindparam("its_table"), schema.seat.c.seat == bindparam("its_seat"))
    .values(given("here"))
)
SOME = 500  # people of whom is written down at once when they were at a table
ALIVE = "alive"  # under which it stands when the site was there last
WORD, OUT = schema.kept_word.c, schema.outage.c
# What whoever writes to a table must know of outages: when the site was there last, and the end of the last outage.
LAST = (
    select(WORD.word).where(WORD.name == ALIVE).scalar_subquery(),
    select(func.max(OUT.until)).scalar_subquery(),
)
STATE, LOCK = select(*LAST), select(*LAST, func.pg_advisory_xact_lock(bindparam("key")))
WATCHED: ColumnElement[bool] = literal_column(  # where several processes serve a site
    f'"table".id IN (SELECT place FROM presence WHERE process IN ({LIVING}))'  # noqa: S608  no words of others
)
GONE = text(f"DELETE FROM presence WHERE process NOT IN ({LIVING})")  # noqa: S608  no words of others


class TableRepository:
    """Tables in a database."""

    def __init__(
        self, engine: Engine, clock: Clock = SYSTEM_CLOCK, *, outage_seconds: float = DEFAULT_LIMITS.outage_seconds
    ) -> None:
        self._outage_seconds = outage_seconds
        self._engine, self._clock, self.shared = engine, clock, is_shared(engine)
        # What is read by several statements is read as it was at one moment; SQLite knows no other way.
        self._steady = engine.execution_options(isolation_level="REPEATABLE READ") if self.shared else engine

    def clean_up(self, now: float) -> None:
        """Forget what processes have told each other that holds no more."""
        if self.shared:
            with self._engine.begin() as db:
                db.execute(GONE)
                db.execute(delete(schema.hits).where(schema.hits.c.until <= now))

    @contextmanager
    def alone(self, what: str) -> Iterator[None]:
        """Be the only process that does something; where there are no others, nothing is done for it."""
        if not self.shared:
            yield
            return
        with alone(self._engine, what):
            yield

    @contextmanager
    def locked(self, table: str) -> Iterator[bool]:
        """Be the only process that writes to a table; gives whether it may have to be told of an outage first.

        What is read while one waits for the lock may be old by then, but not so old that an outage is overlooked.
        """
        if not self.shared:
            with reading(self._engine) as db:
                alive, until = db.execute(STATE).one()
            yield until is not None or self._is_stale(alive, self._clock.now())
            return
        with self._engine.begin() as db:
            alive, until, _ = db.execute(LOCK, {"key": key_of(f"table {table}")}).one()
            yield until is not None or self._is_stale(alive, self._clock.now())

    @property
    def engine(self) -> Engine:
        """The database."""
        return self._engine

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def open(
        self, table: Table, entries: Sequence[TableEvent] = (), also: Callable[[Connection], object] | None = None
    ) -> Table:
        """Write a new table, with what has been done at it already; returns it as it is kept.

        What `also` writes belongs to the same transaction.
        """
        seats = tuple(replace(seat, noticed=table.opened) for seat in table.seats)
        table = replace(table, seats=seats, version=len(entries), changed=table.opened, advanced=table.opened)
        with self._engine.begin() as db:
            db.execute(insert(schema.table), _table_row(table))
            rows = [_seat_row(table.id, number, seat) for number, seat in enumerate(table.seats)]
            db.execute(insert(schema.seat), rows)
            if entries:
                db.execute(ADD, [_entry_row(table.id, number, one) for number, one in enumerate(entries, 1)])
            if also:
                also(db)
        return table

    def everything(self) -> list[Table]:
        """All tables, those opened last first."""
        return self._tables(true())

    def stop_clock(self, table: str) -> None:
        """Let nothing be due at a table any more."""
        with self._engine.begin() as db:
            db.execute(update(schema.table).where(schema.table.c.id == table).values(due=None))

    def end_outdated(self, table: str) -> None:
        """End a running game that cannot be continued under the rules that are installed."""
        facts = {"status": FINISHED, "ended": OUTDATED, "due": None, "network": ""}
        with self._engine.begin() as db:
            db.execute(update(schema.table).where(schema.table.c.id == table).values(**facts))

    def find(self, table: str) -> Table | None:
        """The table with this id, if there is one."""
        found = self._tables(schema.table.c.id == table) if TOKEN_PATTERN.fullmatch(table) else []
        return found[0] if found else None

    def those(self, tables: Collection[str]) -> list[Table]:
        """The tables with these ids."""
        return self._tables(schema.table.c.id.in_(tables)) if tables else []

    def version(self, table: str) -> int | None:
        """How many entries the table with this id has; None if there is none."""
        if not TOKEN_PATTERN.fullmatch(table):
            return None
        with reading(self._engine) as db:
            return db.execute(VERSION, {"its_id": table}).scalar()

    def versions(self, tables: Collection[str]) -> dict[str, int]:
        """Return how many entries each of these tables has, without those that do not exist."""
        if not tables:
            return {}
        t = schema.table.c
        with reading(self._engine) as db:
            return {row.id: row.version for row in db.execute(select(t.id, t.version).where(t.id.in_(tables)))}

    def entries(self, table: Table, known: int = 0) -> list[TableEvent]:
        """The entries that led to a table as it was read, without those `known`; others may have been written since."""
        e = schema.entry.c
        ours = (e.table == table.id) & (e.number <= table.version) & (e.number > known)
        wanted = select(e.seat, e.kind, e.action, e.words, e.follows, e.time).where(ours).order_by(e.number)
        with reading(self._engine) as db:
            return [TableEvent(**row) for row in db.execute(wanted).mappings()]

    def append(
        self,
        before: Table,
        after: Table,
        entries: Sequence[TableEvent],
        noticing: Collection[int],
        also: Callable[[Connection], object] | None = None,
    ) -> Table:
        """Write entries and what they change, all or nothing; StaleError if `before` is not the latest.

        Nobody but the seats that are `noticing` anything can tell that something has happened. What `also` writes
        belongs to the same transaction.
        """
        now = entries[-1].time
        seats = tuple(replace(seat, noticed=now) if p in noticing else seat for p, seat in enumerate(after.seats))
        network = "" if after.finished else after.network  # no longer needed
        after = replace(after, version=before.version + len(entries), changed=now, seats=seats, network=network)
        facts = {"status": after.status, "turn": after.turn, "changed": after.changed, "version": after.version}
        facts |= {
            "advanced": after.advanced,
            "owner": after.owner,
            "due": after.due,
            "seed": after.seed,
            "its_id": before.id,
            "its_version": before.version,
        }
        with self._engine.begin() as db:
            if db.execute(GO_ON, facts).rowcount != 1:
                raise StaleError
            if after.result is not None:
                result = {"result": list(after.result), "ended": after.ended, "gave_up": after.gave_up, "network": ""}
                db.execute(update(schema.table).where(schema.table.c.id == before.id), result)
            numbered = enumerate(entries, before.version + 1)
            rows = [_entry_row(before.id, number, entry) for number, entry in numbered]
            db.execute(ADD, rows)
            _write_seats(db, before, after)
            if also:
                also(db)
        return after

    def note_former(self, table: str, seat: int, guest: str, name: str) -> None:
        """Write down who has given up a seat, so that the name can be taken from the table's entries one day."""
        row = {"table": table, "seat": seat, "guest": guest, "name": name}
        with suppress(IntegrityError), self._engine.begin() as db:  # a waiting table can be left more than once
            db.execute(insert(schema.former_seat), row)

    def vacation(self, guest: str) -> tuple[float, float, float | None] | None:
        """What is known of a guest's vacation: balance, when that was reckoned, and since when it is taken."""
        v = schema.vacation.c
        with reading(self._engine) as db:
            row = db.execute(select(v.balance, v.at, v.since).where(v.player == guest)).first()
        return (row.balance, row.at, row.since) if row else None

    def set_vacation(self, guest: str, balance: float, at: float, since: float | None) -> None:
        """Write down what a guest has of it."""
        facts = {"balance": balance, "at": at, "since": since}
        with alone(self._engine, f"vacation {guest}") as db:
            if not db.execute(update(schema.vacation).where(schema.vacation.c.player == guest), facts).rowcount:
                db.execute(insert(schema.vacation), {"player": guest, **facts})

    def move_vacation(self, old: str, new: str) -> None:
        """Let what a guest has of it be another one's, who has none of their own; else it is gone."""
        v = schema.vacation.c
        with alone(self._engine, f"vacation {new}") as db:
            if db.execute(select(v.player).where(v.player == new)).first():
                db.execute(delete(schema.vacation).where(v.player == old))
            else:
                db.execute(update(schema.vacation).where(v.player == old).values(player=new))

    def spent_vacations(self, now: float) -> list[str]:
        """The guests on vacation of which nothing is left."""
        v = schema.vacation.c
        with reading(self._engine) as db:
            return [row.player for row in db.execute(select(v.player).where(v.since + v.balance <= now))]

    def alive(self) -> float | None:
        """When the site was there last, as far as that was written down."""
        with reading(self._engine) as db:
            word = db.execute(select(WORD.word).where(WORD.name == ALIVE)).scalar()
        return None if word is None else float(word)

    def _is_stale(self, alive: str | None, now: float) -> bool:
        """Whether the site was last there so long ago, as it is written down, that no clock has run since."""
        return alive is not None and now - float(alive) >= self._outage_seconds

    def note_alive(self, now: float) -> None:
        """Write down that the site is there, and for how long it was not, if it is back."""
        with alone(self._engine, ALIVE) as db:
            word = db.execute(select(WORD.word).where(WORD.name == ALIVE)).scalar()
            if word is None:
                db.execute(insert(schema.kept_word), {"name": ALIVE, "word": str(now)})
            elif now > float(word):
                ours = update(schema.kept_word).where(WORD.name == ALIVE, WORD.word == word)  # another thread's, if not
                if db.execute(ours, {"word": str(now)}).rowcount and self._is_stale(word, now):
                    db.execute(insert(schema.outage), {"since": float(word), "until": now})

    def outages(self) -> list[tuple[float, float]]:
        """When nobody could reach the site, since when and until when, of which not all tables have been told."""
        with reading(self._engine) as db:
            return [(row.since, row.until) for row in db.execute(select(OUT.since, OUT.until).order_by(OUT.until))]

    def forget_outages(self, until: float) -> None:
        """Know that all tables have been told of outages until then."""
        with self._engine.begin() as db:
            db.execute(delete(schema.outage).where(OUT.until <= until))

    def timed(self, unchanged: float) -> list[str]:
        """The running tables that have clocks, at which nothing has happened since a time; those changed last last."""
        t = schema.table.c
        ours = t.status == RUNNING, t.time_control != "", t.changed < unchanged
        with reading(self._engine) as db:
            return [row.id for row in db.execute(select(t.id).where(*ours).order_by(t.changed))]

    def overdue(self, moment: float, most: int) -> list[str]:
        """Running tables at which the time of the seat to move was up at some moment."""
        t = schema.table.c
        wanted = select(t.id).where(t.status == RUNNING, t.due < moment).limit(most)
        with reading(self._engine) as db:
            return [row.id for row in db.execute(wanted)]

    def forsaken(self, unchanged: float, warned: float, most: int, among_bots: float | None = None) -> list[list[str]]:
        """Running tables that have not advanced since a time: to be warned, and those warned before another.

        For rated games of one person and bots alone the time is `among_bots`, if that is given. What is played and
        undone again advances no game: else whoever is losing could keep it from its end for ever.
        """
        t, s, e = schema.table.c, schema.seat.c, schema.entry.c
        people = select(func.count()).where(s.table == t.id, s.kind != BOT).scalar_subquery()
        since = case((t.rated & (people == 1), unchanged if among_bots is None else among_bots), else_=unchanged)
        latest = unchanged if among_bots is None else max(unchanged, among_bots)  # by which an index finds them
        notice = select(e.number).where(e.table == t.id, e.kind == NOTICE, e.time >= t.advanced)
        idle = select(t.id).where(t.status == RUNNING, t.advanced < latest, t.advanced < since, ~notice.exists())
        told = select(t.id).where(t.status == RUNNING, t.advanced < warned, notice.where(e.time < warned).exists())
        with reading(self._engine) as db:
            return [[row.id for row in db.execute(which.limit(most))] for which in (idle, told)]

    def saw(self, people: Sequence[tuple[str, str, float]]) -> None:
        """Write down when somebody was last at a table: table, guest and time.

        All seats are locked first, in the order in which acts write them: else each could wait for the other.
        """
        s = schema.seat.c
        for first in range(0, len(people), SOME):
            when = {(table, guest): time for table, guest, time in people[first : first + SOME]}
            theirs = select(s.table, s.seat, s.player).where(
                s.table.in_({table for table, _ in when}),  # SQLite looks up no pairs by an index
                tuple_(s.table, s.player).in_(list(when)),
            )
            with self._engine.begin() as db:
                found = db.execute(theirs.order_by(s.table, s.seat).with_for_update(key_share=True)).all()
                here = [(row.table, row.seat, when[row.table, row.player]) for row in found]
                if here:
                    db.execute(
                        SEE, [{"its_table": table, "its_seat": seat, "here": time} for table, seat, time in here]
                    )

    def of_guest(self, guest: str, *, running: bool = False) -> list[Table]:
        """The tables at which a guest sits, or those whose games go on; those opened last first."""
        s, t = schema.seat.c, schema.table.c
        theirs = t.id.in_(select(s.table).where(s.kind == PERSON, s.player == guest))
        return self._tables(theirs & (t.status == RUNNING) if running else theirs)

    def count_running(self, guest: str) -> int:
        """Count the running tables at which a guest sits, or that this guest hosts."""
        s, t = schema.seat.c, schema.table.c
        held = select(s.table).where(s.kind == PERSON, s.player == guest)
        theirs = held.union(select(t.id).where(t.owner == guest)).subquery()  # `or` would look at all that run
        count = select(func.count()).select_from(theirs.join(schema.table, t.id == theirs.c.table))
        with reading(self._engine) as db:
            return db.execute(count.where(t.status == RUNNING)).scalar_one()

    def awaiting_bots(self) -> list[Waiting]:
        """Return the tables where it is a bot's turn."""
        t, s, sitter = schema.table.c, schema.seat.c, schema.seat.alias().c
        people = select(sitter.seat).where(sitter.table == t.id, sitter.kind == PERSON).correlate(schema.table)
        left = people.exists() & ~people.where(sitter.stand_in == "").exists()
        joined = schema.table.join(schema.seat, (s.table == t.id) & (s.seat == t.turn))
        wanted = (
            select(t.id, t.owner, t.network, left, WATCHED if self.shared else false())
            .select_from(joined)
            .where(t.status == RUNNING, (s.kind == BOT) | (s.stand_in != ""))
        )
        with reading(self._engine) as db:
            return [Waiting(row[0], row[1], row[2], bool(row[3]), bool(row[4])) for row in db.execute(wanted)]

    def _tables(self, condition: Any) -> list[Table]:
        # Ordered by what was done last, a list would tell its reader of what others choose in secret.
        wanted = select(schema.table).where(condition).order_by(schema.table.c.opened.desc(), schema.table.c.id)
        with self._steady.begin() as db:
            rows = db.execute(wanted).mappings().all()
            s = schema.seat.c
            ours = select(schema.seat).where(s.table.in_([row["id"] for row in rows])).order_by(s.seat)
            seats: dict[str, list[RowMapping]] = {row["id"]: [] for row in rows}
            for seat in db.execute(ours).mappings():
                seats[seat["table"]].append(seat)
        return [_table(row, seats[row["id"]]) for row in rows]


def _table(row: RowMapping, seats: Sequence[RowMapping]) -> Table:
    facts = {
        **row,
        "seats": tuple(Seat(**{name: seat[name] for name in SEAT}) for seat in seats),
        "result": tuple(row["result"]) if row["result"] is not None else None,
    }
    return Table(**facts)


def _table_row(table: Table) -> dict[str, Any]:
    facts = {column.name: getattr(table, column.name) for column in schema.table.columns}
    return {**facts, "seats": len(table.seats), "result": None}


def _seat_row(table: str, number: int, seat: Seat) -> dict[str, Any]:
    return {"table": table, "seat": number, **asdict(seat)}


def _entry_row(table: str, number: int, entry: TableEvent) -> Mapping[str, Any]:
    return {"table": table, "number": number, **asdict(entry)}


def _write_seats(db: Connection, before: Table, after: Table) -> None:
    rows = [
        {"its_table": before.id, "its_seat": number, **{name: getattr(now, name) for name in SITTING}}
        for number, (was, now) in enumerate(zip(before.seats, after.seats, strict=True))
        if was != now
    ]
    if rows:
        db.execute(SIT, rows)
