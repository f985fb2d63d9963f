"""Hint requests in the database that wait for a bot worker.

A worker keeps the row locked while it computes, and others skip locked rows. The lock ends with the worker's process.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, and_, case, delete, func, insert, or_, select, tuple_

from ..bots.hints import ALREADY_ASKED_MESSAGE, MAX_WAITING, MAX_WAITING_PER_NETWORK, check_capacity
from ..errors import Conflict
from ..storage import schema
from ..storage.database import locked_transaction, read_connection

WAIT_SECONDS = 20.0  # for which a page waits for its hint
QUESTION = schema.hint_request.c


class HintRepository:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, table: str, seat: int, history_version: int, guest: str, network: str, now: float) -> None:
        """Add a question, and delete expired questions.

        Raises:
            Conflict: the guest, or the seat, has a question already.
            TooManyRequests: too many questions wait, of this network or of all.
        """
        with locked_transaction(self._engine, "question") as db:
            _delete_unlocked(db, QUESTION.created_at < now - WAIT_SECONDS)
            of_seat = and_(QUESTION.table == table, QUESTION.seat == seat)  # which may have changed hands
            same, near = or_(QUESTION.guest == guest, of_seat), QUESTION.network == network
            counts = select(func.count(case((same, 1))), func.count(case((near, 1))), func.count(QUESTION.seat))
            of_guest, of_network, all_waiting = db.execute(counts).one()
            if of_guest:
                raise Conflict(ALREADY_ASKED_MESSAGE)
            check_capacity(network, of_network, all_waiting, MAX_WAITING_PER_NETWORK, MAX_WAITING)
            row = {"table": table, "seat": seat, "history_version": history_version, "guest": guest}
            db.execute(insert(schema.hint_request), row | {"network": network, "created_at": now})

    def is_waiting(self, table: str, seat: int) -> bool:
        asked = select(QUESTION.seat).where(QUESTION.table == table, QUESTION.seat == seat)
        with read_connection(self._engine) as db:
            return db.execute(asked).first() is not None

    def withdraw(self, table: str, seat: int) -> None:
        """Delete a question, unless a worker is answering it."""
        with self._engine.begin() as db:
            _delete_unlocked(db, QUESTION.table == table, QUESTION.seat == seat)

    @contextmanager
    def take_next(self, games: Collection[str], served: Mapping[Any, int]) -> Iterator[Row | None]:
        """Yield an unlocked question about one of these games, or None. After the block, delete the question.

        Networks take turns, by the number of each network's last turn in `served`. The oldest question of a network
        comes first.
        """
        t = schema.game_table.c
        asked = schema.hint_request.join(schema.game_table, t.id == QUESTION.table)
        turn = [case(served, value=QUESTION.network, else_=0)] if served else []
        wanted = select(schema.hint_request).select_from(asked).where(t.game.in_(games))
        first = wanted.order_by(*turn, QUESTION.created_at).limit(1)
        with self._engine.begin() as db:
            row = db.execute(first.with_for_update(of=schema.hint_request, skip_locked=True)).first()
            yield row
            if row:
                db.execute(delete(schema.hint_request).where(QUESTION.table == row.table, QUESTION.seat == row.seat))


def _delete_unlocked(db: Connection, *which: ColumnElement[bool]) -> None:
    free = select(QUESTION.table, QUESTION.seat).where(*which).with_for_update(skip_locked=True)
    db.execute(delete(schema.hint_request).where(tuple_(QUESTION.table, QUESTION.seat).in_(free)))
