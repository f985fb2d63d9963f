"""Backups: made while a site runs, restored into another site, and refused with a reason."""

import asyncio
import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from html import unescape
from pathlib import Path
from threading import Event
from zipfile import ZipFile

import pytest
from alembic import command
from sqlalchemy import create_engine, event, select
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool
from starlette.testclient import TestClient

from almunia.cli import main
from almunia.errors import SetupError
from almunia.server.addresses import parse_database_url
from almunia.server.admin import backups
from almunia.server.admin.backups import ASIDE_SUFFIX, DUMP_NAME, MANIFEST_NAME, back_up, dump_postgres, restore
from almunia.server.app import create_app
from almunia.server.jobs.analysis_repository import from_json
from almunia.server.settings import DATABASE_FILE, SECRET_FILE, Settings
from almunia.server.site import Site
from almunia.server.storage import schema
from almunia.server.storage.database import alembic_config, is_current, migration_transaction, open_migrated
from almunia.server.storage.health import DatabaseHealth
from almunia.server.storage.locks import LIVE_PROCESSES_SQL, RESTORING_MESSAGE, SITE_RUNNING_MESSAGE
from almunia.server.storage.single_instance import single_instance

from ..analysing import cheap
from ..postgres import Server
from ..serving import settled
from ..waiting import TIMEOUT, wait_until
from .conftest import ORIGIN, Visitor
from .seated import ANA, BEA
from .test_analyses import played, with_worker


@pytest.fixture
def backup(visitor: Visitor, tmp_path: Path) -> Path:
    """Return the backup of a site with a running game, in which one more action was played after the backup."""
    visitor.table = visitor.open("orchard", quick=1)
    visitor.act(visitor.table)
    file = tmp_path / "monday.zip"
    back_up(visitor.app.state.site.settings, file)
    visitor.before = visitor.seen(visitor.table)
    visitor.act(visitor.table)
    return file


def come_back(settings: Settings, visitor: Visitor) -> tuple[int, int, list[int]]:
    """Return what a visitor sees of their table at a restored site, with their old cookie."""
    with Visitor(create_app(settings), headers={"Origin": ORIGIN}) as again:
        again.cookies.update(dict(visitor.cookies))
        return again.seen(visitor.table)


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files in a folder except locks, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.suffix != ".lock"}


def test_a_restored_site_has_its_data_and_knows_its_guests(visitor, backup, tmp_path):
    settings = Settings(data=tmp_path / "new", compiled=False)
    settings.create_data_folder()
    assert restore(settings, backup) == []
    assert come_back(settings, visitor) == visitor.before
    assert backup.stat().st_mode & 0o077 == 0
    assert (settings.data / SECRET_FILE).stat().st_mode & 0o077 == 0


def test_an_analysis_comes_back_from_a_backup(start, tmp_path):
    site = start().app.state.site
    state = played(site, ANA, BEA)
    site.analyses.needs_compiled = False
    site.analyses.request(state, "")
    with_worker(site).run_next()
    back_up(site.settings, tmp_path / "b.zip")
    settings = Settings(data=tmp_path / "new", compiled=False)
    settings.create_data_folder()
    restore(settings, tmp_path / "b.zip")
    engine = open_migrated(settings.url)
    with engine.connect() as db:
        row = db.execute(select(schema.analysis)).one()
    assert from_json(row.result, "orchard", 2) == cheap(state.play)
    engine.dispose()


def test_a_restore_moves_existing_files_aside_without_overwriting(visitor, backup, tmp_path):
    settings = Settings(data=tmp_path / "other", compiled=False)
    with Visitor(create_app(settings), headers={"Origin": ORIGIN}) as other:
        table = other.open("oregon", quick=1)
    key = (settings.data / SECRET_FILE).read_text()
    moved = restore(settings, backup)
    assert [path.name for path in moved] == [DATABASE_FILE + ASIDE_SUFFIX, SECRET_FILE + ASIDE_SUFFIX]
    assert moved[1].read_text() == key
    with closing(sqlite3.connect(moved[0])) as old:
        assert old.execute("SELECT id FROM game_table").fetchall() == [(table.rpartition("/")[2],)]
    again = restore(settings, backup)
    assert [path.name for path in again] == [f"{DATABASE_FILE}{ASIDE_SUFFIX}-2", f"{SECRET_FILE}{ASIDE_SUFFIX}-2"]
    assert come_back(settings, visitor) == visitor.before


def test_a_fault_of_the_site_is_not_blamed_on_the_backup(backup, tmp_path, monkeypatch):
    settings = Settings(data=tmp_path / "other", compiled=False)
    settings.create_data_folder()
    restore(settings, backup)

    def refuse(path: Path) -> Path:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(backups, "move_aside", refuse)
    with pytest.raises(PermissionError):
        restore(settings, backup)


def test_a_site_that_runs_is_not_replaced(backup, tmp_path):
    settings = Settings(data=tmp_path / "new", compiled=False)
    with single_instance(settings):
        before = files(settings.data)
        with pytest.raises(SetupError, match="Another process serves the tables"):
            restore(settings, backup)
        assert files(settings.data) == before


def test_a_database_that_another_program_has_open_is_not_replaced(backup, tmp_path):
    settings = Settings(data=tmp_path / "other", compiled=False)
    create_app(settings).state.site.tables.store.close()
    before = files(settings.data)
    with closing(sqlite3.connect(settings.data / DATABASE_FILE)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(SetupError, match=r"cannot be moved aside: another program is using it\. Close all"):
            restore(settings, backup)
    assert {name for name in files(settings.data) if "restore" in name} == set()
    assert files(settings.data)[SECRET_FILE] == before[SECRET_FILE]


class FullDisk:
    """Limits the SQLite file of an engine to its present size, like a full disk."""

    def __init__(self, engine) -> None:
        self.limit = engine.connect().exec_driver_sql("PRAGMA page_count").scalar()
        self.full = True
        event.listen(engine, "checkout", self.settle)

    def settle(self, connection, *_given) -> None:
        connection.execute(f"PRAGMA max_page_count={self.limit if self.full else 10**9}")


def test_a_full_disk_is_reported_to_visitors_and_health_checks(visitor, clock):
    disk = FullDisk(visitor.app.state.site.engine)
    answer = None
    for number in range(200):  # until the free pages are used up
        answer = visitor.post("/lobby/chat", data={"words": f"{number} " * 60}, follow_redirects=False)
        clock.advance(30)
        if answer.status_code != 303:
            break
    assert answer.status_code == 503
    assert "disk is full, so nothing can be saved now" in unescape(answer.text)
    health = visitor.get("/health")
    assert (health.status_code, health.json()["status"]) == (503, "disk full")
    disk.full = False
    assert visitor.post("/lobby/chat", data={"words": "Hello"}, follow_redirects=False).status_code == 303
    clock.advance(60)
    assert visitor.get("/health").status_code == 200


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits on Windows")
def test_a_backup_that_does_not_fit_on_the_disk_is_refused(visitor, tmp_path):
    import resource

    visitor.open("orchard", quick=1)
    for size in (4096, 64 * 1024):
        done = subprocess.run(
            [sys.executable, "-m", "almunia", "backup", str(tmp_path / "b.zip"), "--data", str(tmp_path)],
            preexec_fn=lambda size=size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, "Traceback" in done.stderr) == (2, False)
        assert "cannot be written" in done.stderr
        assert not list(tmp_path.glob("*b.zip*")) + list(tmp_path.glob(".backup-*"))


def test_a_backup_does_not_overwrite_a_file(visitor, backup):
    before = backup.read_bytes()
    with pytest.raises(SetupError, match=r"There is a file .* already"):
        back_up(visitor.app.state.site.settings, backup)
    assert backup.read_bytes() == before


def test_a_backup_without_a_database_is_refused(tmp_path):
    with pytest.raises(SetupError, match="There is no database"):
        back_up(Settings(data=tmp_path / "none"), tmp_path / "x.zip")
    assert not (tmp_path / "x.zip").exists()
    assert not (tmp_path / "none").exists()


def test_a_backup_into_a_missing_folder_is_refused(visitor, tmp_path):
    with pytest.raises(SetupError, match="cannot be written"):
        back_up(visitor.app.state.site.settings, tmp_path / "no" / "x.zip")


def changed(backup: Path, name: str, content: bytes | None) -> Path:
    """Return a copy of a backup in which one file is replaced or removed."""
    aim = backup.with_name("changed.zip")
    with ZipFile(backup) as old, ZipFile(aim, "w") as new:
        for info in old.infolist():
            if info.filename != name:
                new.writestr(info.filename, old.read(info))
        if content is not None:
            new.writestr(name, content)
    return aim


ODD = {
    "no json": (MANIFEST_NAME, b"{", "cannot be read as one"),
    "a list": (MANIFEST_NAME, b"[]", "cannot be read as one"),
    "says nothing": (MANIFEST_NAME, None, "cannot be read as one"),
    "no key": (SECRET_FILE, None, "it has no session.key"),
    "no database": (DATABASE_FILE, b"nothing", "its database is damaged"),
    "later": (
        MANIFEST_NAME,
        b'{"database": "sqlite", "revision": "9999", "almunia": "99.0"}',
        "made by Almunia 99.0, which is newer",
    ),
    "other": (MANIFEST_NAME, b'{"database": "mysql"}', "cannot be read as one"),
    "of postgres": (MANIFEST_NAME, b'{"database": "postgresql", "revision": "0001"}', f"it has no {DUMP_NAME}"),
}


@pytest.mark.parametrize("odd", ODD)
def test_restoring_an_invalid_backup_changes_nothing(backup, tmp_path, odd):
    name, content, sentence = ODD[odd]
    settings = Settings(data=tmp_path / "other", compiled=False)
    create_app(settings).state.site.tables.store.close()
    before = files(settings.data)
    with pytest.raises(SetupError, match=sentence):
        restore(settings, changed(backup, name, content))
    assert files(settings.data) == before


def test_a_file_that_is_damaged_is_refused(backup, tmp_path):
    settings = Settings(data=tmp_path / "new", compiled=False)
    content = bytearray(backup.read_bytes())
    content[len(content) // 2] ^= 0xFF
    backup.write_bytes(content)
    with pytest.raises(SetupError, match="is not a backup of Almunia"):
        restore(settings, backup)
    assert not settings.data.exists() or not files(settings.data)
    with pytest.raises(SetupError, match="cannot be read: No such file"):
        restore(settings, tmp_path / "nothing.zip")


def refusal(settings: Settings, backup: Path) -> str:
    """Try to restore a backup, and return the error message; empty if it was restored."""
    try:
        restore(settings, backup)
    except SetupError as error:
        return str(error)
    return ""


def test_a_damaged_backup_is_refused_or_put_back_whole(backup, tmp_path):
    """A flipped byte can break the compressed data or a header.

    Some bytes have no effect, such as those of a date. In each case the site has either its old data or the whole
    backup.
    """
    settings, whole = Settings(data=tmp_path / "other", compiled=False), backup.read_bytes()
    create_app(settings).state.site.tables.store.close()
    with closing(sqlite3.connect(settings.data / DATABASE_FILE)) as old:
        old.execute("PRAGMA journal_mode=DELETE")  # the mode after a restore, so the bytes do not change
    before = files(settings.data)
    with ZipFile(backup) as archive:
        saved = {name: archive.read(name) for name in (DATABASE_FILE, SECRET_FILE)}
    after = {**{name + ASIDE_SUFFIX: content for name, content in before.items()}, **saved}
    packed = whole.index(DATABASE_FILE.encode()) + len(DATABASE_FILE)
    listed = whole.rindex(b"PK\x01\x02")
    refused = 0
    for place in (*range(packed, packed + 60), *range(listed, listed + 46)):
        content = bytearray(whole)
        content[place] ^= 0xFF
        backup.write_bytes(content)
        if said := refusal(settings, backup):
            refused += 1
            assert re.fullmatch(rf"{re.escape(str(backup))} is not a backup of Almunia: .+\.", said), place
            assert files(settings.data) == before, place
        else:
            assert files(settings.data) == after, place
            for name, content in before.items():
                (settings.data / name).write_bytes(content)
                (settings.data / (name + ASIDE_SUFFIX)).unlink()
    assert 0 < refused < 106


def test_backup_and_restore_work_on_the_command_line(visitor, tmp_path, capsys):
    table = visitor.open("orchard", quick=1)
    visitor.table, before = table, visitor.seen(table)
    file = tmp_path / "b.zip"
    assert main(["backup", str(file), "--data", str(tmp_path)]) == 0
    assert main(["backup", str(file), "--data", str(tmp_path)]) == 2
    (tmp_path / "new").mkdir()
    assert main(["restore", str(file), "--data", str(tmp_path / "new")]) == 0
    assert come_back(Settings(data=tmp_path / "new", compiled=False), visitor) == before
    assert "There is a file" in capsys.readouterr().err


@contextmanager
def older(postgres: Server, revision: str) -> Iterator[str]:
    """Yield the address of a database that was migrated to an earlier revision."""
    with postgres.database(migrated=False) as address:
        engine, config = create_engine(parse_database_url(address), poolclass=NullPool), alembic_config()
        with engine.connect() as connection, migration_transaction(connection):
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
        yield address


@pytest.mark.slow
def test_an_older_backup_replaces_an_upgraded_postgres_database(postgres: Server, tmp_path):
    with older(postgres, "0010") as old, postgres.database() as address:
        file = tmp_path / "b.zip"
        with postgres.admin(parse_database_url(old).database) as admin:
            admin.execute("CREATE TABLE other (word text)")
        dump_postgres(parse_database_url(old), tmp_path / DUMP_NAME)
        with ZipFile(file, "x") as archive:
            archive.writestr(MANIFEST_NAME, json.dumps({"database": "postgresql", "revision": "0010", "almunia": "0"}))
            archive.write(tmp_path / DUMP_NAME, DUMP_NAME)
        settings = Settings(data=tmp_path / "none", database=address, compiled=False)
        with postgres.admin(parse_database_url(address).database) as admin:
            admin.execute("CREATE VIEW other AS SELECT 1")
            with pytest.raises(SetupError, match=r"psql has failed: .*other"):
                restore(settings, file)
            assert is_current(parse_database_url(address)), "all of it or nothing"
            admin.execute("DROP VIEW other")
        restore(settings, file)
        assert not is_current(parse_database_url(address))
        with Visitor(create_app(settings), headers={"Origin": ORIGIN}) as visitor:
            assert visitor.open("orchard", quick=1)


@pytest.mark.slow
def test_a_database_in_postgres_is_as_it_was(postgres: Server, tmp_path):
    with postgres.database() as address, postgres.database(migrated=False) as empty:
        settings = Settings(data=tmp_path / "none", database=address, compiled=False)
        with Visitor(create_app(settings), headers={"Origin": ORIGIN}) as visitor:
            visitor.table = visitor.open("orchard", quick=1)
            before = visitor.seen(visitor.table)
            back_up(settings, tmp_path / "b.zip")
            visitor.act(visitor.table)
            with pytest.raises(SetupError, match="This site is running"):
                restore(settings, tmp_path / "b.zip")
        for aim in (address, empty):
            restore(replace(settings, database=aim), tmp_path / "b.zip")
            assert come_back(replace(settings, database=aim), visitor) == before
        with pytest.raises(SetupError, match="backup of a database in PostgreSQL, and this site has one in SQLite"):
            restore(Settings(data=tmp_path / "lite"), tmp_path / "b.zip")
        assert main(["restore", str(tmp_path / "b.zip"), "--database", address]) == 2  # without --yes
        assert json.loads(ZipFile(tmp_path / "b.zip").read(MANIFEST_NAME))["database"] == "postgresql"


@pytest.mark.slow
def test_no_process_uses_a_database_during_a_restore(postgres: Server, tmp_path, monkeypatch):
    """A restore is refused from the start of a process on, and no process can start during a restore."""
    with postgres.database() as address:
        settings = Settings(data=tmp_path / "none", database=address, compiled=False)
        back_up(settings, tmp_path / "b.zip")
        thinks = Site(settings)  # like `almunia bot-worker` without work
        with pytest.raises(SetupError, match="This site is running"):
            restore(settings, tmp_path / "b.zip")
        thinks.locks.close()
        thinks.tables.store.close()
        loads, tried = backups.load_postgres, []

        def load(*given: object) -> None:
            for begin in (Site, lambda given: restore(given, tmp_path / "b.zip")):
                with pytest.raises(SetupError) as refused:
                    begin(settings)
                tried.append(str(refused.value))
            loads(*given)

        monkeypatch.setattr(backups, "load_postgres", load)
        wait_for_end(postgres, address)
        restore(settings, tmp_path / "b.zip")
        assert tried == [RESTORING_MESSAGE, SITE_RUNNING_MESSAGE]
        with Visitor(create_app(settings), headers={"Origin": ORIGIN}) as visitor:
            assert visitor.open("orchard", quick=1)


def wait_for_end(postgres: Server, address: str) -> None:
    """Wait until PostgreSQL has released the locks of a process that has ended."""
    with postgres.admin(parse_database_url(address).database) as admin:
        wait_until(lambda: not admin.execute(LIVE_PROCESSES_SQL).fetchone(), "PostgreSQL has noticed it")


def test_health_reports_whether_the_database_responds(visitor: TestClient, monkeypatch):
    answer = visitor.get("/health")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ok"
    assert answer.headers["cache-control"] == "no-store"

    def away() -> None:
        raise OperationalError("SELECT 1", {}, Exception("away"))

    monkeypatch.setattr(visitor.app.state.site.engine, "connect", away)
    answer = visitor.get("/health")
    assert answer.status_code == 503
    assert answer.json()["status"] == "no database"


def test_health_checks_share_one_thread_if_the_database_hangs():
    """Health checks must not occupy the threads that serve players."""
    stuck, asked = Event(), []

    def waiting() -> None:
        asked.append(1)
        stuck.wait(TIMEOUT)
        raise OperationalError("SELECT 1", {}, Exception("stuck"))

    beats = DatabaseHealth(create_engine("sqlite://", creator=waiting), timeout_seconds=0.2).is_up

    async def ask_often() -> list[bool]:
        found = await asyncio.gather(*(beats() for _ in range(20)), beats())
        stuck.set()
        return found

    assert settled(ask_often()) == [False] * 21
    assert len(asked) == 1
