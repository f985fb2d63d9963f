"""What `almunia doctor` says of a site: which games could not be continued after an upgrade, and what was reported."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sqlalchemy import make_url

from ..errors import AlmuniaError, SetupError
from .builds import Builds
from .chat import Report, reports_in
from .database import connect
from .settings import Settings
from .snapshot import Snapshot
from .store import Store, Table


class Replayed(NamedTuple):
    """A table that was replayed under the rules that are installed now."""

    table: Table
    trouble: str  # why it cannot be continued; empty if it is as it was


def replay_all(settings: Settings) -> Iterator[Replayed]:
    """Replay every table of a site, and write nothing; SetupError if its database cannot be read."""
    builds = Builds()
    with copied(settings.url) as url, closing(Store(connect(url))) as store:
        for table in store.everything():
            try:
                Snapshot.rebuild(table, store.entries(table), builds.of(table.game))
            except AlmuniaError as error:
                yield Replayed(table, str(error))
            else:
                yield Replayed(table, "")


def reports(settings: Settings) -> list[Report]:
    """The messages that guests have reported; SetupError if the site's database cannot be read."""
    with copied(settings.url) as url:
        engine = connect(url)
        try:
            return reports_in(engine)
        finally:
            engine.dispose()


@contextmanager
def copied(url: str) -> Iterator[str]:
    """The address of a copy of a database, so that it may be brought to the shape of this version."""
    place = make_url(url)
    if place.get_backend_name() != "sqlite" or not place.database:
        raise SetupError(
            "Only a database in a file can be copied to be looked at. Restore a backup of this one into a database of "
            "its own, and start a site of the new version there."
        )
    if not Path(place.database).is_file():
        raise SetupError(f"There is no database {place.database}. Name the folder of a site with --data.")
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.sqlite3"
        with (
            closing(sqlite3.connect(f"file:{place.database}?mode=ro", uri=True)) as old,
            closing(sqlite3.connect(copy)) as new,
        ):
            old.backup(new)
        yield f"sqlite:///{copy}"
