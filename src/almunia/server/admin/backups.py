"""Backups of a site: one file with the database and the key that signs sessions.

The file is a ZIP archive. It has a manifest (`backup.json`) and a copy of the SQLite database, or a dump of the
PostgreSQL database. It has the key, too, if the key is not in the database.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
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

MANIFEST_NAME, DUMP_NAME = "backup.json", "almunia.dump"
DATABASE_NAMES = {SQLITE: DATABASE_FILE, "postgresql": DUMP_NAME}  # name of the database in a backup
ASIDE_SUFFIX = ".before-restore"  # of files that a restored file replaces
NO_BACKUP = "{} is not a backup of Almunia: {}."
MAX_MESSAGE_LENGTH = 300  # of a program's error message
WAIT_SECONDS = 1.0  # for another program that uses the database
# Raised for archives that are damaged, have an unsupported format, or an invalid manifest
ARCHIVE_ERRORS = BadZipFile, zlib.error, EOFError, KeyError, RuntimeError, TypeError, ValueError


def back_up(settings: Settings, file: Path) -> None:
    """Write a backup of a site, which may be running. On failure, raise AlmuniaError and leave no new file."""
    if file.exists():
        raise SetupError(f"There is a file {file} already. Choose another name, or remove it.")
    url = parse_database_url(settings.url)
    open_existing(settings.url).dispose()
    kind = url.get_backend_name()
    try:
        with TemporaryDirectory(dir=file.parent, prefix=".backup-") as folder:
            whole, copy = Path(folder) / file.name, Path(folder) / DATABASE_NAMES[kind]
            (copy_sqlite if kind == SQLITE else dump_postgres)(url, copy)
            manifest = {"almunia": __version__, "made": format_utc(SYSTEM_CLOCK.now()), "database": kind}
            manifest["revision"] = read_revision(url)
            with ZipFile(whole, "x", ZIP_DEFLATED) as archive:
                archive.writestr(MANIFEST_NAME, json.dumps(manifest, indent=2))
                archive.write(copy, copy.name)
                if kind == SQLITE:
                    archive.writestr(SECRET_FILE, settings.session_key())
            whole.chmod(0o600)
            os.link(whole, file)  # atomic, and never replaces a file that appeared meanwhile
    except OSError as error:
        raise SetupError(f"The backup {file} cannot be written: {error.strerror or error}.") from None
    except (sqlite3.Error, SQLAlchemyError) as error:  # also for a full disk
        raise SetupError(f"The backup {file} cannot be written: {describe_error(error)}.") from None


def restore(settings: Settings, file: Path) -> list[Path]:
    """Restore a backup into a site that is not running, and return the old files that were moved aside.

    With PostgreSQL, the list is empty. Raises AlmuniaError if the backup cannot be restored, or the site is running.
    """
    url = parse_database_url(settings.url)
    kind = url.get_backend_name()
    with TemporaryDirectory() as folder, open_backup(file) as (archive, manifest):
        if manifest["database"] != kind:
            raise SetupError(
                f"{file} is a backup of a database in {kind_name(manifest['database'])}, and this site has one in "
                f"{kind_name(kind)}. Choose another database with --database or --data."
            )
        scripts = ScriptDirectory.from_config(alembic_config())
        if manifest["revision"] not in {one.revision for one in scripts.walk_revisions()}:
            raise SetupError(
                f"{file} was made by Almunia {manifest['almunia']}, which is newer. Install that version first."
            )
        if kind != SQLITE:
            with exclusive_database(url):
                load_postgres(url, Path(archive.extract(DUMP_NAME, folder)))
            return []
        with single_instance(settings):
            return restore_files(settings, archive, file)


def restore_files(settings: Settings, archive: ZipFile, file: Path) -> list[Path]:
    """Move the old database and key aside, put those of a backup in their place, and return the old files."""
    database = Path(parse_database_url(settings.url).database or "")
    targets = {DATABASE_FILE: database, SECRET_FILE: settings.data / SECRET_FILE}
    with TemporaryDirectory(dir=settings.data, prefix=".restore-") as folder:
        try:
            for name in targets:
                archive.extract(name, folder)
                (Path(folder) / name).chmod(0o600)
        except OSError as error:
            raise SetupError(f"{file} cannot be unpacked into {settings.data}: {error.strerror or error}.") from None
        check_integrity(Path(folder) / DATABASE_FILE, file)
        merge_wal(database)
        moved = [move_aside(target) for target in targets.values() if target.exists()]
        for name, target in targets.items():
            (Path(folder) / name).replace(target)
    return moved


def move_aside(path: Path) -> Path:
    """Rename a file to an unused name, and return its new path."""
    number, target = 1, path.with_name(path.name + ASIDE_SUFFIX)
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}{ASIDE_SUFFIX}-{number}")
    return path.rename(target)


# --- SQLite -----------------------------------------------------------------------------------------


def copy_sqlite(url: URL, target: Path) -> None:
    """Copy a database, to which other connections may write meanwhile."""
    with closing(sqlite3.connect(url.database or "")) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)


def check_integrity(database: Path, file: Path) -> None:
    """Raise SetupError if the database of the backup `file` is damaged."""
    try:
        with closing(sqlite3.connect(database)) as found:
            answer = found.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.DatabaseError as error:
        answer = str(error)
    if answer != "ok":
        raise SetupError(NO_BACKUP.format(file, f"its database is damaged ({answer[:MAX_MESSAGE_LENGTH]})"))


def merge_wal(database: Path) -> None:
    """Merge the write-ahead log of a database, if it exists, into its file; raise SetupError if that fails."""
    if database.exists():
        try:
            with closing(sqlite3.connect(database, timeout=WAIT_SECONDS)) as found:
                found.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                found.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.Error as error:
            raise SetupError(
                f"The database {database} cannot be moved aside: {describe_error(error)}. Close all programs that use "
                "it, and try again."
            ) from None


def describe_error(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    if is_full(cause):
        return "No space left on device"
    locked = getattr(cause, "sqlite_errorcode", None) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return "another program is using it" if locked else str(cause)


# --- PostgreSQL -------------------------------------------------------------------------------------


def dump_postgres(url: URL, target: Path) -> None:
    """Dump a database, to which other connections may write meanwhile."""
    dbname = f"--dbname={url_without_password(url)}"
    run_program("pg_dump", url, dbname, "--format=custom", "--no-owner", f"--file={target}")


def load_postgres(url: URL, dump: Path) -> None:
    """Replace all tables of a site by a dump, in one transaction.

    `pg_restore` alone would keep tables that the dump lacks. Newer tables would block its drops, and older tables
    would keep personal data.
    """
    script = dump.with_suffix(".sql")
    ours = ", ".join(f'"{name}"' for name in (*schema.metadata.tables, *schema.FORMER_TABLES, "alembic_version"))
    run_program("pg_restore", url, "--clean", "--if-exists", "--no-owner", f"--file={script}", str(dump))
    options = ("--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1")
    # Suppresses notices of missing tables, which would hide an error
    drop = f"--command=SET client_min_messages = warning; DROP TABLE IF EXISTS {ours} CASCADE"
    run_program("psql", url, f"--dbname={url_without_password(url)}", *options, drop, f"--file={script}")


def url_without_password(url: URL) -> str:
    """Return the URL for a PostgreSQL program without the password, which other users of the machine could read."""
    return url._replace(drivername="postgresql", password=None).render_as_string()  # `set` would keep the password


def run_program(program: str, url: URL, *words: str) -> None:
    """Run a PostgreSQL program, which gets the password by its environment.

    Raises SetupError if the program is not installed or fails.
    """
    given = {"PGPASSWORD": str(url.password)} if url.password else {}
    if shutil.which(program) is None:
        raise SetupError(
            f"{program} is not installed. Install the clients of PostgreSQL, such as the package postgresql-client."
        )
    found = subprocess.run(  # noqa: S603
        [program, *words], env={**os.environ, **given}, capture_output=True, text=True, check=False
    )
    if found.returncode:
        raise SetupError(f"{program} has failed: {' '.join(found.stderr.split())[:MAX_MESSAGE_LENGTH]}")


# --- both kinds of databases ------------------------------------------------------------------------


def kind_name(kind: str) -> str:
    return "SQLite" if kind == SQLITE else "PostgreSQL"


def read_revision(url: URL) -> str:
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as db:
        return str(db.execute(text("SELECT version_num FROM alembic_version")).scalar_one())


@contextmanager
def open_backup(file: Path) -> Iterator[tuple[ZipFile, dict[str, Any]]]:
    """Open a backup, and yield the archive and its manifest; raise SetupError if the file is unreadable or invalid."""
    with ExitStack() as stack:
        yield read_backup(file, stack)


def read_backup(file: Path, stack: ExitStack) -> tuple[ZipFile, dict[str, Any]]:
    """Return the archive, which `stack` closes, and the manifest of a backup; raise the errors of `open_backup`."""
    try:
        archive = stack.enter_context(ZipFile(file))
        manifest = json.loads(archive.read(MANIFEST_NAME))
        kind = manifest["database"]
        names = {DATABASE_NAMES[kind], *((SECRET_FILE,) if kind == SQLITE else ())}
        if missing := names - set(archive.namelist()):
            raise SetupError(NO_BACKUP.format(file, f"it has no {min(missing)}"))
        if damaged := archive.testzip():
            raise SetupError(NO_BACKUP.format(file, f"{damaged} in it is damaged"))
    except OSError as error:
        raise SetupError(f"The backup {file} cannot be read: {error.strerror or error}.") from None
    except SetupError:
        raise
    except ARCHIVE_ERRORS:
        raise SetupError(NO_BACKUP.format(file, "it cannot be read as one")) from None
    return archive, {"revision": "", "almunia": "", **manifest}
