"""Whether the database answers."""

import asyncio

from sqlalchemy import Engine, select
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from ..storage.database import reading

TIMEOUT_SECONDS = 3.0  # within which the database must answer


class Pulse:
    """It is asked one question at a time, for all who want to know meanwhile."""

    def __init__(self, engine: Engine, *, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._engine, self._timeout_seconds = engine, timeout_seconds
        self._asking: asyncio.Future[bool] | None = None

    async def beats(self) -> bool:
        """Does it answer, and in time?"""
        if self._asking is None or self._asking.done():
            self._asking = asyncio.ensure_future(run_in_threadpool(self._ask))
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
