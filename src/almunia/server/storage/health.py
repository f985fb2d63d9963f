"""Whether the database answers, and has room for what is written."""

import asyncio

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from sqlalchemy import Engine, ExceptionContext, event, select
from sqlalchemy.exc import SQLAlchemyError

from ..clock import SYSTEM_CLOCK, Clock
from .database import is_full, reading

TIMEOUT_SECONDS = 3.0  # within which the database must answer
OK, AWAY, FULL = "ok", "no database", "disk full"
REMEMBERED_SECONDS = 60.0  # for which a write that found no room counts: the site writes every few seconds


class DatabaseHealth:
    """It is asked one question at a time, for all who want to know meanwhile."""

    def __init__(
        self, engine: Engine, clock: Clock = SYSTEM_CLOCK, *, timeout_seconds: float = TIMEOUT_SECONDS
    ) -> None:
        self._engine, self._clock, self._timeout_seconds = engine, clock, timeout_seconds
        self._full = -REMEMBERED_SECONDS  # when a write found no room
        event.listen(engine, "handle_error", self._note)
        self._asking: asyncio.Future[bool] | None = None
        self._thread = CapacityLimiter(1)  # of its own: however much is asked of the site, this waits for nothing

    def _note(self, context: ExceptionContext) -> None:
        if is_full(context.original_exception):
            self._full = self._clock.now()

    async def state(self) -> str:
        """OK, or what is wrong."""
        if not await self.beats():
            return AWAY
        return FULL if 0 <= self._clock.now() - self._full < REMEMBERED_SECONDS else OK

    async def beats(self) -> bool:
        """Does it answer, and in time?"""
        if self._asking is None or self._asking.done():
            self._asking = asyncio.ensure_future(run_sync(self._ask, limiter=self._thread))
        try:
            return await asyncio.wait_for(asyncio.shield(self._asking), self._timeout_seconds)
        except TimeoutError:
            return False

    def _ask(self) -> bool:
        try:
            with reading(self._engine) as db:
                db.execute(select(1))
        except SQLAlchemyError:
            return False
        return True
