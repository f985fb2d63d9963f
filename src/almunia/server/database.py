"""The database: opened, and brought to the shape this version needs. All that is SQLite's own is here."""

from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DBAPIError

from ..errors import SetupError

WAIT = 30  # seconds a writer waits for another


def connect(url: str) -> Engine:
    """The engine for a database address, its tables up to date; SetupError if that cannot be."""
    try:
        engine = create_engine(url, pool_size=20, max_overflow=40)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _settle_sqlite)
        upgrade(engine)
    except DBAPIError as error:
        raise SetupError(f"The database {_shown(url)} cannot be used: {error.orig}.") from None
    except (ImportError, CommandError) as error:
        raise SetupError(f"The database {_shown(url)} cannot be used: {error}") from None
    return engine


def upgrade(engine: Engine) -> None:
    """Run the migrations that this database has not seen."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _settle_sqlite(connection: Any, _record: Any) -> None:
    """Readers beside one writer, and nothing committed is lost when the power goes."""
    cursor = connection.cursor()
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={WAIT * 1000}"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _shown(url: str) -> str:
    """A database address without its password."""
    from sqlalchemy import make_url

    return make_url(url).render_as_string(hide_password=True)
