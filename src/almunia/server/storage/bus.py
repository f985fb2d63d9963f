"""Messages between the processes of a site, by PostgreSQL's LISTEN and NOTIFY.

They carry topics, never content. Messages that are lost while the database is away are not sent again: after each
reconnect the listener drops its cached state.
"""

import logging
from collections.abc import Callable
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, func, select

from .database import is_shared, raw_connection

if TYPE_CHECKING:
    import psycopg

MAX_TOPIC_BYTES = 7000  # bytes; PostgreSQL takes less than 8000 in one notification
STOP_CHECK_SECONDS = 1.0
RECONNECT_SECONDS = 0.5
LISTEN_SQL, NOTIFY_SQL = "LISTEN almunia", "SELECT pg_notify('almunia', said) FROM unnest(%s::text[]) AS said"
NO_PROCESS = 0  # number of a publisher without a bus
WAKE_SQL = "NOTIFY almunia"  # wakes the listening thread, so that it stops

log = logging.getLogger(__name__)


def publish(db: Connection, topic: str) -> None:
    """Publish a topic to all processes when the transaction is committed, for a program without a bus of its own.

    With SQLite no process listens, and the site polls.
    """
    if is_shared(db.engine):
        db.execute(select(func.pg_notify("almunia", f"{NO_PROCESS} {topic}")))


class Bus:
    """Two threads with a connection each: one publishes, one listens."""

    def __init__(
        self, engine: Engine, process: int, heard: Callable[[str], object], again: Callable[[], object]
    ) -> None:
        self._engine, self._prefix = engine, f"{process} "
        self._on_message, self._on_reconnect = heard, again
        self._topics: dict[str, None] = {}  # pending, in order
        self._condition, self._closed = Condition(), False
        works = self._publish, self._listen
        self._threads = [Thread(target=self._keep_connected, args=(work,), name="bus", daemon=True) for work in works]

    def start(self) -> None:
        """Start both threads."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Publish what is pending, and stop both threads."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        for thread in self._threads:
            thread.join()

    def publish(self, topic: str) -> None:
        """Publish a topic to all other processes soon; from any thread."""
        if len(topic.encode()) > MAX_TOPIC_BYTES:
            raise ValueError(f"A topic of {len(topic)} characters is too long to publish.")
        if "\0" in topic:  # the database would refuse it again and again, and block all later topics
            raise ValueError("A topic cannot hold a NUL.")
        with self._condition:
            self._topics[topic] = None
            self._condition.notify_all()

    # --- the threads ----------------------------------------------------------------------

    def _keep_connected(self, work: "Callable[[psycopg.Connection[Any]], object]") -> None:
        """Run `work` with one connection after the other, since the database may be away for a while."""
        import psycopg

        failed = False
        while not self._closed:
            try:
                with self._connected() as connection:
                    if failed:
                        log.warning("The database answers again.")
                    failed = False
                    work(connection)
            except Exception as error:  # whatever it is: without these threads processes would not notify each other
                if not failed:
                    trace = None if isinstance(error, psycopg.Error) else error
                    why = " ".join(str(error).split())
                    log.warning("Changes of other processes are noticed late for now: %s", why, exc_info=trace)
                failed = True
                with self._condition:
                    self._condition.wait_for(lambda: self._closed, RECONNECT_SECONDS)

    def _connected(self) -> "psycopg.Connection[Any]":
        connection = raw_connection(self._engine)
        connection.execute("SET synchronous_commit = off")  # a notification may be lost with the database
        return connection

    def _publish(self, connection: "psycopg.Connection[Any]") -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._topics or self._closed)
                topics, self._topics = self._topics, {}
            if not topics:
                connection.execute(WAKE_SQL)
                return
            try:
                connection.execute(NOTIFY_SQL, [[self._prefix + topic for topic in topics]])
            except BaseException:
                with self._condition:
                    self._topics = topics | self._topics
                raise

    def _listen(self, connection: "psycopg.Connection[Any]") -> None:
        connection.execute(LISTEN_SQL)
        self._on_reconnect()
        while not self._closed:
            for said in connection.notifies(timeout=STOP_CHECK_SECONDS, stop_after=1):
                if said.payload and not said.payload.startswith(self._prefix):
                    self._handle(said.payload.partition(" ")[2])

    def _handle(self, topic: str) -> None:
        try:
            self._on_message(topic)
        except Exception:  # the database may be away for a while
            log.exception("The message %r could not be handled.", topic)
