"""A guest's own tables for lists. Each query reads only the rows of one page.

Content and order of a list depend only on what the guest could notice.
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
IS_WAITING = func.max(case(((T.status == RUNNING) & (T.turn == S.seat) & (S.stand_in == ""), 1), else_=0))
NOTICED = func.max(S.noticed)
OTHER = schema.seat.alias("another")
PAGE_ROWS = 50  # tables on a page
LIVE_FIRST, SLOW_FIRST, PEOPLE_FIRST, BOTS_LAST = range(4)  # urgency of a waiting table: clocks, then people, then bots


class Counts(NamedTuple):
    """The numbers of a guest's tables."""

    all: int = 0
    running: int = 0
    waiting: int = 0  # for the guest


class OwnTables:
    """Reads the tables of a guest."""

    def __init__(self, engine: Engine, store: TableRepository) -> None:
        self._engine, self._store = engine, store

    def list_first(self, guest: str, most: int, start: int = 0, *, running: bool = False) -> list[Table]:
        """Return tables of a guest from `start`: those that wait for the guest, then running ones, then finished ones.

        Waiting tables are sorted by urgency, equal ones by the last change that the guest could notice.
        """
        wanted = select(T.id).select_from(SEATED).where(*is_held_by(guest, running=running)).group_by(T.id)
        wanted = (
            wanted.order_by(IS_WAITING.desc(), urgency(guest), OVER, NOTICED.desc(), T.id).limit(most).offset(start)
        )
        with read_connection(self._engine) as db:
            ids = list(db.execute(wanted).scalars())
        known = {table.id: table for table in self._store.get_many(ids)}
        return [known[one] for one in ids if one in known]

    def page_rows(self, guest: str, number: int, now: float) -> tuple[list[dict[str, Any]], int]:
        """Return the rows of a page of a guest's tables, in the order of `list_first`, and the number of all tables."""
        total, start = self.counts(guest).all if guest else 0, (number - 1) * PAGE_ROWS
        tables = self.list_first(guest, PAGE_ROWS, start) if 0 <= start < total else []
        moves = self.count_moves(guest, [table.id for table in tables])
        return [table_row(table, guest, moves.get(table.id, 0), now) for table in tables], total

    def counts(self, guest: str) -> Counts:
        """Return the numbers of a guest's tables."""
        each = (
            select(OVER.label("over"), IS_WAITING.label("mine"))
            .select_from(SEATED)
            .where(*is_held_by(guest))
            .group_by(T.id)
        )
        found = each.subquery().c
        sums = select(func.count(), func.count() - func.sum(found.over), func.sum(found.mine))
        with read_connection(self._engine) as db:
            return Counts(*(int(count or 0) for count in db.execute(sums).one()))

    def played_games(self, guest: str) -> set[str]:
        """Return the names of the games that a guest has played."""
        with read_connection(self._engine) as db:
            return set(db.execute(select(T.game).select_from(SEATED).where(*is_held_by(guest)).distinct()).scalars())

    def has_clock_kind(self, guest: str, kind: str) -> bool:
        """Whether a guest has a table with clocks of this kind."""
        wanted = select(T.id).select_from(SEATED).where(*is_held_by(guest), T.time_control.startswith(f"{kind} "))
        with read_connection(self._engine) as db:
            return db.execute(wanted.limit(1)).first() is not None

    def challenge_attempts(self, guest: str, game: str) -> list[Table]:
        """Return the challenges of a game that a guest has finished."""
        tried = (T.game == game) & (T.challenge != "") & (T.status == FINISHED)
        wanted = select(T.id).select_from(SEATED).where(*is_held_by(guest), tried).distinct()
        with read_connection(self._engine) as db:
            ids = list(db.execute(wanted).scalars())
        return self._store.get_many(ids)

    def count_moves(self, guest: str, tables: Collection[str]) -> dict[str, int]:
        """Return the number of the guest's actions at each table, without those that were undone."""
        joined = schema.entry.join(schema.seat, (S.table == E.table) & (S.seat == E.seat))
        count = func.sum(case((E.kind == MOVE, 1), (E.kind == UNDO, -1), else_=0))
        ours = (S.kind == PERSON) & (S.player == guest) & E.table.in_(tables)
        wanted = select(E.table, count).select_from(joined).where(ours).group_by(E.table)
        with read_connection(self._engine) as db:
            return {table: int(moves) for table, moves in db.execute(wanted)}


def count_pages(total: int) -> int:
    """Return the number of pages for a number of tables."""
    return max(1, -(-total // PAGE_ROWS))


def urgency(guest: str) -> Any:
    """Return a query for the urgency of a table; equal for all tables that do not wait for the guest."""
    others = (OTHER.c.table == T.id) & (OTHER.c.kind != BOT) & (OTHER.c.player != guest)
    kind = case(
        (T.time_control.startswith(f"{REALTIME} "), LIVE_FIRST),
        (T.time_control.startswith(f"{CORRESPONDENCE} "), SLOW_FIRST),
        (exists().where(others), PEOPLE_FIRST),
        else_=BOTS_LAST,
    )
    return case((IS_WAITING == 1, kind), else_=BOTS_LAST)


def is_held_by(guest: str, *, running: bool = False) -> tuple[Any, ...]:
    """Return conditions for the seats of a guest, only at running tables if `running`."""
    theirs = (S.kind == PERSON, S.player == guest)
    return (*theirs, T.status == RUNNING) if running else theirs
