"""A guest's own tables, as lists show them: no more of them is read than a page has room for.

What a list says, and its order, go by what the guest could notice alone.
"""

from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import Engine, case, exists, func, select

from ..storage import schema
from ..storage.database import read_connection
from ..tables.clocks import CORRESPONDENCE, REALTIME
from ..tables.model import BOT, FINISHED, MOVE, PERSON, RUNNING, UNDO, Table
from ..tables.repository import TableRepository
from .table_rows import table_row

T, S, E = schema.table.c, schema.seat.c, schema.entry.c
SEATED = schema.seat.join(schema.table, T.id == S.table)
OVER = case((T.status == FINISHED, 1), else_=0)
MINE = func.max(case(((T.status == RUNNING) & (T.turn == S.seat) & (S.stand_in == ""), 1), else_=0))
NOTICED = func.max(S.noticed)
OTHER = schema.seat.alias("another")
ROWS = 50  # tables on a page
LIVE_FIRST, SLOW_FIRST, PEOPLE_FIRST, BOTS_LAST = range(4)  # how urgently a table waits: clocks, then people, then bots


class Counts(NamedTuple):
    """How many tables a guest has."""

    all: int = 0
    running: int = 0
    waiting: int = 0  # for the guest


class OwnTables:
    """The tables of all guests, each for its own."""

    def __init__(self, engine: Engine, store: TableRepository) -> None:
        self._engine, self._store = engine, store

    def some(self, guest: str, most: int, start: int = 0, *, running: bool = False) -> list[Table]:
        """So many tables of a guest: those that wait for this guest, then running ones, then finished ones.

        Those that wait most urgently come first, and of equal ones that of which the guest could notice something last.
        """
        wanted = select(T.id).select_from(SEATED).where(*held_by(guest, running=running)).group_by(T.id)
        wanted = wanted.order_by(MINE.desc(), urgency(guest), OVER, NOTICED.desc(), T.id).limit(most).offset(start)
        with read_connection(self._engine) as db:
            ids = list(db.execute(wanted).scalars())
        known = {table.id: table for table in self._store.get_many(ids)}
        return [known[one] for one in ids if one in known]

    def page(self, guest: str, number: int, now: float) -> tuple[list[dict[str, Any]], int]:
        """Return the rows of a page of a guest's tables, in the order of `some`, and the number of all tables."""
        total, start = self.counts(guest).all if guest else 0, (number - 1) * ROWS
        tables = self.some(guest, ROWS, start) if 0 <= start < total else []
        moves = self.moves(guest, [table.id for table in tables])
        return [table_row(table, guest, moves.get(table.id, 0), now) for table in tables], total

    def counts(self, guest: str) -> Counts:
        """How many there are."""
        each = select(OVER.label("over"), MINE.label("mine")).select_from(SEATED).where(*held_by(guest)).group_by(T.id)
        found = each.subquery().c
        sums = select(func.count(), func.count() - func.sum(found.over), func.sum(found.mine))
        with read_connection(self._engine) as db:
            return Counts(*(int(count or 0) for count in db.execute(sums).one()))

    def games(self, guest: str) -> set[str]:
        """The titles that a guest has played."""
        with read_connection(self._engine) as db:
            return set(db.execute(select(T.game).select_from(SEATED).where(*held_by(guest)).distinct()).scalars())

    def is_slow(self, guest: str, kind: str) -> bool:
        """Has a guest a table with clocks of this kind?"""
        wanted = select(T.id).select_from(SEATED).where(*held_by(guest), T.time_control.startswith(f"{kind} "))
        with read_connection(self._engine) as db:
            return db.execute(wanted.limit(1)).first() is not None

    def attempts(self, guest: str, game: str) -> list[Table]:
        """The challenges of a game that a guest has finished."""
        tried = (T.game == game) & (T.challenge != "") & (T.status == FINISHED)
        wanted = select(T.id).select_from(SEATED).where(*held_by(guest), tried).distinct()
        with read_connection(self._engine) as db:
            ids = list(db.execute(wanted).scalars())
        return self._store.get_many(ids)

    def moves(self, guest: str, tables: Collection[str]) -> dict[str, int]:
        """How many actions stand at each of these tables in the seats that a guest holds."""
        joined = schema.entry.join(schema.seat, (S.table == E.table) & (S.seat == E.seat))
        count = func.sum(case((E.kind == MOVE, 1), (E.kind == UNDO, -1), else_=0))
        ours = (S.kind == PERSON) & (S.player == guest) & E.table.in_(tables)
        wanted = select(E.table, count).select_from(joined).where(ours).group_by(E.table)
        with read_connection(self._engine) as db:
            return {table: int(moves) for table, moves in db.execute(wanted)}


def pages_of(total: int) -> int:
    """Return the number of pages that so many tables take."""
    return max(1, -(-total // ROWS))


def urgency(guest: str) -> Any:
    """Rank how urgently a table waits for a guest; equal for all at which it is not the guest's turn."""
    others = (OTHER.c.table == T.id) & (OTHER.c.kind != BOT) & (OTHER.c.player != guest)
    kind = case(
        (T.time_control.startswith(f"{REALTIME} "), LIVE_FIRST),
        (T.time_control.startswith(f"{CORRESPONDENCE} "), SLOW_FIRST),
        (exists().where(others), PEOPLE_FIRST),
        else_=BOTS_LAST,
    )
    return case((MINE == 1, kind), else_=BOTS_LAST)


def held_by(guest: str, *, running: bool = False) -> tuple[Any, ...]:
    """The seats in which a guest sits; at tables whose games go on, if `running`."""
    theirs = (S.kind == PERSON, S.player == guest)
    return (*theirs, T.status == RUNNING) if running else theirs
