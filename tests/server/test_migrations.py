"""Migrations are applied completely or not at all, by one process at a time."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, event, inspect, text

from almunia.server.storage import database, schema
from almunia.server.storage.database import is_shared, open_migrated
from almunia.server.tables.repository import TableRepository

MOST = 400  # statements in all migrations, at most
APART = 4  # statements from one interruption to the next


class Ended(Exception):
    """Stands for the end of the process."""


@pytest.fixture(params=["sqlite", "postgres"])
def empty(request: pytest.FixtureRequest, tmp_path) -> Iterator[str]:
    """Yield the address of a database without tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'new.sqlite3'}"
        return
    with request.getfixturevalue("postgres").database(migrated=False) as address:
        yield address


@pytest.fixture
def ending(monkeypatch):
    """Yield a function that ends the next migration after a number of statements."""

    def at(number: int) -> None:
        left = [number]

        def count(*_: object) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Ended

        def opened(place, _prepare) -> Engine:
            engine = create_engine(place)
            event.listen(engine, "connect", database._configure_sqlite)
            event.listen(engine, "after_cursor_execute", count)
            try:
                database.upgrade(engine)
            finally:
                engine.dispose()
            return engine

        monkeypatch.setattr(database, "_open", opened)

    yield at
    monkeypatch.undo()


def first_version(path) -> None:
    """Create a database of the first version, with a table in it."""
    engine = create_engine(f"sqlite:///{path}")
    config = Config()
    config.set_main_option("script_location", database.__file__.replace("database.py", "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        columns = [row[1] for row in connection.execute(text('PRAGMA table_info("table")'))]
        kinds = [row[2] for row in connection.execute(text('PRAGMA table_info("table")'))]
        given = ", ".join("0" if "INT" in kind or "BOOL" in kind or "FLOAT" in kind else "'{}'" for kind in kinds)
        connection.execute(text(f'INSERT INTO "table" ({", ".join(map(repr, columns))}) VALUES ({given})'))  # noqa: S608
    engine.dispose()


def migrate(engine: Engine, revision: str, move: object = command.upgrade) -> None:
    """Migrate a database to a revision."""
    config = database.alembic_config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        move(config, revision)


def test_migrations_create_the_schema(empty):
    engine = open_migrated(empty)
    found = inspect(engine)
    assert is_shared(engine) == empty.startswith("postgresql")
    for table in schema.metadata.sorted_tables:
        columns = {column["name"]: column["nullable"] for column in found.get_columns(table.name)}
        assert columns == {column.name: column.nullable for column in table.columns}
        made = {index["name"] for index in found.get_indexes(table.name) if "duplicates_constraint" not in index}
        assert made == {index.name for index in table.indexes}
    engine.dispose()
    open_migrated(empty).dispose()  # a second time changes nothing


def test_tables_of_an_older_database_get_their_visible_turns(empty, monkeypatch):
    with monkeypatch.context() as older:
        older.setattr(database, "upgrade", lambda engine: migrate(engine, "0001"))
        engine = open_migrated(empty)
    with engine.begin() as db:
        for name, seed in (("typed", 42), ("drawn", 2**62)):
            facts = f"'{name}', 'orchard', 1, '', '{{}}', {seed}, 1, 'running', 0, 'me', '', 2, NULL, 5.0, 7.5"
            db.exec_driver_sql(f'INSERT INTO "table" VALUES ({facts})')  # noqa: S608  in a test's own database
            db.exec_driver_sql(f"INSERT INTO seat VALUES ('{name}', 0, 'person', 'me', 'Ana')")  # noqa: S608
    engine.dispose()
    engine = open_migrated(empty)
    typed, drawn = (TableRepository(engine).find(name) for name in ("typed", "drawn"))
    assert (typed.seed_is_public, drawn.seed_is_public) == (True, False)
    assert [(seat.visible_turn, seat.last_visible_change) for seat in typed.seats] == [(2, 7.5)]
    if is_shared(engine):  # SQLite drops no table with references to it
        migrate(engine, "base", command.downgrade)
        assert inspect(engine).get_table_names() == ["alembic_version"]
    engine.dispose()


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("begun", [False, True], ids=["new", "of the first version"])
def test_an_interrupted_migration_can_be_repeated(tmp_path, ending, monkeypatch, begun) -> None:
    ends = 0
    for number in range(0, MOST, APART):
        path = tmp_path / f"{number}.sqlite3"
        if begun:
            first_version(path)
        ending(number)
        try:
            database.open_migrated(f"sqlite:///{path}")
        except Ended:
            ends += 1
        monkeypatch.undo()
        database.open_migrated(f"sqlite:///{path}").dispose()
        with closing(sqlite3.connect(path)) as found:
            assert found.execute("SELECT COUNT(*) FROM game_table").fetchone() == (int(begun),)
        if ends * APART <= number:
            break
    assert ends >= 5
    assert ends * APART < MOST


@pytest.mark.slow
@pytest.mark.exhaustive
def test_concurrent_processes_open_a_new_database(tmp_path) -> None:
    address = f"sqlite:///{tmp_path / 'new.sqlite3'}"
    opening = f"from almunia.server.storage import database; database.open_migrated({address!r}).dispose()"
    processes = [subprocess.Popen([sys.executable, "-c", opening], stderr=subprocess.PIPE) for _ in range(3)]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()


def test_an_upgrade_adds_results_of_finished_games(tmp_path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'old.sqlite3'}")
    config = Config()
    config.set_main_option("script_location", database.__file__.replace("database.py", "migrations"))
    tables = (
        ("won", "", None, "[5, 9, 9]"),
        ("resigned", "resigned", 1, "[3, 4]"),
        ("closed", "closed", None, "[0, 0]"),
    )
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0007")
        for name, ended, gave_up, points in tables:
            row = {"id": name, "game": "orchard", "status": "finished", "ended": ended, "gave_up": gave_up}
            row |= {"result": points, "seats": points.count(",") + 1, "changed": 7.0, "challenge": "", "owner": "ana"}
            put(connection, "table", row)
            for seat, player in enumerate(("ana", "bea", "cem")[: row["seats"]]):
                put(connection, "seat", {"table": name, "seat": seat, "kind": "person", "player": player})
    engine.dispose()
    opened = database.open_migrated(f"sqlite:///{tmp_path / 'old.sqlite3'}")
    with opened.connect() as connection:
        columns = '"table", player, points, rank, counts_in_stats, played_to_end'
        asked = f'SELECT {columns} FROM result ORDER BY "table" DESC, seat'  # noqa: S608  no user input
        found = [tuple(row) for row in connection.execute(text(asked))]
    opened.dispose()
    won = [
        ("won", player, points, rank, 1, 1) for player, points, rank in (("ana", 5, 3), ("bea", 9, 1), ("cem", 9, 1))
    ]
    assert found == [*won, ("resigned", "ana", 3, 1, 1, 0), ("resigned", "bea", 4, 2, 1, 0)]


def test_an_upgrade_keeps_alerts_and_profiles(tmp_path) -> None:
    """After the upgrade alerts have no limited hours, and profiles show no experience in the lobby."""
    engine = create_engine(f"sqlite:///{tmp_path / 'old.sqlite3'}")
    config = database.alembic_config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0012")
        put(connection, "alert_way", {"id": "way", "guest": "ana"})
        for guest, page in (("ana", 0), ("bea", 1)):
            put(connection, "profile", {"guest": guest, "handle": guest, "name": guest, "page": page, "boards": 1})
    engine.dispose()
    opened = database.open_migrated(f"sqlite:///{tmp_path / 'old.sqlite3'}")
    with opened.connect() as connection:
        ways = connection.execute(text("SELECT id, hours FROM notification_channel")).all()
        shown = connection.execute(text("SELECT guest, show_lobby FROM profile ORDER BY guest")).all()
    opened.dispose()
    assert [tuple(row) for row in ways] == [("way", "")]
    assert [tuple(row) for row in shown] == [("ana", 0), ("bea", 0)]


def test_an_upgrade_keeps_rated_games(tmp_path) -> None:
    """The first five games of each person count as those of a newcomer, and all weights are 1."""
    engine = create_engine(f"sqlite:///{tmp_path / 'old.sqlite3'}")
    config = database.alembic_config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0015")
        for number in range(1, 8):
            for seat, (player, kind) in enumerate((("ana", "person"), ("easy", "bot"))):
                row = {"table": f"t{number}", "seat": seat, "kind": kind, "player": player, "game": "orchard"}
                put(connection, "result", row | {"number": number})
        put(connection, "daily_try", {"deal": "orchard-2026-11-25", "guest": "ana", "table": "t1"})
    engine.dispose()
    opened = database.open_migrated(f"sqlite:///{tmp_path / 'old.sqlite3'}")
    with opened.connect() as connection:
        asked = "SELECT player, is_newcomer, gave_up_early, weight FROM result ORDER BY player, number"
        found = [tuple(row) for row in connection.execute(text(asked))]
        ranked = connection.execute(text("SELECT ranked FROM daily_attempt")).scalars().all()
    opened.dispose()
    assert found == [*[("ana", 1, 0, 1)] * 5, *[("ana", 0, 0, 1)] * 2, *[("easy", 0, 0, 1)] * 7]
    assert ranked == [1]


def put(connection, table: str, row: dict[str, object]) -> None:
    """Insert a row, with 0 or NULL in the columns that are not given."""
    names = [column[1] for column in connection.execute(text(f'PRAGMA table_info("{table}")'))]
    free = {"gave_up", "due", "played_on"}
    values = {name: row.get(name, None if name in free else 0) for name in names}
    marks = ", ".join(f":{name}" for name in names)
    connection.execute(text(f'INSERT INTO "{table}" VALUES ({marks})'), values)  # noqa: S608
