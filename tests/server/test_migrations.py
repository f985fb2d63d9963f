"""Migrations come to be whole or not at all, whatever ends them, and one site at a time makes them."""

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, event, text

from almunia.server import database

MOST = 60  # statements of a migration


class Ended(Exception):
    """What stands for the end of the process."""


@pytest.fixture
def ending(monkeypatch):
    """Lets the migrations of the next database end after so many statements."""

    def at(number: int) -> None:
        left = [number]

        def count(*_: object) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Ended

        def opened(place) -> Engine:
            engine = create_engine(place)
            event.listen(engine, "connect", database._settle_sqlite)
            event.listen(engine, "after_cursor_execute", count)
            try:
                database.upgrade(engine)
            finally:
                engine.dispose()
            return engine

        monkeypatch.setattr(database, "opened", opened)

    yield at
    monkeypatch.undo()


def first_version(path) -> None:
    """A database as the first version left it, with a table in it."""
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


@pytest.mark.parametrize("begun", [False, True], ids=["new", "of the first version"])
def test_a_migration_that_is_ended_anywhere_can_be_made_again(tmp_path, ending, monkeypatch, begun) -> None:
    ends = 0
    for number in range(MOST):
        path = tmp_path / f"{number}.sqlite3"
        if begun:
            first_version(path)
        ending(number)
        try:
            database.connect(f"sqlite:///{path}")
        except Ended:
            ends += 1
        monkeypatch.undo()
        database.connect(f"sqlite:///{path}").dispose()
        with closing(sqlite3.connect(path)) as found:
            assert found.execute('SELECT COUNT(*) FROM "table"').fetchone() == (int(begun),)
        if ends <= number:
            break
    assert ends >= 5
    assert ends < MOST


def test_two_that_open_a_new_database_at_once_both_do(tmp_path) -> None:
    address = f"sqlite:///{tmp_path / 'new.sqlite3'}"
    opening = f"from almunia.server import database; database.connect({address!r}).dispose()"
    both = [subprocess.Popen([sys.executable, "-c", opening], stderr=subprocess.PIPE) for _ in range(3)]
    for process in both:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()
