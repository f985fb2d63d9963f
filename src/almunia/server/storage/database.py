"""Opening and migrating the database, and the details of SQLite and PostgreSQL."""

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
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

LOCK_TIMEOUT_SECONDS = 30  # of a writer that waits for another writer
# Settings of PostgreSQL connections: each end notices within half a minute that the other has vanished.
SERVER_SETTINGS = {
    "lock_timeout": f"{LOCK_TIMEOUT_SECONDS}s",
    "idle_in_transaction_session_timeout": "120s",
    "tcp_keepalives_idle": "10s",
    "tcp_keepalives_interval": "5s",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "25s",
}
CONNECTION_SETTINGS: dict[str, Any] = {
    "application_name": "almunia",
    "client_encoding": "utf8",
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
    "options": " ".join(f"-c {name}={value}" for name, value in SERVER_SETTINGS.items()),
}
SQLITE_PRAGMAS = "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"
POOL_SIZES = {SQLITE: (20, 40), POSTGRES: (8, 24)}  # connections that stay open, and additional connections
DISK_FULL = "53100"  # error code of PostgreSQL


def open_migrated(url: str) -> Engine:
    """Return the engine of a database address with an up-to-date schema; raise AlmuniaError if that fails."""
    return _open(parse_database_url(url), upgrade)


def open_existing(url: str) -> Engine:
    """Return the engine of an existing database without migrating it; raise AlmuniaError if it cannot be used."""
    place = parse_database_url(url)
    if place.get_backend_name() == SQLITE and not Path(place.database or "").is_file():
        raise SetupError(f"There is no database {place.database}. Name the folder of a site with --data.")
    return _open(place, check_schema)


def _open(place: URL, prepare: Callable[[Engine], None]) -> Engine:
    is_sqlite = place.get_backend_name() == SQLITE
    size, more = POOL_SIZES[place.get_backend_name()]
    given = {} if is_sqlite else {key: value for key, value in CONNECTION_SETTINGS.items() if key not in place.query}
    try:
        with ExitStack() as stack:
            # LIFO: the last connection has the warmest cache. Errors are logged without values. PostgreSQL may have
            # closed a pooled connection, so each checkout pings it, which costs a round trip. SQLite closes none.
            engine = create_engine(
                place,
                pool_size=size,
                max_overflow=more,
                pool_use_lifo=True,
                pool_pre_ping=not is_sqlite,
                connect_args=given,
                hide_parameters=True,
            )
            stack.callback(engine.dispose)
            if is_sqlite:
                event.listen(engine, "connect", _configure_sqlite)
            prepare(engine)
            stack.pop_all()
            return engine
    except (SQLAlchemyError, ImportError, CommandError) as error:
        raise setup_error(place, error) from None


def raw_connection(engine: Engine) -> "psycopg.Connection[Any]":
    """Return a connection to PostgreSQL outside the engine's pool, in autocommit mode."""
    import psycopg

    _, given = engine.dialect.create_connect_args(engine.url)
    return psycopg.connect(**{**CONNECTION_SETTINGS, **given}, autocommit=True)


@asynccontextmanager
async def async_connection(engine: Engine) -> "AsyncIterator[psycopg.AsyncConnection[Any]]":
    """Open a connection as `raw_connection` does, for an event loop."""
    import psycopg

    _, given = engine.dialect.create_connect_args(engine.url)
    connection = await psycopg.AsyncConnection.connect(**{**CONNECTION_SETTINGS, **given}, autocommit=True)
    try:
        yield connection
    finally:
        await connection.close()  # not as `async with` does, which waits for the server first


def is_shared(engine: Engine) -> bool:
    """Return whether several processes may serve a site with this database: whether it is PostgreSQL."""
    return engine.dialect.name == POSTGRES


def upgrade(engine: Engine) -> None:
    """Run the missing migrations; raise CommandError if the schema is incomplete afterwards."""
    with engine.connect() as connection, migration_transaction(connection):
        if MigrationContext.configure(connection).get_current_revision() != latest_revision():
            config = alembic_config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    check_schema(engine)


@cache
def latest_revision() -> str | None:
    return ScriptDirectory.from_config(alembic_config()).get_current_head()


def check_schema(engine: Engine) -> None:
    """Raise CommandError unless the database has all tables and columns of this version."""
    with engine.connect() as connection:
        found = inspect(connection).get_multi_columns()
    for table in schema.metadata.sorted_tables:
        if (None, table.name) not in found:
            raise CommandError(f"it has no table {table.name!r}")
        there = {column["name"] for column in found[None, table.name]}
        if missing := [column.name for column in table.columns if column.name not in there]:
            raise CommandError(f"its table {table.name!r} has no column {missing[0]!r}")


def alembic_config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def is_current(place: URL) -> bool:
    """Return whether a database is fully migrated; raise AlmuniaError if it cannot be read."""
    engine = create_engine(place, poolclass=NullPool)
    try:
        with engine.connect() as connection:
            found = MigrationContext.configure(connection).get_current_revision()
    except (SQLAlchemyError, ImportError) as error:
        raise setup_error(place, error) from None
    return found == latest_revision()


def setup_error(place: URL, error: Exception) -> AlmuniaError:
    """Return the error for a database that cannot be used."""
    if isinstance(error, ModuleNotFoundError) and place.get_backend_name() == POSTGRES:
        return MissingExtra.named("A database in PostgreSQL needs", error.name, "postgres")
    reason = str(getattr(error, "orig", None) or error)
    if "Can't locate revision" in reason:
        reason = "a later version of Almunia has written it; install that one, or choose another database"
    away = "OperationalError" in (kind.__name__ for kind in type(error).__mro__)  # the driver's class has the same name
    kind = Unreachable if away and place.get_backend_name() == POSTGRES else SetupError
    return kind(f"The database {display_url(place)} cannot be used: {' '.join(reason.split()).rstrip('.?')}.")


@contextmanager
def migration_transaction(connection: Connection) -> Iterator[None]:
    """Run the block in one transaction, one process at a time.

    Python's driver for SQLite begins no transaction before CREATE and ALTER, and so commits each of them.
    """
    driver: Any = connection.connection.dbapi_connection
    lite = connection.dialect.name == SQLITE
    before = driver.isolation_level if lite else None
    if lite:
        driver.isolation_level = None
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        lock_transaction(connection, "migrations")
    try:
        yield
        connection.commit()
    finally:
        connection.rollback()
        if lite:
            driver.isolation_level = before


@contextmanager
def read_connection(engine: Engine) -> Iterator[Connection]:
    """Open a connection for reading; each statement sees what has been committed before it.

    PostgreSQL gets no transaction: BEGIN and COMMIT would be two more round trips.
    """
    with engine.connect() as connection:
        yield connection.execution_options(isolation_level="AUTOCOMMIT") if is_shared(engine) else connection


def is_full(error: BaseException | None) -> bool:
    """Return whether a driver failed because the database's disk is full."""
    code = getattr(error, "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_FULL or getattr(error, "sqlstate", None) == DISK_FULL


def truncate_wal(engine: Engine) -> None:
    """Truncate SQLite's write-ahead log, which may contain deleted data; does nothing with PostgreSQL."""
    if not is_shared(engine):
        with engine.connect() as db:
            db.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def locked_transaction(engine: Engine, name: str) -> Iterator[Connection]:
    """Open a transaction. With PostgreSQL, transactions with the same name exclude each other."""
    with engine.begin() as connection:
        lock_transaction(connection, name)
        yield connection


def lock_transaction(connection: Connection, name: str) -> None:
    """Lock a name until the end of the transaction; does nothing with SQLite."""
    if connection.dialect.name == POSTGRES:
        connection.execute(select(func.pg_advisory_xact_lock(lock_key(name))))


def lock_key(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)


def _configure_sqlite(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    for setting in (*SQLITE_PRAGMAS, f"busy_timeout={LOCK_TIMEOUT_SECONDS * 1000}"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()
