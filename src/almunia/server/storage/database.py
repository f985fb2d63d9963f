"""The database: opened, and brought to the shape this version needs. What SQLite or PostgreSQL want alone is here."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import URL, Connection, Engine, create_engine, event, func, inspect, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from ...errors import AlmuniaError, MissingExtra, SetupError, Unreachable
from ..addresses import POSTGRES, SQLITE, display_url, parse_database_url
from . import schema

if TYPE_CHECKING:
    import psycopg

WAIT = 30  # seconds a writer waits for another
# What a connection to PostgreSQL is like: at either end it is noticed within half a minute that the other has vanished.
SERVER = {
    "lock_timeout": f"{WAIT}s",
    "idle_in_transaction_session_timeout": "120s",
    "tcp_keepalives_idle": "10s",
    "tcp_keepalives_interval": "5s",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "25s",
}
CONNECTION: dict[str, Any] = {
    "application_name": "almunia",
    "client_encoding": "utf8",
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
    "options": " ".join(f"-c {name}={value}" for name, value in SERVER.items()),
}
LASTING = "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"  # how SQLite keeps things
POOLS = {SQLITE: (20, 40), POSTGRES: (8, 24)}  # connections that stay open, and how many more there may be
MIGRATING = "migrations"
DISK_FULL = "53100"  # as PostgreSQL calls it


def connect(url: str) -> Engine:
    """The engine for a database address, its tables up to date; SetupError if that cannot be."""
    return usable(url, opened)


def existing(url: str) -> Engine:
    """The engine for a database that is there, as it is: it is neither made nor changed, for a site may run there."""
    return usable(url, found)


def usable(url: str, opening: Callable[[URL], Engine]) -> Engine:
    """What is opened at an address; SetupError if that cannot be."""
    place = parse_database_url(url)
    try:
        return opening(place)
    except (SQLAlchemyError, ImportError, CommandError) as error:
        raise unusable(place, error) from None


def opened(place: URL) -> Engine:
    """The engine for a place, its tables up to date; where that fails no connection stays open."""
    return settled(place, upgrade)


def found(place: URL) -> Engine:
    """The engine for a place where there is a database of this version."""
    if place.get_backend_name() == SQLITE and not Path(place.database or "").is_file():
        raise SetupError(f"There is no database {place.database}. Name the folder of a site with --data.")
    return settled(place, check)


def settled(place: URL, ready: Callable[[Engine], None]) -> Engine:
    """The engine for a place, once something was done to make it `ready`; if that fails no connection stays open."""
    name = place.get_backend_name()
    size, more = POOLS[name]
    given = {} if name == SQLITE else {key: value for key, value in CONNECTION.items() if key not in place.query}
    # LIFO: the connection used last has the most in its cache. Errors are logged without values. PostgreSQL may have
    # ended a connection that waits in the pool; asking first costs each checkout a round trip. A file ends none.
    engine = create_engine(
        place,
        pool_size=size,
        max_overflow=more,
        pool_use_lifo=True,
        pool_pre_ping=name == POSTGRES,
        connect_args=given,
        hide_parameters=True,
    )
    try:
        if name == SQLITE:
            event.listen(engine, "connect", _settle_sqlite)
        ready(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def another(engine: Engine) -> "psycopg.Connection[Any]":
    """A connection to PostgreSQL beside those of the engine, each of whose statements stands by itself."""
    import psycopg

    _, given = engine.dialect.create_connect_args(engine.url)
    return psycopg.connect(**{**CONNECTION, **given}, autocommit=True)


def is_shared(engine: Engine) -> bool:
    """Can several processes use this database at the same time, and hear of each other?"""
    return engine.dialect.name == POSTGRES


def upgrade(engine: Engine) -> None:
    """Run the migrations that this database has not seen; to load Alembic's scripts takes longer than all else here."""
    with engine.connect() as connection, whole(connection):
        if MigrationContext.configure(connection).get_current_revision() != latest_revision():
            config = migrations()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    check(engine)


@cache
def latest_revision() -> str | None:
    """Return the revision of a database that has seen all migrations."""
    return ScriptDirectory.from_config(migrations()).get_current_head()


def check(engine: Engine) -> None:
    """CommandError unless the tables of a database have all columns that this version needs."""
    with engine.connect() as connection:
        found = inspect(connection).get_multi_columns()
    for table in schema.metadata.sorted_tables:
        if (None, table.name) not in found:
            raise CommandError(f"it has no table {table.name!r}")
        there = {column["name"] for column in found[None, table.name]}
        if missing := [column.name for column in table.columns if column.name not in there]:
            raise CommandError(f"its table {table.name!r} has no column {missing[0]!r}")


def migrations() -> Config:
    """Where the migrations are."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def is_current(place: URL) -> bool:
    """Has a database seen all migrations? SetupError if it cannot be read."""
    engine = create_engine(place, poolclass=NullPool)
    try:
        with engine.connect() as connection:
            found = MigrationContext.configure(connection).get_current_revision()
    except (SQLAlchemyError, ImportError) as error:
        raise unusable(place, error) from None
    return found == latest_revision()


def unusable(place: URL, error: Exception) -> AlmuniaError:
    """What is to be said of a database that cannot be used."""
    if isinstance(error, ModuleNotFoundError) and place.get_backend_name() == POSTGRES:
        return MissingExtra.named("A database in PostgreSQL needs", error.name, "postgres")
    reason = str(getattr(error, "orig", None) or error)
    if "Can't locate revision" in reason:
        reason = "a later version of Almunia has written it; install that one, or choose another database"
    away = "OperationalError" in (kind.__name__ for kind in type(error).__mro__)  # the driver has one as well
    kind = Unreachable if away and place.get_backend_name() == POSTGRES else SetupError
    return kind(f"The database {display_url(place)} cannot be used: {' '.join(reason.split()).rstrip('.?')}.")


@contextmanager
def whole(connection: Connection) -> Iterator[None]:
    """A transaction in which migrations come to be whole or not at all, and for which others that migrate wait.

    Python's driver for SQLite begins none before CREATE and ALTER, and so commits each of them by itself.
    """
    driver: Any = connection.connection.dbapi_connection
    lite = connection.dialect.name == SQLITE
    before = driver.isolation_level if lite else None
    if lite:
        driver.isolation_level = None
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        wait_alone(connection, MIGRATING)
    try:
        yield
        connection.commit()
    finally:
        connection.rollback()
        if lite:
            driver.isolation_level = before


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection to read by, whose statements each see what has been committed before.

    PostgreSQL is told of no transaction around them: its beginning and its end would be two more round trips.
    """
    with engine.connect() as connection:
        yield connection.execution_options(isolation_level="AUTOCOMMIT") if is_shared(engine) else connection


def is_full(error: BaseException | None) -> bool:
    """Whether a driver failed because there is no room left where the database lies."""
    code = getattr(error, "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_FULL or getattr(error, "sqlstate", None) == DISK_FULL


def empty_log(engine: Engine) -> None:
    """Let what was deleted leave the log of SQLite as well, which would keep it until the site is stopped."""
    if not is_shared(engine):
        with engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql(
                "PRAGMA wal_checkpoint(TRUNCATE)"
            )


@contextmanager
def alone(engine: Engine, name: str) -> Iterator[Connection]:
    """A transaction beside which no other process does what is called so."""
    with engine.begin() as connection:
        wait_alone(connection, name)
        yield connection


def wait_alone(connection: Connection, name: str) -> None:
    """Until the end of its transaction, let no other process do what is called so; with SQLite there is none."""
    if connection.dialect.name == POSTGRES:
        connection.execute(select(func.pg_advisory_xact_lock(key_of(name))))


def key_of(name: str) -> int:
    """The number under which PostgreSQL locks what is called so."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)


def _settle_sqlite(connection: Any, _record: Any) -> None:
    """Readers beside one writer; what is committed outlives a power cut, and what is deleted leaves the file."""
    cursor = connection.cursor()
    for setting in (*LASTING, f"busy_timeout={WAIT * 1000}"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()
