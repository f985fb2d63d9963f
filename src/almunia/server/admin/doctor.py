"""Functions of `almunia doctor`: replay tables, list reported messages, and recompute ratings.

Recomputing writes the ratings that differ.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sqlalchemy import Row

from ...errors import AlmuniaError, SetupError
from ..addresses import POSTGRES, parse_database_url
from ..chat.moderation import read_reports
from ..ratings.repository import recompute
from ..settings import Settings
from ..storage.database import is_current, open_existing, open_migrated
from ..tables.builds import GameBuilds
from ..tables.model import Table
from ..tables.repository import TableRepository
from ..tables.state import TableState


class ReplayReport(NamedTuple):
    table: Table
    error: str  # why the table cannot be continued; empty if it can


def replay_all(settings: Settings) -> Iterator[ReplayReport]:
    """Replay all tables of a site, the latest first, and yield a report on each."""
    builds = GameBuilds()
    with database_copy(settings.url) as url, closing(TableRepository(open_migrated(url))) as store:
        for table in store.all():
            error = ""
            try:
                TableState.from_events(table, store.events(table), builds.get(table.game))
            except AlmuniaError as broken:
                error = str(broken)
            yield ReplayReport(table, error)


def read_reported_messages(settings: Settings) -> Sequence[Row[Any]]:
    """Return all reports of messages, the latest first."""
    with database_copy(settings.url) as url:
        engine = open_migrated(url)
        try:
            return read_reports(engine)
        finally:
            engine.dispose()


def recompute_ratings(settings: Settings) -> tuple[int, int]:
    """Compute all ratings of a site again, and return the numbers of rated games and of changed ratings.

    Raises AlmuniaError if the site's database cannot be opened.
    """
    engine = open_existing(settings.url)
    try:
        return recompute(engine)
    finally:
        engine.dispose()


@contextmanager
def database_copy(url: str) -> Iterator[str]:
    """Yield the URL of a copy of an SQLite database, or of the PostgreSQL database itself.

    Raises AlmuniaError if there is no such file, or the PostgreSQL database cannot be read or is of another version.
    """
    parsed = parse_database_url(url)
    if parsed.get_backend_name() == POSTGRES:
        if not is_current(parsed):
            raise SetupError(
                "This PostgreSQL database belongs to another version of Almunia, so it cannot be checked here. "
                "Restore a backup of it into a separate database, and start a site of this version with that."
            )
        yield url  # not a copy, since no migration will change it
        return
    if not parsed.database or not Path(parsed.database).is_file():
        raise SetupError(f"There is no database {parsed.database}. Name the folder of a site with --data.")
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.sqlite3"
        try:
            with (
                closing(sqlite3.connect(f"file:{parsed.database}?mode=ro", uri=True)) as old,
                closing(sqlite3.connect(copy)) as new,
            ):
                old.backup(new)
        except sqlite3.DatabaseError as error:
            raise SetupError(f"The database {parsed.database} cannot be read: {error}.") from None
        yield f"sqlite:///{copy}"
