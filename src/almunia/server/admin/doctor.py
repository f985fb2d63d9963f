"""What `almunia doctor` says of a site: games that could not be continued, what was reported, and its ratings."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ...errors import AlmuniaError, SetupError
from ..addresses import POSTGRES, parse_database_url
from ..chat.service import Report, reports_in
from ..ratings.game_results import recompute
from ..settings import Settings
from ..storage.database import is_current, open_existing, open_migrated
from ..tables.builds import GameBuilds
from ..tables.model import Table
from ..tables.repository import TableRepository
from ..tables.state import TableState


class ReplayReport(NamedTuple):
    """A table that was replayed under the rules that are installed now."""

    table: Table
    trouble: str  # why it cannot be continued; empty if it is as it was


def replay_all(settings: Settings) -> Iterator[ReplayReport]:
    """Replay every table of a site, and write nothing; SetupError if its database cannot be read."""
    builds = GameBuilds()
    with copied(settings.url) as url, closing(TableRepository(open_migrated(url))) as store:
        for table in store.all():
            try:
                TableState.from_events(table, store.events(table), builds.get(table.game))
            except AlmuniaError as error:
                yield ReplayReport(table, str(error))
            else:
                yield ReplayReport(table, "")


def reports(settings: Settings) -> list[Report]:
    """The messages that guests have reported; SetupError if the site's database cannot be read."""
    with copied(settings.url) as url:
        engine = open_migrated(url)
        try:
            return reports_in(engine)
        finally:
            engine.dispose()


def ratings(settings: Settings) -> tuple[int, int]:
    """Compute all ratings of a site again: how many rated games there are, and how many ratings were others.

    SetupError if there is no such site, or its database cannot be used.
    """
    engine = open_existing(settings.url)
    try:
        return recompute(engine)
    finally:
        engine.dispose()


@contextmanager
def copied(url: str) -> Iterator[str]:
    """The address of a copy of a database, so that it may be brought to the shape of this version.

    One in PostgreSQL is not copied, and must have that shape.
    """
    place = parse_database_url(url)
    if place.get_backend_name() == POSTGRES:
        if not is_current(place):
            raise SetupError(
                "This database is of another version of Almunia, and only one in a file can be copied to be looked at. "
                "Restore a backup of it into a database of its own, and start a site of this version there."
            )
        yield url  # as it is, for nothing in it would be changed
        return
    if not place.database or not Path(place.database).is_file():
        raise SetupError(f"There is no database {place.database}. Name the folder of a site with --data.")
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.sqlite3"
        with (
            closing(sqlite3.connect(f"file:{place.database}?mode=ro", uri=True)) as old,
            closing(sqlite3.connect(copy)) as new,
        ):
            old.backup(new)
        yield f"sqlite:///{copy}"
