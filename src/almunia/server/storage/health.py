"""Health of the database: whether it answers, and has room on its disk."""

import asyncio

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from sqlalchemy import Engine, ExceptionContext, event, select
from sqlalchemy.exc import SQLAlchemyError

from ..clock import SYSTEM_CLOCK, Clock
from .database import is_full, read_connection

TIMEOUT_SECONDS = 3.0  # within which the database must answer
OK, NO_DATABASE, DISK_FULL = "ok", "no database", "disk full"
DISK_FULL_SECONDS = 60.0  # for which a failed write counts; the site writes every few seconds


class DatabaseHealth:
    """Health checks of the database. Simultaneous checks share one query."""

    def __init__(
        self, engine: Engine, clock: Clock = SYSTEM_CLOCK, *, timeout_seconds: float = TIMEOUT_SECONDS
    ) -> None:
        self._engine, self._clock, self._timeout_seconds = engine, clock, timeout_seconds
        self._disk_full_at = -DISK_FULL_SECONDS  # time of the last write that failed
        event.listen(engine, "handle_error", self._on_error)
        self._check: asyncio.Future[bool] | None = None
        self._thread = CapacityLimiter(1)  # a separate one, so that busy request threads cannot delay a check

    def _on_error(self, context: ExceptionContext) -> None:
        if is_full(context.original_exception):
            self._disk_full_at = self._clock.now()

    async def state(self) -> str:
        """Return OK, NO_DATABASE or DISK_FULL."""
        if not await self.is_up():
            return NO_DATABASE
        return DISK_FULL if 0 <= self._clock.now() - self._disk_full_at < DISK_FULL_SECONDS else OK

    async def is_up(self) -> bool:
        if self._check is None or self._check.done():
            self._check = asyncio.ensure_future(run_sync(self._query, limiter=self._thread))
        try:
            return await asyncio.wait_for(asyncio.shield(self._check), self._timeout_seconds)
        except TimeoutError:
            return False

    def _query(self) -> bool:
        try:
            with read_connection(self._engine) as db:
                db.execute(select(1))
        except SQLAlchemyError:
            return False
        return True
