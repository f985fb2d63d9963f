"""PostgreSQL as the database: it is opened and migrated, or refused with a reason."""

import subprocess
import sys
from collections.abc import Iterator
from threading import Thread
from urllib.parse import unquote

import pytest
from sqlalchemy import Engine, event, inspect, update
from sqlalchemy.exc import OperationalError

from almunia.errors import MissingExtra, SetupError
from almunia.server.addresses import display_url, parse_database_url
from almunia.server.admin.backups import url_without_password
from almunia.server.admin.doctor import database_copy
from almunia.server.storage import database, schema
from almunia.server.storage.database import is_current, open_migrated
from almunia.server.tables.model import PERSON, Seat, Table
from almunia.server.tables.repository import TableRepository

from ..postgres import Server
from ..waiting import wait_until


@pytest.fixture
def empty(postgres: Server) -> Iterator[str]:
    """Yield the address of a database without tables."""
    with postgres.database(migrated=False) as address:
        yield address


def test_an_interrupted_migration_can_be_repeated(empty, monkeypatch):
    """PostgreSQL runs DDL in transactions, so a migration is done completely or not at all."""
    for number in (1, 9, 25):
        left = [number]

        def count(*_: object, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise KeyError

        with monkeypatch.context() as ending:
            make = database.create_engine

            def counted(*given: object, make: object = make, count: object = count, **named: object) -> Engine:
                engine = make(*given, **named)
                event.listen(engine, "after_cursor_execute", count)
                return engine

            ending.setattr(database, "create_engine", counted)
            with pytest.raises(KeyError):
                open_migrated(empty)
    engine = open_migrated(empty)
    assert set(schema.metadata.tables) < set(inspect(engine).get_table_names())
    engine.dispose()


def test_the_server_notices_soon_that_a_machine_has_vanished(empty):
    """With the usual settings of systems, the server would keep the locks of such a machine for two hours."""
    engine = open_migrated(empty)
    wanted = "SELECT reset_val::int FROM pg_settings WHERE name ~ '^tcp_' ORDER BY name"  # sockets show 0 otherwise
    with engine.connect() as db, database.raw_connection(engine) as other:
        rows = list(db.exec_driver_sql(wanted)), other.execute(wanted).fetchall()
    count, idle, interval, milliseconds = (row[0] for row in rows[0])
    assert idle + count * interval <= 30
    assert 0 < milliseconds <= 30_000
    assert rows[1] == [(count,), (idle,), (interval,), (milliseconds,)]
    assert min(count, idle, interval) > 0
    engine.dispose()


@pytest.mark.slow
@pytest.mark.exhaustive
def test_concurrent_processes_open_a_new_database(empty):
    opening = f"from almunia.server.storage import database; database.open_migrated({empty!r}).dispose()"
    several = [subprocess.Popen([sys.executable, "-c", opening], stderr=subprocess.PIPE) for _ in range(3)]
    for process in several:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode()


def test_a_missing_database_is_refused_without_its_password(postgres):
    address = postgres.address("nowhere")
    with pytest.raises(SetupError, match='"nowhere" does not exist') as refused:
        open_migrated(address)
    assert "sesame" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_doctor_refuses_a_database_of_another_version(postgres, empty):
    assert not is_current(parse_database_url(empty))
    with pytest.raises(SetupError, match="another version of Almunia"), database_copy(empty):
        pass
    with postgres.database() as address, database_copy(address) as same:
        assert same == address
    with pytest.raises(SetupError, match="does not exist"), database_copy(address):
        pass


def test_without_the_driver_the_extra_is_named(monkeypatch):
    def missing(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("No module named 'psycopg'", name="psycopg")

    monkeypatch.setattr(database, "create_engine", missing)
    with pytest.raises(MissingExtra, match=r"almunia\[postgres\]"):
        open_migrated("postgresql://almunia@127.0.0.1/almunia")


def test_database_addresses_are_parsed():
    for written in ("postgres://a@b/c", "postgresql://a@b/c", "postgresql+psycopg://a@b/c"):
        assert parse_database_url(written).render_as_string() == "postgresql+psycopg://a@b/c"
        assert display_url(parse_database_url(written)) == "postgresql://a@b/c"
    assert display_url(parse_database_url("postgresql://a:secret@b/c")) == "postgresql://a:***@b/c"
    with pytest.raises(SetupError, match="SQLite or PostgreSQL"):
        parse_database_url("mysql://a@b/c")
    with pytest.raises(SetupError, match="cannot be read"):
        parse_database_url("postgresql://a@b:port/c")


def test_a_password_in_the_query_of_an_address_is_hidden():
    """PostgreSQL accepts a password in the query of the address.

    It must not appear in messages or in lists of processes.
    """
    place = parse_database_url("postgresql://ana@/almunia?host=/run/x&password=se%20cret&sslmode=require")
    assert ":se cret@" in unquote(place.render_as_string(hide_password=False))
    assert display_url(place) == "postgresql://ana:***@/almunia?host=%2Frun%2Fx&sslmode=require"
    assert url_without_password(place) == "postgresql://ana@/almunia?host=%2Frun%2Fx&sslmode=require"


def is_queued(admin) -> bool:
    """Whether a transaction waits for a lock."""
    return admin.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone() is not None


def test_saving_presence_does_not_deadlock_with_moves(postgres: Server):
    """A move updates the seats of its table in order. Saving presence must use the same order, else both deadlock."""
    with postgres.database() as address:
        engine = open_migrated(address)
        store, failed = TableRepository(engine), []
        seats = tuple(Seat(PERSON, guest, guest) for guest in ("ana", "bea"))
        store.create(Table("t", "orchard", 1, "hash", {}, 1, seats, "ana", 0))

        def see() -> None:
            try:
                store.record_presence([("t", "bea", 7.0), ("t", "ana", 8.0), ("t", "cem", 9.0)])
            except OperationalError as error:
                failed.append(error)

        with engine.begin() as act:
            seeing = Thread(target=see)
            for number in (0, 1):
                act.execute(update(schema.seat).where(schema.seat.c.seat == number).values(visible_turn=1))
                if not number:
                    seeing.start()
                    with postgres.admin() as admin:
                        wait_until(lambda: is_queued(admin), "the other transaction waits for the seats")
        seeing.join()
        assert not failed
        assert [(seat.visible_turn, seat.last_seen_at) for seat in store.all()[0].seats] == [(1, 8.0), (1, 7.0)]
        engine.dispose()
