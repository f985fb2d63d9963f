"""Messages between the processes of a site, by PostgreSQL's LISTEN and NOTIFY.

A message is a topic. A process misses messages while it is disconnected, so `on_reconnect` is called after each
connection.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from anyio import create_task_group
from anyio.to_thread import run_sync
from sqlalchemy import Connection, Engine, func, select

from .database import async_connection, is_shared

if TYPE_CHECKING:
    import psycopg

MAX_TOPIC_BYTES = 7000  # bytes; PostgreSQL takes less than 8000 in one notification
RECONNECT_SECONDS = 0.5
LISTEN_SQL, NOTIFY_SQL = "LISTEN almunia", "SELECT pg_notify('almunia', said) FROM unnest(%s::text[]) AS said"
NO_PROCESS = 0  # number of a publisher without a bus

log = logging.getLogger(__name__)


def publish(db: Connection, topic: str) -> None:
    """Publish a topic to all processes when the transaction is committed, for a program without a bus.

    Does nothing with SQLite, where sites poll.
    """
    if is_shared(db.engine):
        db.execute(select(func.pg_notify("almunia", f"{NO_PROCESS} {topic}")))


class Bus:
    """Publishes topics to the other processes of a site, and receives theirs, in two tasks with a connection each."""

    def __init__(
        self, engine: Engine, process: int, on_message: Callable[[str], object], on_reconnect: Callable[[], object]
    ) -> None:
        self._engine, self._prefix = engine, f"{process} "
        self._on_message, self._on_reconnect = on_message, on_reconnect  # called in threads
        self._loop: asyncio.AbstractEventLoop | None = None
        self._topics: dict[str, None] = {}  # pending, in order
        self._has_changed = asyncio.Event()  # set when a topic is pending, or the bus is closing
        self._is_closing = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Publish and listen during the block; at its end, publish the pending topics if the database answers."""
        self._loop = asyncio.get_running_loop()
        async with create_task_group() as listening:
            listening.start_soon(self._keep_connected, self._listen)
            async with create_task_group() as publishing:
                publishing.start_soon(self._keep_connected, self._publish)
                yield
                self._is_closing = True
                self._has_changed.set()
            listening.cancel_scope.cancel()

    def publish(self, topic: str) -> None:
        """Publish a topic to all other processes soon; from any thread.

        Does nothing before `running`. Raises ValueError if the topic is too long or has a NUL.
        """
        if len(topic.encode()) > MAX_TOPIC_BYTES:
            raise ValueError(f"A topic of {len(topic)} characters is too long to publish.")
        if "\0" in topic:  # the database would refuse it again and again, and block all later topics
            raise ValueError("A topic cannot hold a NUL.")
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._enqueue, topic)

    def _enqueue(self, topic: str) -> None:
        self._topics[topic] = None
        self._has_changed.set()

    async def _keep_connected(self, work: "Callable[[psycopg.AsyncConnection[Any]], Awaitable[None]]") -> None:
        """Run `work` with one connection after the other, since the database may be away for a while."""
        import psycopg

        failed = False
        while not self._is_closing:
            try:
                async with async_connection(self._engine) as connection:
                    # A notification may be lost with the database.
                    await connection.execute("SET synchronous_commit = off")
                    if failed:
                        log.warning("The database answers again.")
                    failed = False
                    await work(connection)
            except Exception as error:  # any error: without these tasks, processes would not notify each other
                if not failed:
                    trace = None if isinstance(error, psycopg.Error) else error
                    why = " ".join(str(error).split())
                    log.warning("Changes of other processes are noticed late for now: %s", why, exc_info=trace)
                failed = True
                await asyncio.sleep(RECONNECT_SECONDS)

    async def _publish(self, connection: "psycopg.AsyncConnection[Any]") -> None:
        self._has_changed.set()  # topics may be pending since the last connection
        while self._topics or not self._is_closing:
            await self._has_changed.wait()
            self._has_changed.clear()
            topics, self._topics = self._topics, {}
            try:
                await connection.execute(NOTIFY_SQL, [[self._prefix + topic for topic in topics]])
            except BaseException:
                self._topics = topics | self._topics
                raise

    async def _listen(self, connection: "psycopg.AsyncConnection[Any]") -> None:
        await connection.execute(LISTEN_SQL)
        await run_sync(self._on_reconnect)
        async for notification in connection.notifies():
            if notification.payload and not notification.payload.startswith(self._prefix):
                await run_sync(self._handle, notification.payload.partition(" ")[2])

    def _handle(self, topic: str) -> None:
        try:
            self._on_message(topic)
        except Exception:  # the database may be away for a while
            log.exception("The message %r could not be handled.", topic)
