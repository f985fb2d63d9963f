"""The SQL of tables, seats and events, and of vacations and outages."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Executable,
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

from ..clock import SYSTEM_CLOCK, Clock
from ..limits import DEFAULT_LIMITS
from ..storage import schema
from ..storage.database import is_shared, lock_key, locked_transaction, read_connection
from ..storage.locks import LIVE_PROCESSES_SQL
from ..tokens import TOKEN_PATTERN
from . import model
from .model import BotTurn, Seat, StaleError, Table, TableEvent

# Rows have the names of the model's fields: each field is a column, but for the seats of a table.
TABLE_COLUMNS = [field.name for field in fields(Table) if field.name not in ("seats", "result")]
SEAT_COLUMNS = [field.name for field in fields(Seat)]
EVENT_COLUMNS = [field.name for field in fields(TableEvent)]
SEAT_UPDATE_COLUMNS = [name for name in SEAT_COLUMNS if name != "last_seen_at"]


def bound_values(*names: str) -> dict[str, Any]:
    return {name: bindparam(name) for name in names}


# The statements of each move are built once.
BY_ID = schema.game_table.c.id == bindparam("its_id")
SELECT_VERSION = select(schema.game_table.c.version).where(BY_ID)
# The columns that each move may change
MOVE_COLUMNS = ("status", "turn", "changed_at", "advanced_at", "version", "host", "flag_at", "expires_at", "seed")
UPDATE_TABLE = (
    update(schema.game_table)
    .where(BY_ID, schema.game_table.c.version == bindparam("its_version"))
    .values(bound_values(*MOVE_COLUMNS))
)
INSERT_EVENTS = insert(schema.table_event)
UPDATE_ONE_SEAT = update(schema.seat).where(
    schema.seat.c.table == bindparam("its_table"), schema.seat.c.seat == bindparam("its_seat")
)
UPDATE_SEAT, UPDATE_LAST_SEEN = (
    UPDATE_ONE_SEAT.values(bound_values(*columns)) for columns in (SEAT_UPDATE_COLUMNS, ["last_seen_at"])
)
PRESENCE_BATCH_SIZE = 500  # seats that one transaction updates
HEARTBEAT_KEY = "alive"  # key of the time at which the site was last reachable
SETTING, OUTAGE = schema.site_setting.c, schema.outage.c
# Each writer of a table reads both: the time of the last heartbeat, and the end of the last outage.
OUTAGE_COLUMNS = (
    select(SETTING.value).where(SETTING.name == HEARTBEAT_KEY).scalar_subquery(),
    select(func.max(OUTAGE.ended_at)).scalar_subquery(),
)
SELECT_OUTAGE, LOCK_TABLE = (
    select(*OUTAGE_COLUMNS),
    select(*OUTAGE_COLUMNS, func.pg_advisory_xact_lock(bindparam("key"))),
)
IS_WATCHED: ColumnElement[bool] = literal_column(  # if several processes serve a site
    f"game_table.id IN (SELECT place FROM presence WHERE process IN ({LIVE_PROCESSES_SQL}))"  # noqa: S608  no user input
)
DELETE_DEAD_PRESENCE = text(f"DELETE FROM presence WHERE process NOT IN ({LIVE_PROCESSES_SQL})")  # noqa: S608  no user input


class TableRepository:
    def __init__(
        self, engine: Engine, clock: Clock = SYSTEM_CLOCK, *, outage_seconds: float = DEFAULT_LIMITS.outage_seconds
    ) -> None:
        self._outage_seconds = outage_seconds
        self._engine, self._clock, self.is_shared = engine, clock, is_shared(engine)
        # Several statements of a read see the same state, as they always do in SQLite.
        self._steady = engine.execution_options(isolation_level="REPEATABLE READ") if self.is_shared else engine

    def delete_expired(self, now: float) -> None:
        """In a shared database, delete the presence of ended processes, and expired hits of rate limits."""
        if self.is_shared:
            with self._engine.begin() as db:
                db.execute(DELETE_DEAD_PRESENCE)
                db.execute(delete(schema.rate_limit).where(schema.rate_limit.c.expires_at <= now))

    @contextmanager
    def exclusive(self, what: str) -> Iterator[None]:
        """Exclude other processes from `what` during the block; does nothing with SQLite."""
        if not self.is_shared:
            yield
            return
        with locked_transaction(self._engine, what):
            yield

    @contextmanager
    def lock(self, table: str) -> Iterator[bool]:
        """Lock a table against other processes, and yield whether an outage may have to be compensated first.

        With SQLite, where one process serves the site, nothing is locked.
        """
        if not self.is_shared:
            with read_connection(self._engine) as db:
                alive, until = db.execute(SELECT_OUTAGE).one()
            yield until is not None or self._is_outage(alive, self._clock.now())
            return
        with self._engine.begin() as db:
            alive, until, _ = db.execute(LOCK_TABLE, {"key": lock_key(f"table {table}")}).one()
            yield until is not None or self._is_outage(alive, self._clock.now())

    @property
    def engine(self) -> Engine:
        return self._engine

    def close(self) -> None:
        self._engine.dispose()

    def create(
        self, table: Table, events: Sequence[TableEvent] = (), also: Callable[[Connection], object] | None = None
    ) -> Table:
        """Insert a table with its first events, and return it as stored. `also` writes in the same transaction."""
        seats = tuple(replace(seat, last_visible_change=table.created_at) for seat in table.seats)
        table = replace(
            table, seats=seats, version=len(events), changed_at=table.created_at, advanced_at=table.created_at
        )
        with self._engine.begin() as db:
            row = {**_columns(table, TABLE_COLUMNS), "seats": len(seats), "result": table.result}
            db.execute(insert(schema.game_table), row)
            rows = [{"table": table.id, "seat": p, **_columns(seat, SEAT_COLUMNS)} for p, seat in enumerate(seats)]
            db.execute(insert(schema.seat), rows)
            if events:
                db.execute(INSERT_EVENTS, _event_rows(table.id, 0, events))
            if also:
                also(db)
        return table

    def all(self) -> list[Table]:
        """Return all tables, the latest first."""
        return self._tables(true())

    def clear_deadline(self, table: str) -> None:
        with self._engine.begin() as db:
            db.execute(update(schema.game_table).where(schema.game_table.c.id == table).values(flag_at=None))

    def close_outdated(self, table: str) -> None:
        changes = {
            "status": model.FINISHED,
            "end_reason": model.RULES_CHANGED,
            "flag_at": None,
            "expires_at": None,
            "network": "",
        }
        with self._engine.begin() as db:
            db.execute(update(schema.game_table).where(schema.game_table.c.id == table).values(**changes))

    def find(self, table: str) -> Table | None:
        tables = self._tables(schema.game_table.c.id == table) if TOKEN_PATTERN.fullmatch(table) else []
        return tables[0] if tables else None

    def get_many(self, tables: Collection[str]) -> list[Table]:
        return self._tables(schema.game_table.c.id.in_(tables)) if tables else []

    def version(self, table: str) -> int | None:
        """Return the number of events of a table; None if there is no table with this id."""
        if not TOKEN_PATTERN.fullmatch(table):
            return None
        with read_connection(self._engine) as db:
            return db.execute(SELECT_VERSION, {"its_id": table}).scalar()

    def versions(self, tables: Collection[str]) -> dict[str, int]:
        """Return the number of events by table, without tables that do not exist."""
        if not tables:
            return {}
        t = schema.game_table.c
        return {row.id: row.version for row in self._rows(select(t.id, t.version).where(t.id.in_(tables)))}

    def events(self, table: Table, known: int = 0) -> list[TableEvent]:
        """Return the events of a table after the first `known`, up to the version at which the table was read."""
        e = schema.table_event.c
        ours = (e.table == table.id) & (e.number <= table.version) & (e.number > known)
        wanted = select(*(e[name] for name in EVENT_COLUMNS)).where(ours).order_by(e.number)
        return [TableEvent(*row) for row in self._rows(wanted)]

    def append(
        self,
        before: Table,
        after: Table,
        events: Sequence[TableEvent],
        noticing: Collection[int],
        also: Sequence[Callable[[Connection], object]] = (),
    ) -> Table:
        """Append events, write the changes of the table, and return it as stored, in one transaction.

        Only the seats that are `noticing` a change get a new time of their last visible change. The functions `also`
        write in the same transaction. Raises StaleError if the table has changed since `before` was read.
        """
        now = events[-1].created_at
        seats = tuple(
            replace(seat, last_visible_change=now) if p in noticing else seat for p, seat in enumerate(after.seats)
        )
        network = "" if after.finished else after.network  # no longer needed
        after = replace(after, version=before.version + len(events), changed_at=now, seats=seats, network=network)
        changes = _columns(after, MOVE_COLUMNS)
        with self._engine.begin() as db:
            if db.execute(UPDATE_TABLE, {"its_id": before.id, "its_version": before.version, **changes}).rowcount != 1:
                raise StaleError
            if after.result is not None:
                result = {"result": list(after.result), **_columns(after, ("end_reason", "resigned_seat", "network"))}
                db.execute(update(schema.game_table).where(schema.game_table.c.id == before.id), result)
            db.execute(INSERT_EVENTS, _event_rows(before.id, before.version, events))
            _write_seats(db, before, after)
            for write in also:
                write(db)
        return after

    def get_vacation(self, guest: str) -> Sequence[Any] | None:
        """Return the balance, `updated_at` and `started_at` of a guest's vacation; None without a row."""
        v = schema.vacation.c
        with read_connection(self._engine) as db:
            return db.execute(select(v.balance, v.updated_at, v.started_at).where(v.player == guest)).first()

    def set_vacation(self, guest: str, balance: float, updated_at: float, started_at: float | None) -> None:
        values = {"balance": balance, "updated_at": updated_at, "started_at": started_at}
        with locked_transaction(self._engine, f"vacation {guest}") as db:
            if not db.execute(update(schema.vacation).where(schema.vacation.c.player == guest), values).rowcount:
                db.execute(insert(schema.vacation), {"player": guest, **values})

    def merge_vacation(self, old: str, new: str) -> None:
        """Move a guest's vacation to another guest, or delete it if the other guest has a vacation already."""
        v = schema.vacation.c
        with locked_transaction(self._engine, f"vacation {new}") as db:
            if db.execute(select(v.player).where(v.player == new)).first():
                db.execute(delete(schema.vacation).where(v.player == old))
            else:
                db.execute(update(schema.vacation).where(v.player == old).values(player=new))

    def guests_with_spent_vacation(self, now: float) -> list[str]:
        v = schema.vacation.c
        return [row.player for row in self._rows(select(v.player).where(v.started_at + v.balance <= now))]

    def _is_outage(self, alive: str | None, now: float) -> bool:
        return alive is not None and now - float(alive) >= self._outage_seconds

    def record_heartbeat(self, now: float) -> None:
        """Record that the site is reachable, and the outage before, if there was one."""
        with locked_transaction(self._engine, HEARTBEAT_KEY) as db:
            word = db.execute(select(SETTING.value).where(SETTING.name == HEARTBEAT_KEY)).scalar()
            if word is None:
                db.execute(insert(schema.site_setting), {"name": HEARTBEAT_KEY, "value": str(now)})
            elif now > float(word):
                # Another thread may have recorded a heartbeat meanwhile: then the row has another value.
                same = SETTING.name == HEARTBEAT_KEY, SETTING.value == word
                ours = update(schema.site_setting).where(*same)
                if db.execute(ours, {"value": str(now)}).rowcount and self._is_outage(word, now):
                    db.execute(insert(schema.outage), {"started_at": float(word), "ended_at": now})

    def outages(self) -> list[tuple[float, float]]:
        """Return the start and end of each recorded outage, in the order of their ends."""
        return [
            (row.started_at, row.ended_at)
            for row in self._rows(select(OUTAGE.started_at, OUTAGE.ended_at).order_by(OUTAGE.ended_at))
        ]

    def delete_outages(self, until: float) -> None:
        with self._engine.begin() as db:
            db.execute(delete(schema.outage).where(OUTAGE.ended_at <= until))

    def with_clocks(self, unchanged: float) -> list[str]:
        """Return the ids of running tables with clocks, unchanged since a time; the latest change comes last."""
        t = schema.game_table.c
        ours = t.status == model.RUNNING, t.time_control != "", t.changed_at < unchanged
        return [row.id for row in self._rows(select(t.id).where(*ours).order_by(t.changed_at))]

    def with_expired_clock(self, moment: float, most: int) -> list[str]:
        """Return the ids of at most `most` running tables whose `flag_at` is before a moment."""
        t = schema.game_table.c
        expired = select(t.id).where(t.status == model.RUNNING, t.flag_at < moment)
        return [row.id for row in self._rows(expired.limit(most))]

    def abandoned(
        self, unchanged: float, warned: float, most: int, among_bots: float | None = None
    ) -> list[dict[str, float]]:
        """Return the running tables to warn, and those to close: `advanced_at` by id, at most `most` of each.

        Tables to warn have not advanced since `unchanged`, and were not warned since they last advanced. For rated
        games of one person against bots, without an open seat, `among_bots` replaces `unchanged` if not None. Tables to
        close were warned before `warned`, and have not advanced since the warning. Moves that are made and undone do
        not advance a game: else a losing player could delay its end for ever.
        """
        t, s, e = schema.game_table.c, schema.seat.c, schema.table_event.c
        people = select(func.count()).where(s.table == t.id, s.kind != model.BOT).scalar_subquery()
        since = case((t.rated & (people == 1), unchanged if among_bots is None else among_bots), else_=unchanged)
        latest = unchanged if among_bots is None else max(unchanged, among_bots)  # for the index
        notice = select(e.number).where(e.table == t.id, e.kind == model.ABANDON_WARNING, e.created_at >= t.advanced_at)
        running = select(t.id, t.advanced_at).where(t.status == model.RUNNING)
        idle = running.where(t.advanced_at < latest, t.advanced_at < since, ~notice.exists())
        unheeded = running.where(t.advanced_at < warned, notice.where(e.created_at < warned).exists())
        return [{row.id: row.advanced_at for row in self._rows(which.limit(most))} for which in (idle, unheeded)]

    def record_presence(self, people: Sequence[tuple[str, str, float]]) -> None:
        """Record when guests were last seen at tables, from tuples of table, guest and time.

        Each transaction locks its seats in the order in which moves write them, which prevents deadlocks.
        """
        s = schema.seat.c
        for first in range(0, len(people), PRESENCE_BATCH_SIZE):
            when = {(table, guest): time for table, guest, time in people[first : first + PRESENCE_BATCH_SIZE]}
            theirs = select(s.table, s.seat, s.player).where(
                s.table.in_({table for table, _ in when}),  # SQLite has no index look-up for pairs
                tuple_(s.table, s.player).in_(list(when)),
            )
            with self._engine.begin() as db:
                rows = db.execute(theirs.order_by(s.table, s.seat).with_for_update(key_share=True)).all()
                seen = [{"its_table": t, "its_seat": seat, "last_seen_at": when[t, guest]} for t, seat, guest in rows]
                if seen:
                    db.execute(UPDATE_LAST_SEEN, seen)

    def for_guest(self, guest: str, *, running: bool = False) -> list[Table]:
        """Return the tables, or the `running` tables, at which a guest sits; the latest first."""
        s, t = schema.seat.c, schema.game_table.c
        theirs = t.id.in_(select(s.table).where(s.kind == model.PERSON, s.player == guest))
        return self._tables(theirs & (t.status == model.RUNNING) if running else theirs)

    def count_running(self, guest: str) -> int:
        """Count the running tables at which a guest sits or that the guest hosts."""
        s, t = schema.seat.c, schema.game_table.c
        held = select(s.table).where(s.kind == model.PERSON, s.player == guest)
        theirs = held.union(select(t.id).where(t.host == guest)).subquery()  # `or` would scan all running tables
        count = select(func.count()).select_from(theirs.join(schema.game_table, t.id == theirs.c.table))
        with read_connection(self._engine) as db:
            return db.execute(count.where(t.status == model.RUNNING)).scalar_one()

    def with_bot_to_move(self) -> list[BotTurn]:
        """Return the running tables where it is a bot's turn."""
        t, s, sitter = schema.game_table.c, schema.seat.c, schema.seat.alias().c
        people = (
            select(sitter.seat).where(sitter.table == t.id, sitter.kind == model.PERSON).correlate(schema.game_table)
        )
        left = people.exists() & ~people.where(sitter.substitute_bot == "").exists()
        joined = schema.game_table.join(schema.seat, (s.table == t.id) & (s.seat == t.turn))
        wanted = select(t.id, t.host, t.network, left, IS_WATCHED if self.is_shared else false()).select_from(joined)
        by_bots = t.status == model.RUNNING, (s.kind == model.BOT) | (s.substitute_bot != "")
        return [BotTurn(*row) for row in self._rows(wanted.where(*by_bots))]

    def _rows(self, wanted: Executable) -> Sequence[Any]:
        with read_connection(self._engine) as db:
            return db.execute(wanted).all()

    def _tables(self, condition: Any) -> list[Table]:
        # Ordered by the last change, a list would reveal when others choose in secret.
        wanted = select(schema.game_table).where(condition)
        wanted = wanted.order_by(schema.game_table.c.created_at.desc(), schema.game_table.c.id)
        with self._steady.begin() as db:
            rows = db.execute(wanted).mappings().all()
            s = schema.seat.c
            of_tables = s.table.in_([row["id"] for row in rows])
            ours = select(schema.seat).where(of_tables).order_by(s.seat)
            seats: dict[str, list[RowMapping]] = {row["id"]: [] for row in rows}
            for seat in db.execute(ours).mappings():
                seats[seat["table"]].append(seat)
        return [_table_from_row(row, seats[row["id"]]) for row in rows]


def _table_from_row(row: RowMapping, rows: Iterable[RowMapping]) -> Table:
    seats = tuple(Seat(**{name: seat[name] for name in SEAT_COLUMNS}) for seat in rows)
    return Table(**{**row, "seats": seats, "result": None if row["result"] is None else tuple(row["result"])})


def _columns(one: Table | Seat | TableEvent, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(one, name) for name in names}


def _event_rows(table: str, version: int, events: Iterable[TableEvent]) -> list[dict[str, Any]]:
    return [
        {"table": table, "number": number, **_columns(event, EVENT_COLUMNS)}
        for number, event in enumerate(events, version + 1)
    ]


def record_former_player(table: str, seat: int, guest: str, name: str, db: Connection) -> None:
    """Record who has left a seat, so that the name can be removed from the table's events later.

    A player can leave a waiting table more than once. The caller holds the table's lock.
    """
    row = {"table": table, "seat": seat, "guest": guest, "name": name}
    if not db.execute(select(schema.former_player).filter_by(**row)).first():
        db.execute(insert(schema.former_player), row)


def _write_seats(db: Connection, before: Table, after: Table) -> None:
    rows = [
        {"its_table": before.id, "its_seat": number, **_columns(seat, SEAT_UPDATE_COLUMNS)}
        for number, (was, seat) in enumerate(zip(before.seats, after.seats, strict=True))
        if was != seat
    ]
    if rows:
        db.execute(UPDATE_SEAT, rows)
