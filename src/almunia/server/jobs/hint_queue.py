"""Hints from bot workers: a question waits in the database until a process of `almunia bot-worker` takes it.

A worker keeps the row locked while it computes, and others skip locked rows. If its process dies, the lock ends with
it, and another worker takes the question. The hint itself is an event of the table, as always.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    and_,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    tuple_,
)
from starlette.concurrency import run_in_threadpool

from ...errors import AlmuniaError
from ...library import Game
from ..background import PeriodicTask
from ..bots.hints import (
    ALREADY_ASKED_MESSAGE,
    MAX_WAITING,
    MAX_WAITING_PER_NETWORK,
    NO_HINT_MESSAGE,
    NOT_COMPILED_MESSAGE,
    check_capacity,
    compute_hint,
    get_hint,
)
from ..broker import Broker
from ..clock import Clock
from ..errors import Conflict
from ..fair_queue import Turns
from ..storage import schema
from ..storage.database import locked_transaction, read_connection
from ..tables.builds import GameBuilds
from ..tables.service import TableService
from ..tables.viewer_history import Hint, ViewerHistory

HINT_TOPIC = "question"  # published for each new question
WAIT_SECONDS = 20.0  # for which a page waits for its hint
POLL_SECONDS = 1.0
QUESTION = schema.question.c

log = logging.getLogger(__name__)


class HintQueue:
    """Questions of a site whose bots run in workers."""

    def __init__(self, engine: Engine, tables: TableService, broker: Broker, clock: Clock) -> None:
        self._engine, self._tables, self._broker, self._clock = engine, tables, broker, clock

    async def get_hint(self, table_id: str, seat: int, seen: int, guest: str, network: str) -> Hint:
        """Wait for the hint of a seat; raise Conflict or TooManyRequests if there will be none."""
        loop = asyncio.get_running_loop()
        end = loop.time() + WAIT_SECONDS
        with self._broker.subscribe(table_id) as changed:
            await run_in_threadpool(self._enqueue, table_id, seat, seen, guest, network)
            try:
                while loop.time() < end:
                    waits = await run_in_threadpool(self._is_waiting, table_id, seat)
                    found = await run_in_threadpool(self._read_hint, table_id, seat, seen)
                    if found:
                        return found
                    if not waits:
                        raise Conflict(NO_HINT_MESSAGE)
                    with suppress(TimeoutError):
                        async with asyncio.timeout(POLL_SECONDS):
                            await changed.wait()
                    changed.clear()
            finally:
                await run_in_threadpool(self._withdraw, table_id, seat)
        raise Conflict(NOT_COMPILED_MESSAGE)

    def _enqueue(self, table_id: str, seat: int, seen: int, guest: str, network: str) -> None:
        now = self._clock.now()
        with locked_transaction(self._engine, HINT_TOPIC) as db:
            delete_unlocked(db, QUESTION.asked < now - WAIT_SECONDS)  # of processes that have ended
            same = or_(
                QUESTION.guest == guest, and_(QUESTION.table == table_id, QUESTION.seat == seat)
            )  # a seat may have changed hands
            if db.execute(select(QUESTION.seat).where(same).limit(1)).first():
                raise Conflict(ALREADY_ASKED_MESSAGE)
            counts = select(func.count(case((QUESTION.network == network, 1))), func.count()).select_from(
                schema.question
            )
            near, waiting = db.execute(counts).one()
            check_capacity(network, near, waiting, MAX_WAITING_PER_NETWORK, MAX_WAITING)
            row = {"table": table_id, "seat": seat, "seen": seen, "guest": guest, "network": network, "asked": now}
            db.execute(insert(schema.question), row)
        self._broker.publish_remote(HINT_TOPIC)

    def _is_waiting(self, table_id: str, seat: int) -> bool:
        with read_connection(self._engine) as db:
            return (
                db.execute(select(QUESTION.seat).where(QUESTION.table == table_id, QUESTION.seat == seat)).first()
                is not None
            )

    def _read_hint(self, table_id: str, seat: int, seen: int) -> Hint | None:
        return self._tables.get_for_hint(table_id, seat, seen).history(seat).hint

    def _withdraw(self, table_id: str, seat: int) -> None:
        with self._engine.begin() as db:
            delete_unlocked(db, QUESTION.table == table_id, QUESTION.seat == seat)


def delete_unlocked(db: Connection, *which: ColumnElement[bool]) -> None:
    """Delete questions without waiting; a locked one is deleted by its worker."""
    free = select(QUESTION.table, QUESTION.seat).where(*which).with_for_update(skip_locked=True)
    db.execute(delete(schema.question).where(tuple_(QUESTION.table, QUESTION.seat).in_(free)))


class HintWorker:
    """Answers questions, one after the other; networks take turns, by this process's own count."""

    def __init__(
        self,
        engine: Engine,
        tables: TableService,
        builds: GameBuilds,
        broker: Broker,
        *,
        hint: Callable[[Game, ViewerHistory], Hint] = compute_hint,
    ) -> None:
        self._engine, self._tables, self._builds, self._broker = engine, tables, builds, broker
        self._hint, self._turns = hint, Turns(max_served=MAX_WAITING)
        self.task = PeriodicTask(self._answer, POLL_SECONDS, "Questions cannot be read")

    def _answer(self) -> None:
        if self.answer_next():
            self.task.trigger()  # there may be more

    def answer_next(self) -> bool:
        """Answer the next question that is not locked; return False if there is none."""
        with self._engine.begin() as db:
            row = self._lock_next(db)
            if row is None:
                return False
            self._turns.serve(row.network)
            try:
                snapshot = self._tables.get_for_hint(row.table, row.seat, row.seen)
                found = get_hint(self._builds.get(snapshot.table.game), snapshot.history(row.seat), self._hint)
                self._tables.record_hint(row.table, row.seat, row.seen, found)
            except AlmuniaError as error:  # the game has moved on, or the expert has failed
                log.info("No hint at table %s: %s", row.table, error)
            db.execute(delete(schema.question).where(QUESTION.table == row.table, QUESTION.seat == row.seat))
        self._broker.publish(row.table)
        return True

    def _lock_next(self, db: Connection) -> Row | None:
        """Lock and return the oldest question of the network whose turn it is, about a compiled game."""
        t, served = schema.table.c, self._turns.served
        asked = schema.question.join(schema.table, t.id == QUESTION.table)
        turn = [case(served, value=QUESTION.network, else_=0)] if served else []
        wanted = select(schema.question).select_from(asked).where(t.game.in_(self._builds.compiled_games))
        return db.execute(
            wanted.order_by(*turn, QUESTION.asked).limit(1).with_for_update(of=schema.question, skip_locked=True)
        ).first()
