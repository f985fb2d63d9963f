"""Hints from bot workers. Questions wait in the database for a process of `almunia bot-worker`.

A hint is an event of its table.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from sqlalchemy import Engine
from starlette.concurrency import run_in_threadpool

from ...errors import AlmuniaError
from ...library import Game
from ..background import PeriodicTask
from ..bots.hints import MAX_WAITING, NO_HINT_MESSAGE, NOT_COMPILED_MESSAGE, compute_hint, get_hint
from ..broker import Broker
from ..clock import Clock
from ..errors import Conflict
from ..fair_queue import Turns
from ..tables.builds import GameBuilds
from ..tables.service import TableService
from ..tables.viewer_history import Hint, ViewerHistory
from .hint_repository import WAIT_SECONDS, HintRepository

HINT_TOPIC = "question"  # published for each new question
POLL_SECONDS = 1.0

log = logging.getLogger(__name__)


class HintQueue:
    def __init__(self, engine: Engine, tables: TableService, broker: Broker, clock: Clock) -> None:
        self._questions, self._tables, self._broker, self._clock = HintRepository(engine), tables, broker, clock

    async def get_hint(self, table_id: str, seat: int, seen: int, guest: str, network: str) -> Hint:
        """Request a hint for a seat, and wait for it; raise RequestError if the hint does not come in time."""
        loop = asyncio.get_running_loop()
        end = loop.time() + WAIT_SECONDS
        with self._broker.subscribe(table_id) as changed:
            await run_in_threadpool(self._enqueue, table_id, seat, seen, guest, network)
            try:
                while loop.time() < end:
                    if found := await run_in_threadpool(self._find_hint, table_id, seat, seen):
                        return found
                    with suppress(TimeoutError):
                        async with asyncio.timeout(POLL_SECONDS):
                            await changed.wait()
                    changed.clear()
            finally:
                await run_in_threadpool(self._questions.withdraw, table_id, seat)
        raise Conflict(NOT_COMPILED_MESSAGE)

    def _enqueue(self, table_id: str, seat: int, seen: int, guest: str, network: str) -> None:
        self._questions.add(table_id, seat, seen, guest, network, self._clock.now())
        self._broker.publish_remote(HINT_TOPIC)

    def _find_hint(self, table_id: str, seat: int, seen: int) -> Hint | None:
        """Return the hint, or None while the question waits; raise RequestError if there will be no hint."""
        is_waiting = self._questions.is_waiting(table_id, seat)  # first: the hint is recorded before the question ends
        found = self._tables.get_for_hint(table_id, seat, seen).history(seat).hint
        if not found and not is_waiting:
            raise Conflict(NO_HINT_MESSAGE)
        return found


class HintWorker:
    """Answers questions, one at a time. Networks take turns within each process."""

    def __init__(
        self,
        engine: Engine,
        tables: TableService,
        builds: GameBuilds,
        broker: Broker,
        *,
        hint: Callable[[Game, ViewerHistory], Hint] = compute_hint,
    ) -> None:
        self._questions, self._tables, self._builds, self._broker = HintRepository(engine), tables, builds, broker
        self._hint, self._turns = hint, Turns(max_served=MAX_WAITING)
        self.task = PeriodicTask(self._answer, POLL_SECONDS, "Questions cannot be read")

    def _answer(self) -> None:
        if self.answer_next():
            self.task.trigger()  # there may be more

    def answer_next(self) -> bool:
        """Take and try to answer the next unlocked question about a compiled game; return whether there was one."""
        with self._questions.take_next(self._builds.compiled_games, self._turns.served) as row:
            if row is None:
                return False
            self._turns.serve(row.network)
            try:
                state = self._tables.get_for_hint(row.table, row.seat, row.history_version)
                found = get_hint(self._builds.get(state.table.game), state.history(row.seat), self._hint)
                self._tables.record_hint(row.table, row.seat, row.history_version, found)
            except AlmuniaError as error:  # the table has changed meanwhile, or the expert has failed
                log.info("No hint at table %s: %s", row.table, error)
        self._broker.publish(row.table)
        return True
