"""The database: opened, and brought to the shape this version needs. All that is SQLite's own is here."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from ..errors import SetupError
from . import schema

WAIT = 30  # seconds a writer waits for another


def connect(url: str) -> Engine:
    """The engine for a database address, its tables up to date; SetupError if that cannot be."""
    try:
        place = make_url(url)
    except ArgumentError:
        raise SetupError(
            "The database address cannot be read. Write it like sqlite:////path/to/file or "
            "postgresql+psycopg://name:password@host/database, or leave ALMUNIA_DATABASE empty."
        ) from None
    try:
        return opened(place)
    except (SQLAlchemyError, ImportError, CommandError) as error:
        shown, reason = place.render_as_string(hide_password=True), str(getattr(error, "orig", None) or error)
        if "Can't locate revision" in reason:
            reason = "a later version of Almunia has written it; install that one, or choose another database"
        raise SetupError(f"The database {shown} cannot be used: {reason.rstrip('.')}.") from None


def opened(place: URL) -> Engine:
    """The engine for a place, its tables up to date; where that fails no connection stays open."""
    # Whoever was busy last is asked first, for it knows in memory what was written.
    engine = create_engine(place, pool_size=20, max_overflow=40, pool_use_lifo=True)
    try:
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _settle_sqlite)
        upgrade(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def upgrade(engine: Engine) -> None:
    """Run the migrations that this database has not seen."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    with engine.connect() as connection, whole(connection):
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    with engine.connect() as connection:
        for table in schema.metadata.sorted_tables:
            found = {column["name"] for column in inspect(connection).get_columns(table.name)}
            if missing := [column.name for column in table.columns if column.name not in found]:
                raise CommandError(f"its table {table.name!r} has no column {missing[0]!r}")


@contextmanager
def whole(connection: Connection) -> Iterator[None]:
    """A transaction in which migrations come to be whole or not at all, and for which others that migrate wait.

    Python's driver for SQLite begins none before CREATE and ALTER, and so commits each of them by itself.
    """
    driver: Any = connection.connection.dbapi_connection
    lite = connection.dialect.name == "sqlite"
    before = driver.isolation_level if lite else None
    if lite:
        driver.isolation_level = None
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        yield
        connection.commit()
    finally:
        connection.rollback()
        if lite:
            driver.isolation_level = before


def _settle_sqlite(connection: Any, _record: Any) -> None:
    """Readers beside one writer, and nothing committed is lost when the power goes."""
    cursor = connection.cursor()
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={WAIT * 1000}"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()
