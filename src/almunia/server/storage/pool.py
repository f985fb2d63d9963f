"""The pool of connections to PostgreSQL: each is looked at before it is used, and asked only where it may have ended.

Asking costs a round trip, and who acts would wait for a dozen of them. What ends a connection is the database, which
says so, or the system, which notices that nothing comes back: either is something to be read that nobody has asked for.
"""

import select
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry

if TYPE_CHECKING:
    import psycopg

TRUST_SECONDS = 1.0  # after its last use, for which a silent connection counts as one that lives
USED = "used"  # when that was, among what the pool keeps about a connection


def look_after(engine: Engine, *, trust_seconds: float = TRUST_SECONDS) -> None:
    """Let no connection be used that has ended."""
    event.listen(engine, "checkin", note_use)
    event.listen(engine, "checkout", partial(check_life, trust_seconds))


def note_use(_driver: object, entry: ConnectionPoolEntry) -> None:
    """Know when a connection was used last."""
    entry.info[USED] = monotonic()


def check_life(
    trust_seconds: float, driver: "psycopg.Connection[Any]", entry: ConnectionPoolEntry, _proxy: object
) -> None:
    """InvalidatePoolError, upon which others are made, if a connection has ended since it was used last."""
    if USED in entry.info and not (is_silent(driver) and monotonic() - entry.info[USED] < trust_seconds):
        ask(driver)


def is_silent(driver: "psycopg.Connection[Any]") -> bool:
    """Has nothing come by a connection that nobody has asked for? Where that cannot be seen, no."""
    if not hasattr(select, "poll"):  # on Windows
        return False
    looking = select.poll()
    looking.register(driver.fileno(), select.POLLIN)
    return not looking.poll(0)


def ask(driver: "psycopg.Connection[Any]") -> None:
    """InvalidatePoolError if nobody answers at the other end."""
    import psycopg

    try:
        driver.execute("SELECT 1")
        driver.rollback()
    except psycopg.Error as error:
        raise InvalidatePoolError(str(error)) from error
