"""The bus: what one process says to all others on the same database, by PostgreSQL's LISTEN and NOTIFY.

It carries topics, never content. What is lost while the database is away is not sent again: whoever hears again is
told so, and reads everything anew.
"""

import logging
from collections.abc import Callable
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, func, select

from .database import another, is_shared

if TYPE_CHECKING:
    import psycopg

LONGEST = 7000  # bytes; PostgreSQL takes less than 8000 in one notification
LOOK = 1.0  # seconds between two looks at whether to end
PAUSE = 0.5  # seconds until another connection is tried
HEAR, TELL = "LISTEN almunia", "SELECT pg_notify('almunia', said) FROM unnest(%s::text[]) AS said"
NO_PROCESS = 0  # in place of the number of the process that publishes
WAKE = "NOTIFY almunia"  # says nothing, but whoever hears looks whether to end

log = logging.getLogger(__name__)


def publish(db: Connection, topic: str) -> None:
    """Publish a topic to all processes when a transaction is committed, for a program that has no bus of its own.

    With SQLite no process hears others, and the site polls.
    """
    if is_shared(db.engine):
        db.execute(select(func.pg_notify("almunia", f"{NO_PROCESS} {topic}")))


class Bus:
    """Two threads with a connection each: one tells others, one hears them."""

    def __init__(
        self, engine: Engine, process: int, heard: Callable[[str], object], again: Callable[[], object]
    ) -> None:
        self._engine, self._own = engine, f"{process} "
        self._heard, self._again = heard, again
        self._topics: dict[str, None] = {}  # to be told, in order
        self._more, self._closed = Condition(), False
        works = self._tell, self._hear
        self._threads = [Thread(target=self._keep, args=(work,), name="bus", daemon=True) for work in works]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Tell what is left to be told, and end."""
        with self._more:
            self._closed = True
            self._more.notify_all()
        for thread in self._threads:
            thread.join()

    def tell(self, topic: str) -> None:
        """Let all other processes know of a topic, soon; from any thread."""
        if len(topic.encode()) > LONGEST:
            raise ValueError(f"A topic of {len(topic)} characters is too long to be told.")
        if "\0" in topic:  # the database would refuse it again and again, and all that is to be told after it
            raise ValueError("A topic cannot hold a NUL.")
        with self._more:
            self._topics[topic] = None
            self._more.notify_all()

    # --- the threads ----------------------------------------------------------------------

    def _keep(self, work: "Callable[[psycopg.Connection[Any]], object]") -> None:
        """Do this with one connection after the other, for the database may be away for a while."""
        import psycopg

        failed = False
        while not self._closed:
            try:
                with self._connected() as connection:
                    if failed:
                        log.warning("The database answers again.")
                    failed = False
                    work(connection)
            except Exception as error:  # whatever it is, without these threads processes would not hear of each other
                if not failed:
                    trace = None if isinstance(error, psycopg.Error) else error
                    why = " ".join(str(error).split())
                    log.warning("What other processes do is seen late for now: %s", why, exc_info=trace)
                failed = True
                with self._more:
                    self._more.wait_for(lambda: self._closed, PAUSE)

    def _connected(self) -> "psycopg.Connection[Any]":
        connection = another(self._engine)
        connection.execute("SET synchronous_commit = off")  # a word that is lost with the database matters to nobody
        return connection

    def _tell(self, connection: "psycopg.Connection[Any]") -> None:
        while True:
            with self._more:
                self._more.wait_for(lambda: self._topics or self._closed)
                topics, self._topics = self._topics, {}
            if not topics:
                connection.execute(WAKE)
                return
            try:
                connection.execute(TELL, [[self._own + topic for topic in topics]])
            except BaseException:
                with self._more:
                    self._topics = topics | self._topics
                raise

    def _hear(self, connection: "psycopg.Connection[Any]") -> None:
        connection.execute(HEAR)
        self._again()
        while not self._closed:
            for said in connection.notifies(timeout=LOOK, stop_after=1):
                if said.payload and not said.payload.startswith(self._own):
                    self._hear_one(said.payload.partition(" ")[2])

    def _hear_one(self, topic: str) -> None:
        try:
            self._heard(topic)
        except Exception:  # the database may be away for a while
            log.exception("What was told of %r was not taken up.", topic)
