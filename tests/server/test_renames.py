"""The standard names of the database: an older database keeps all its values, in the renamed columns.

`data/README.md` says how the files of older versions were made.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile
from zlib import crc32

import pytest
from alembic import command
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Engine,
    Float,
    LargeBinary,
    MetaData,
    String,
    create_engine,
    delete,
    insert,
    inspect,
    select,
)
from sqlalchemy.pool import NullPool

from almunia.server.addresses import parse_database_url
from almunia.server.admin.backups import back_up, restore
from almunia.server.admin.doctor import replay_all
from almunia.server.app import create_app
from almunia.server.settings import DATABASE_FILE, Settings
from almunia.server.storage import schema
from almunia.server.storage.database import alembic_config, migration_transaction, open_migrated
from almunia.server.tables import model
from almunia.server.tables.repository import TableRepository

from ..postgres import Server
from .conftest import CHEAP, Visitor

DATA = Path(__file__).with_name("data")
BEFORE = "0022"  # the last revision with the old names
AFTER = "0023"  # the first one with the new names
ROW_COUNT = 4  # of each table; only that of events has one row of each kind
KINDS = (
    *("MOVE", "UNDO", "HINT", "LESSON_LEFT", "PLAYER_JOINED", "BOT_JOINED", "PLAYER_LEFT", "BOT_FAILED"),
    *("SUBSTITUTED", "RETURNED", "RESIGN", "PLAYER_REMOVED", "SEAT_RESERVED", "RESERVATION_DECLINED"),
    *("PROPOSED", "ACCEPTED", "DECLINED", "TAKEBACK", "FLAGGED", "ENDED", "HOST_CHANGED"),
    *("VACATION_STARTED", "VACATION_ENDED", "ABANDON_WARNING", "DEALT", "OUTAGE", "REDACTED"),
)
END_REASONS = ("RESIGNED", "TIMED_OUT", "AGREED", "CLOSED", "RULES_CHANGED")
WORDS = {"table_event.kind": KINDS, "game_table.end_reason": END_REASONS}


def value_of(column: Column[Any], number: int) -> Any:
    """Return the value of a column in a row of `rows-0022.json`. The value follows from the new name of the column."""
    for key in column.foreign_keys:
        return value_of(key.column, number % ROW_COUNT)
    name, kind = f"{column.name} of {column.table.name}", column.type
    if names := WORDS.get(str(column)):
        return names[number % len(names)].lower()
    if column.nullable and number == ROW_COUNT - 1 and not isinstance(kind, JSON):
        return None
    if isinstance(kind, String):
        return f"{number} {name}"[: kind.length]
    if isinstance(kind, LargeBinary):
        return f"{number} {name}".encode()
    if isinstance(kind, JSON):
        return {name: number}
    mark = crc32(name.encode())
    if isinstance(kind, Boolean):
        return bool(mark >> number % 32 & 1)
    return mark % 10**6 * 100 + number + (0.5 if isinstance(kind, Float) else 0)


def rows_in(table: Any) -> range:
    return range(len(KINDS) if table.name == "table_event" else ROW_COUNT)


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Yield the address of a database without tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'old.sqlite3'}"
        return
    with request.getfixturevalue("postgres").database(migrated=False) as place:
        yield place


def migrate(address: str, revision: str, move: Any = command.upgrade) -> Engine:
    """Migrate a database to a revision, and return an engine without a connection pool."""
    engine, config = create_engine(parse_database_url(address), poolclass=NullPool), alembic_config()
    with engine.connect() as connection, migration_transaction(connection):
        config.attributes["connection"] = connection
        move(config, revision)
    return engine


@pytest.fixture
def older(address: str) -> str:
    """Fill a database of revision BEFORE with the rows of `rows-0022.json`, and return its address."""
    engine, tables = migrate(address, BEFORE), MetaData()
    tables.reflect(engine)
    rows = json.loads((DATA / f"rows-{BEFORE}.json").read_text())
    with engine.begin() as db:
        for table in tables.sorted_tables:
            if found := rows.pop(table.name, None):
                db.execute(delete(table))  # rows that a migration has written
                db.execute(insert(table), [{name: read(value) for name, value in row.items()} for row in found])
    assert not rows
    return address


def read(value: Any) -> Any:
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) and set(value) == {"hex"} else value


def contents(engine: Engine, metadata: MetaData) -> dict[str, list[str]]:
    """Return the sorted rows of each table."""
    with engine.connect() as db:
        return {
            table.name: sorted(str(dict(row)) for row in db.execute(select(table)).mappings())
            for table in metadata.sorted_tables
            if table.name != "alembic_version"
        }


def shape(engine: Engine) -> dict[str, Any]:
    """Return the columns, keys and indexes of each table."""
    found = inspect(engine)
    return {
        table: {
            "columns": {one["name"]: (str(one["type"]), one["nullable"]) for one in found.get_columns(table)},
            "primary key": found.get_pk_constraint(table),
            "foreign keys": sorted(map(str, found.get_foreign_keys(table))),
            "indexes": sorted(
                (str(one["name"]), one["column_names"], one["unique"]) for one in found.get_indexes(table)
            ),
            "unique": sorted(map(str, found.get_unique_constraints(table))),
        }
        for table in found.get_table_names()
        if table != "alembic_version"
    }


def test_an_upgraded_database_has_the_schema_of_a_new_one(address):
    engine = open_migrated(address)
    upgraded = shape(engine)
    schema.metadata.drop_all(engine)
    schema.metadata.create_all(engine)
    assert upgraded == shape(engine)
    assert set(upgraded) == set(schema.metadata.tables)
    engine.dispose()


def test_an_upgrade_keeps_every_value_in_its_column(older):
    renamed = MetaData()
    renamed.reflect(migrate(older, AFTER))  # later revisions only add tables and columns
    engine = open_migrated(older)
    found = contents(engine, renamed)
    for name in found:
        table = schema.metadata.tables[name]
        columns = [table.columns[one] for one in renamed.tables[name].columns.keys()]  # noqa: SIM118  not a dictionary
        expected = [{column.name: value_of(column, number) for column in columns} for number in rows_in(table)]
        assert found[name] == sorted(map(str, expected))
    engine.dispose()


def test_a_downgrade_restores_schema_and_values(older):
    engine, before = migrate(older, BEFORE), MetaData()
    before.reflect(engine)
    kept = shape(engine), contents(engine, before)
    open_migrated(older).dispose()
    assert shape(engine) != kept[0]
    migrate(older, BEFORE, command.downgrade)
    assert (shape(engine), contents(engine, before)) == kept


def test_stored_words_are_the_names_of_their_constants():
    assert {name: getattr(model, name) for name in (*KINDS, *END_REASONS)} == {
        name: name.lower() for name in (*KINDS, *END_REASONS)
    }


@pytest.mark.parametrize("commit", ["fbd8a73", "6194d521"])
def test_a_backup_of_an_older_version_is_restored_whole(tmp_path, commit):
    file, settings = DATA / f"backup-{commit}.zip", Settings(data=tmp_path, compiled=False, argon2_memory_kib=CHEAP)
    with ZipFile(file) as archive, closing(sqlite3.connect(archive.extract(DATABASE_FILE, tmp_path / "old"))) as old:
        sizes = dict(old.execute('SELECT id, version FROM "table"'))
        events = old.execute("SELECT count(*) FROM entry").fetchone()[0]
    restore(settings, file)
    reports = list(replay_all(settings))
    assert {one.table.id: one.table.version for one in reports} == sizes
    assert not any(one.error for one in reports)
    store = TableRepository(open_migrated(settings.url))
    tables = store.all()
    kinds = [event.kind for table in tables for event in store.events(table)]
    store.close()
    assert len(kinds) == events
    assert set(kinds) <= {name.lower() for name in KINDS}
    with Visitor(create_app(settings)) as visitor:
        pages = {visitor.get(f"/table/{table.id}").status_code for table in tables if not table.daily}
    assert pages == {200}


@pytest.mark.slow
def test_a_restored_backup_drops_tables_with_old_names(postgres: Server, tmp_path):
    """Tables with old names would keep data that were deleted later."""
    with postgres.database() as address, postgres.database(migrated=False) as older:
        migrate(older, BEFORE)
        back_up(Settings(data=tmp_path, database=address), tmp_path / "b.zip")
        restore(Settings(data=tmp_path, database=older), tmp_path / "b.zip")
        engine = create_engine(parse_database_url(older), poolclass=NullPool)
        assert set(inspect(engine).get_table_names()) == {*schema.metadata.tables, "alembic_version"}
