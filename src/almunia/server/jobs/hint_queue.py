"""Hints where bots think elsewhere: a question waits in the database until a process of `almunia think` takes it.

Whoever takes one keeps its row locked while it thinks, and others skip what is locked. If that process dies, the lock
goes with it, and another one takes the question. The hint itself is an entry of the table, as always.
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
from ..bots.hints import MAX_WAITING, MAX_WAITING_PER_NETWORK, NO_HINT, SOON, THINKING, check_room, found_hint, hint_on
from ..broker import Broker
from ..clock import Clock
from ..errors import Conflict
from ..fair_queue import Turns
from ..periodic import PeriodicTask
from ..storage import schema
from ..storage.database import alone, reading
from ..tables.builds import GameBuilds
from ..tables.service import TableService
from ..tables.viewer_history import Hint, ViewerHistory

QUESTION = "question"  # the topic by which those who think hear of a new one
WAIT_SECONDS = 20.0  # for which a page waits for its hint
LOOK = 1.0  # seconds between two looks at whether there is anything new
Q = schema.question.c

log = logging.getLogger(__name__)


class HintQueue:
    """The questions of a site whose bots think elsewhere."""

    def __init__(self, engine: Engine, tables: TableService, notifier: Broker, clock: Clock) -> None:
        self._engine, self._tables, self._notifier, self._clock = engine, tables, notifier, clock

    async def answer(self, table_id: str, seat: int, seen: int, guest: str, network: str) -> Hint:
        """Wait for the hint that a seat asked for; Conflict or TooManyRequests if there will be none."""
        loop = asyncio.get_running_loop()
        end = loop.time() + WAIT_SECONDS
        with self._notifier.watching(table_id) as changed:
            await run_in_threadpool(self._ask, table_id, seat, seen, guest, network)
            try:
                while loop.time() < end:
                    waits = await run_in_threadpool(self._waits, table_id, seat)
                    found = await run_in_threadpool(self._found, table_id, seat, seen)
                    if found:
                        return found
                    if not waits:
                        raise Conflict(NO_HINT)
                    with suppress(TimeoutError):
                        async with asyncio.timeout(LOOK):
                            await changed.wait()
                    changed.clear()
            finally:
                await run_in_threadpool(self._withdraw, table_id, seat)
        raise Conflict(SOON)

    def _ask(self, table_id: str, seat: int, seen: int, guest: str, network: str) -> None:
        now = self._clock.now()
        with alone(self._engine, QUESTION) as db:
            let_go(db, Q.asked < now - WAIT_SECONDS)  # of processes that have ended
            same = or_(Q.guest == guest, and_(Q.table == table_id, Q.seat == seat))  # a seat may have changed hands
            if db.execute(select(Q.seat).where(same).limit(1)).first():
                raise Conflict(THINKING)
            counts = select(func.count(case((Q.network == network, 1))), func.count()).select_from(schema.question)
            near, waiting = db.execute(counts).one()
            check_room(network, near, waiting, MAX_WAITING_PER_NETWORK, MAX_WAITING)
            row = {"table": table_id, "seat": seat, "seen": seen, "guest": guest, "network": network, "asked": now}
            db.execute(insert(schema.question), row)
        self._notifier.tell_others(QUESTION)

    def _waits(self, table_id: str, seat: int) -> bool:
        with reading(self._engine) as db:
            return db.execute(select(Q.seat).where(Q.table == table_id, Q.seat == seat)).first() is not None

    def _found(self, table_id: str, seat: int, seen: int) -> Hint | None:
        return self._tables.asked(table_id, seat, seen).diary(seat).hint

    def _withdraw(self, table_id: str, seat: int) -> None:
        with self._engine.begin() as db:
            let_go(db, Q.table == table_id, Q.seat == seat)


def let_go(db: Connection, *which: ColumnElement[bool]) -> None:
    """Let questions go, without waiting: one that is being thought about is let go by whoever does so."""
    free = select(Q.table, Q.seat).where(*which).with_for_update(skip_locked=True)
    db.execute(delete(schema.question).where(tuple_(Q.table, Q.seat).in_(free)))


class HintWorker:
    """Takes questions, one after the other; networks take turns, as this process has served them."""

    def __init__(
        self,
        engine: Engine,
        tables: TableService,
        builds: GameBuilds,
        notifier: Broker,
        *,
        hint: Callable[[Game, ViewerHistory], Hint] = hint_on,
    ) -> None:
        self._engine, self._tables, self._builds, self._notifier = engine, tables, builds, notifier
        self._hint, self._turns = hint, Turns(max_served=MAX_WAITING)
        self._rounds = PeriodicTask("hints", self._take_all, LOOK, "Questions cannot be read")

    def start(self) -> None:
        """Begin."""
        self._rounds.start()
        self._rounds.ring()

    def ring(self) -> None:
        """Look soon; from any thread."""
        self._rounds.ring()

    def close(self) -> None:
        """End after the question that is being thought about."""
        self._rounds.close()

    def _take_all(self) -> None:
        while not self._rounds.stopping and self.take():
            pass

    def take(self) -> bool:
        """Answer the question whose turn it is and that nobody else is at; False if there is none."""
        with self._engine.begin() as db:
            row = self._next(db)
            if row is None:
                return False
            self._turns.serve(row.network)
            try:
                snapshot = self._tables.asked(row.table, row.seat, row.seen)
                found = found_hint(self._builds.of(snapshot.table.game), snapshot.diary(row.seat), self._hint)
                self._tables.hint(row.table, row.seat, row.seen, found)
            except AlmuniaError as error:  # the game has moved on, or the expert has failed
                log.info("No hint at table %s: %s", row.table, error)
            db.execute(delete(schema.question).where(Q.table == row.table, Q.seat == row.seat))
        self._notifier.notify(row.table)
        return True

    def _next(self, db: Connection) -> Row | None:
        """The oldest question of the network whose turn it is, about a game that is compiled; its row stays locked."""
        t, served = schema.table.c, self._turns.served
        asked = schema.question.join(schema.table, t.id == Q.table)
        turn = [case(served, value=Q.network, else_=0)] if served else []
        wanted = select(schema.question).select_from(asked).where(t.game.in_(self._builds.compiled))
        return db.execute(
            wanted.order_by(*turn, Q.asked).limit(1).with_for_update(of=schema.question, skip_locked=True)
        ).first()
