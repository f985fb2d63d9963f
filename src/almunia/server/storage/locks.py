"""Locks between processes, which end with their process.

A lock is an advisory lock of PostgreSQL, held by a connection of this process. The lock ends with the connection, so
leases and synchronized clocks are not needed. With SQLite, locks are kept in memory.
"""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from secrets import randbelow
from threading import Lock
from typing import TYPE_CHECKING, Any, LiteralString

from sqlalchemy import URL, Engine, create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from ...errors import SetupError, Unreachable
from ..addresses import parse_database_url
from .database import is_shared, lock_key, raw_connection, setup_error

if TYPE_CHECKING:
    import psycopg

MAX_PROCESS_NUMBER = 2**31 - 1
TRY_LOCK_SQL, UNLOCK_SQL, PING_SQL = "SELECT pg_try_advisory_lock(%s)", "SELECT pg_advisory_unlock(%s)", "SELECT true"
# A process holds this lock, with its number, while it lives; an old connection of it may hold it as well.
MARK_ALIVE_SQL = "SELECT pg_advisory_lock_shared(1634495853, %s)"
# All processes share the lock with number 0 while they use the database; a restore takes it exclusively.
REGISTER_SQL = "SELECT pg_try_advisory_lock_shared(1634495853, 0)"
LOCK_DATABASE_SQL = "SELECT pg_try_advisory_lock(1634495853, 0)"
# Run before a connection is closed: PostgreSQL releases the locks of a closed connection a moment later.
RELEASE_ALL_SQL = "SELECT pg_advisory_unlock_all()"
SITE_RUNNING_MESSAGE = "This site is running. Stop all its processes first: almunia serve and almunia bot-worker."
RESTORING_MESSAGE = "A backup is being restored into this database. Start again when that is done."
LIVE_PROCESSES_SQL = """
    SELECT objid::bigint FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 2 AND classid::bigint = 1634495853
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

log = logging.getLogger(__name__)


@contextmanager
def exclusive_database(place: URL) -> Iterator[None]:
    """Lock a PostgreSQL database against all processes of its site during the block.

    Raises:
        AlmuniaError: a process of the site is running, or the database does not answer.
    """
    with ExitStack() as stack:
        try:
            engine = create_engine(place, poolclass=NullPool, isolation_level="AUTOCOMMIT")
            connection = stack.enter_context(engine.connect())
            ours = connection.execute(text(LOCK_DATABASE_SQL)).scalar_one()
        except (SQLAlchemyError, ImportError) as error:
            raise setup_error(place, error) from None
        if not ours:
            raise SetupError(SITE_RUNNING_MESSAGE)
        try:
            yield
        finally:
            with suppress(SQLAlchemyError):
                connection.execute(text(RELEASE_ALL_SQL))


class AdvisoryLocks:
    def __init__(self, engine: Engine) -> None:
        self.process = randbelow(MAX_PROCESS_NUMBER) + 1  # by which other processes know this one
        self._engine, self._shared = engine, is_shared(engine)
        self._connection: psycopg.Connection[Any] | None = None
        self.connection_generation = 0  # number of connections so far
        self._lock, self._is_closed = Lock(), False
        self._held: set[str] = set()  # PostgreSQL lets one connection take a lock twice

    @classmethod
    def register_process(cls, url: str) -> "AdvisoryLocks":
        """Register this process as alive if the database is shared, and return its locks.

        Raises AlmuniaError if the database cannot be used, or a backup is being restored.
        """
        place = parse_database_url(url)
        try:
            locks = cls(create_engine(place, poolclass=NullPool))
        except (SQLAlchemyError, ImportError) as error:
            raise setup_error(place, error) from None
        if locks._shared:
            locks._register()
        return locks

    @contextmanager
    def try_lock(self, what: str) -> Iterator[bool]:
        """Try to take a lock for the duration of the block; yields whether this process has it."""
        mine = self.acquire(what)
        try:
            yield mine
        finally:
            if mine:
                self.release(what)

    def acquire(self, what: str) -> bool:
        """Try to take a lock without waiting.

        Returns False if a process holds it, including this one, if the locks are closed, or if the database is away.
        """
        with self._lock:
            if what in self._held or self._is_closed:
                return False
            if self._shared and not self._query(TRY_LOCK_SQL, lock_key(what)):
                return False
            self._held.add(what)
            return True

    def release(self, what: str) -> None:
        with self._lock:
            if what in self._held:
                self._held.discard(what)
                if self._shared and self._connection:  # else the connection was lost, and the lock with it
                    self._query(UNLOCK_SQL, lock_key(what))

    def heartbeat(self) -> bool:
        """Keep this process registered as alive in a shared database; return False if that fails."""
        with self._lock:
            return not self._shared or self._query(PING_SQL)

    def close(self) -> None:
        """Release all locks, and grant no more."""
        with self._lock:
            if self._connection is not None:
                self._query(RELEASE_ALL_SQL)
            self._is_closed = True
            self._disconnect()

    def _query(self, what: LiteralString, *values: int) -> bool:
        """Return whether the database's answer is true; without an answer, drop the connection with all its locks."""
        import psycopg

        if self._is_closed:
            return False
        try:
            connection = self._connection or self._connect()
            found = connection.execute(what, values).fetchone()
        except (psycopg.Error, SetupError) as error:
            log.warning("The locks of this process are lost for now: %s", " ".join(str(error).split()))
            self._disconnect()
            return False
        return bool(found and found[0])

    def _register(self) -> None:
        import psycopg

        try:
            self._connect()
        except psycopg.Error as error:
            raise setup_error(self._engine.url, error) from None

    def _connect(self) -> "psycopg.Connection[Any]":
        with ExitStack() as stack:
            connection = stack.enter_context(closing(raw_connection(self._engine)))
            if connection.execute(REGISTER_SQL).fetchone() != (True,):
                raise Unreachable(RESTORING_MESSAGE)
            connection.execute(MARK_ALIVE_SQL, [self.process])
            stack.pop_all()
        self._connection = connection
        self.connection_generation += 1
        return connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
