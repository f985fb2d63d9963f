"""Claims: what is done by one process at a time, and by another one as soon as that has ended.

A claim is an advisory lock of PostgreSQL, held by a connection of this process. When the process dies, however it
does, its connection ends and the lock with it, within half a minute if its machine has vanished: there are no leases
that run out, and no clocks to agree on. What is to be done stands in the tables anyway; a queue would be a second
account of it. With SQLite one process has all claims.
"""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from secrets import randbelow
from threading import Lock
from typing import TYPE_CHECKING, Any, LiteralString

from sqlalchemy import URL, Engine, create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from ...errors import SetupError, Unreachable
from ..addresses import parse_database_url
from .database import another, is_shared, key_of, unusable

if TYPE_CHECKING:
    import psycopg

HIGHEST = 2**31 - 1  # number of a process
TAKE, RELEASE, LOOK = "SELECT pg_try_advisory_lock(%s)", "SELECT pg_advisory_unlock(%s)", "SELECT true"
# With its number under that of all of them a process says that it lives; an old connection of it may say so still.
LIVE = "SELECT pg_advisory_lock_shared(1634495853, %s)"
# All of them have number 0 as well, as long as they use the database; whoever puts a backup back has it alone.
ENTER = "SELECT pg_try_advisory_lock_shared(1634495853, 0)"
CLOSE = "SELECT pg_try_advisory_lock(1634495853, 0)"
RUNNING = "This site is running. Stop all its processes first: almunia serve and almunia think."
RESTORING = "A backup is being put back into this database. Start again when that is done."
LIVING = """
    SELECT objid::bigint FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 2 AND classid::bigint = 1634495853
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

log = logging.getLogger(__name__)


@contextmanager
def closed(place: URL) -> Iterator[None]:
    """Let no process of a site use a database in PostgreSQL as long as this lasts; SetupError if one does."""
    with ExitStack() as stack:
        try:
            engine = create_engine(place, poolclass=NullPool, isolation_level="AUTOCOMMIT")
            ours = stack.enter_context(engine.connect()).execute(text(CLOSE)).scalar_one()
        except (SQLAlchemyError, ImportError) as error:
            raise unusable(place, error) from None
        if not ours:
            raise SetupError(RUNNING)
        yield


class AdvisoryLocks:
    """The claims of this process, all held by one connection."""

    def __init__(self, engine: Engine) -> None:
        self.process = randbelow(HIGHEST) + 1  # by which others know this one
        self._engine, self._shared = engine, is_shared(engine)
        self._connection: psycopg.Connection[Any] | None = None
        self.epoch = 0  # how often a connection was made for them
        self._using, self._closed = Lock(), False
        self._held: set[str] = set()  # here: one connection may take a lock twice

    @classmethod
    def entering(cls, url: str) -> "AdvisoryLocks":
        """The claims of a process that begins to use a database, which others know to live from now on.

        SetupError if the database cannot be used, or a backup is being put back into it.
        """
        place = parse_database_url(url)
        try:
            claims = cls(create_engine(place, poolclass=NullPool))
        except (SQLAlchemyError, ImportError) as error:
            raise unusable(place, error) from None
        if claims._shared:
            claims._enter()
        return claims

    @contextmanager
    def held(self, what: str) -> Iterator[bool]:
        """Try to claim something for as long as this lasts; gives whether it is ours."""
        mine = self.take(what)
        try:
            yield mine
        finally:
            if mine:
                self.release(what)

    def take(self, what: str) -> bool:
        """Claim something; is it ours now?"""
        with self._using:
            if what in self._held or self._closed:
                return False
            if self._shared and not self._ask(TAKE, key_of(what)):
                return False
            self._held.add(what)
            return True

    def release(self, what: str) -> None:
        """Leave it to others."""
        with self._using:
            if what in self._held:
                self._held.discard(what)
                if self._shared and self._connection:  # else it was lost, and is free already
                    self._ask(RELEASE, key_of(what))

    def live(self) -> bool:
        """See to it that others know this process to live; False if they cannot at the moment."""
        with self._using:
            return not self._shared or self._ask(LOOK)

    def close(self) -> None:
        """Release all of them."""
        with self._using:
            self._closed = True
            self._drop()

    def _ask(self, what: LiteralString, *values: int) -> bool:
        """What the database answers; no if it does not. Then others may have what was ours."""
        import psycopg

        if self._closed:
            return False
        try:
            connection = self._connection or self._connected()
            found = connection.execute(what, values).fetchone()
        except (psycopg.Error, SetupError) as error:
            log.warning("What this process had claimed is lost for now: %s", " ".join(str(error).split()))
            self._drop()
            return False
        return bool(found and found[0])

    def _enter(self) -> None:
        import psycopg

        try:
            self._connected()
        except psycopg.Error as error:
            raise unusable(self._engine.url, error) from None

    def _connected(self) -> "psycopg.Connection[Any]":
        with ExitStack() as stack:
            connection = stack.enter_context(closing(another(self._engine)))
            if connection.execute(ENTER).fetchone() != (True,):
                raise Unreachable(RESTORING)
            connection.execute(LIVE, [self.process])
            stack.pop_all()
        self._connection = connection
        self.epoch += 1
        return connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
