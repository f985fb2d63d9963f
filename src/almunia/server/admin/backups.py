"""Backups of a site: one file with the database and the key that signs sessions, made while the site runs.

The file is a ZIP archive: what it is (`backup.json`), the database as SQLite copies it or as PostgreSQL dumps it,
and the key where that is no part of the database.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from alembic.script import ScriptDirectory
from sqlalchemy import URL, create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from ... import __version__
from ...errors import SetupError
from ..addresses import SQLITE, parse_database_url
from ..clock import SYSTEM_CLOCK
from ..settings import DATABASE_FILE, SECRET_FILE, Settings
from ..storage import schema
from ..storage.database import alembic_config, is_full, open_existing
from ..storage.locks import exclusive_database
from ..storage.single_instance import single_instance
from ..tables.clocks import format_utc

ABOUT, DUMP = "backup.json", "almunia.dump"
KINDS = {SQLITE: DATABASE_FILE, "postgresql": DUMP}  # what the database is called in a backup
BEFORE = ".before-restore"  # what the name of a file ends with that a restored one took the place of
NO_BACKUP = "{} is not a backup of Almunia: {}."
SHOWN = 300  # characters of what a program says
WAIT_SECONDS = 1.0  # for another program that has the database of a site that does not run
# What is raised where an archive is damaged, packed in a way of its own, or says what it should not.
UNREADABLE = BadZipFile, zlib.error, EOFError, KeyError, RuntimeError, TypeError, ValueError


def back_up(settings: Settings, file: Path) -> None:
    """Write a backup of a site, which may be running; SetupError if that cannot be, and then no file is left."""
    if file.exists():
        raise SetupError(f"There is a file {file} already. Choose another name, or remove it.")
    place = parse_database_url(settings.url)
    open_existing(settings.url).dispose()
    kind = place.get_backend_name()
    try:
        with TemporaryDirectory(dir=file.parent, prefix=".backup-") as folder:
            whole, copy = Path(folder) / file.name, Path(folder) / KINDS[kind]
            (copy_file if kind == SQLITE else dump)(place, copy)
            about = {
                "almunia": __version__,
                "made": format_utc(SYSTEM_CLOCK.now()),
                "database": kind,
                "revision": revision_of(place),
            }
            with ZipFile(whole, "x", ZIP_DEFLATED) as archive:
                archive.writestr(ABOUT, json.dumps(about, indent=2))
                archive.write(copy, copy.name)
                if kind == SQLITE:
                    archive.writestr(SECRET_FILE, settings.session_key())
            whole.chmod(0o600)
            os.link(whole, file)  # whole, or not at all; never over a file that somebody has made meanwhile
    except OSError as error:
        raise SetupError(f"The backup {file} cannot be written: {error.strerror or error}.") from None
    except (sqlite3.Error, SQLAlchemyError) as error:  # a full disk, too
        raise SetupError(f"The backup {file} cannot be written: {reason_of(error)}.") from None


def restore(settings: Settings, file: Path) -> list[Path]:
    """Put a backup in place of a site that doesn't run; gives the files that were moved aside for it.

    SetupError, and nothing is changed, if it is none, is for another kind of database or from a later version, or if
    the site runs.
    """
    place = parse_database_url(settings.url)
    kind = place.get_backend_name()
    with TemporaryDirectory() as folder, opened(file) as (archive, about):
        if about["database"] != kind:
            raise SetupError(
                f"{file} is a backup of a database in {called(about['database'])}, and this site has one in "
                f"{called(kind)}. Name another one with --database or --data."
            )
        if about["revision"] not in {
            one.revision for one in ScriptDirectory.from_config(alembic_config()).walk_revisions()
        }:
            raise SetupError(
                f"{file} was made by Almunia {about['almunia']}, which is newer. Install that version first."
            )
        if kind != SQLITE:
            with exclusive_database(place):
                load(place, Path(archive.extract(DUMP, folder)))
            return []
        with single_instance(settings):
            return put_files(settings, archive, file)


def put_files(settings: Settings, archive: ZipFile, file: Path) -> list[Path]:
    """Put the files of a backup into the data folder, each whole, and move those aside that are there."""
    database = Path(parse_database_url(settings.url).database or "")
    aims = {DATABASE_FILE: database, SECRET_FILE: settings.data / SECRET_FILE}
    with TemporaryDirectory(dir=settings.data, prefix=".restore-") as folder:
        try:
            for name in aims:
                archive.extract(name, folder)
                (Path(folder) / name).chmod(0o600)
        except OSError as error:
            raise SetupError(f"{file} cannot be unpacked into {settings.data}: {error.strerror or error}.") from None
        check_whole(Path(folder) / DATABASE_FILE, file)
        settle(database)
        moved = [aside(aim) for aim in aims.values() if aim.exists()]
        for name, aim in aims.items():
            (Path(folder) / name).replace(aim)
    return moved


def aside(path: Path) -> Path:
    """Move a file aside, over no other one."""
    number, aim = 1, path.with_name(path.name + BEFORE)
    while aim.exists():
        number += 1
        aim = path.with_name(f"{path.name}{BEFORE}-{number}")
    return path.rename(aim)


# --- SQLite -----------------------------------------------------------------------------------------


def copy_file(place: URL, aim: Path) -> None:
    """Copy a database while others write to it."""
    with closing(sqlite3.connect(place.database or "")) as source, closing(sqlite3.connect(aim)) as copy:
        source.backup(copy)


def check_whole(database: Path, file: Path) -> None:
    """SetupError unless a database can be read from end to end."""
    try:
        with closing(sqlite3.connect(database)) as found:
            said = found.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.DatabaseError as error:
        said = str(error)
    if said != "ok":
        raise SetupError(NO_BACKUP.format(file, f"its database is damaged ({said[:SHOWN]})"))


def settle(database: Path) -> None:
    """Write into a database what stands beside it, so that it is moved aside whole."""
    if database.exists():
        try:
            with closing(sqlite3.connect(database, timeout=WAIT_SECONDS)) as found:
                found.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                found.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.Error as error:
            raise SetupError(
                f"The database {database} cannot be moved aside: {reason_of(error)}. Close all programs that have it "
                "open, and try again."
            ) from None


def reason_of(error: Exception) -> str:
    """Return what a database says is wrong, in words for people where they are known."""
    cause = getattr(error, "orig", None) or error
    if is_full(cause):
        return "No space left on device"
    locked = getattr(cause, "sqlite_errorcode", None) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return "another program is using it" if locked else str(cause)


# --- PostgreSQL -------------------------------------------------------------------------------------


def dump(place: URL, aim: Path) -> None:
    """Dump a database while others write to it."""
    run("pg_dump", place, f"--dbname={named(place)}", "--format=custom", "--no-owner", f"--file={aim}")


def load(place: URL, dump: Path) -> None:
    """Put a dump in place of the tables of a site, those included that the version that was dumped did not have yet.

    `pg_restore` by itself would leave these, and they would stand in the way of what it drops.
    """
    script = dump.with_suffix(".sql")
    ours = ", ".join(f'"{name}"' for name in (*schema.metadata.tables, "alembic_version"))
    run("pg_restore", place, "--clean", "--if-exists", "--no-owner", f"--file={script}", str(dump))
    run(
        "psql",
        place,
        f"--dbname={named(place)}",
        "--no-psqlrc",
        "--quiet",
        "--single-transaction",
        "--set=ON_ERROR_STOP=1",
        f"--command=DROP TABLE IF EXISTS {ours} CASCADE",
        f"--file={script}",
    )


def named(place: URL) -> str:
    """The address of a database as these programs take it, without its password, which others could read."""
    return place._replace(drivername="postgresql", password=None).render_as_string()  # `set` would keep it


def run(program: str, place: URL, *words: str) -> None:
    """Run a program of PostgreSQL, which gets the password by its environment; SetupError if it fails."""
    given = {"PGPASSWORD": str(place.password)} if place.password else {}
    if shutil.which(program) is None:
        raise SetupError(
            f"{program} is not there. Install the clients of PostgreSQL, such as the package postgresql-client."
        )
    found = subprocess.run(  # noqa: S603
        [program, *words],
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        raise SetupError(f"{program} has failed: {' '.join(found.stderr.split())[:SHOWN]}")


# --- both -------------------------------------------------------------------------------------------


def called(kind: str) -> str:
    """What people call a kind of database."""
    return "SQLite" if kind == SQLITE else "PostgreSQL"


def revision_of(place: URL) -> str:
    """The last migration that a database has seen."""
    engine = create_engine(place, poolclass=NullPool)
    with engine.connect() as db:
        return str(db.execute(text("SELECT version_num FROM alembic_version")).scalar_one())


@contextmanager
def opened(file: Path) -> Iterator[tuple[ZipFile, dict[str, Any]]]:
    """A backup and what it says of itself; SetupError if it is none."""
    try:
        with ZipFile(file) as archive:
            about = json.loads(archive.read(ABOUT))
            kind = about["database"]
            names = {KINDS[kind], *((SECRET_FILE,) if kind == SQLITE else ())}
            if missing := names - set(archive.namelist()):
                raise SetupError(NO_BACKUP.format(file, f"it has no {min(missing)}"))
            if damaged := archive.testzip():
                raise SetupError(NO_BACKUP.format(file, f"{damaged} in it is damaged"))
            yield archive, {"revision": "", "almunia": "", **about}
    except OSError as error:
        raise SetupError(f"The backup {file} cannot be read: {error.strerror or error}.") from None
    except SetupError:
        raise
    except UNREADABLE:
        raise SetupError(NO_BACKUP.format(file, "it cannot be read as one")) from None
