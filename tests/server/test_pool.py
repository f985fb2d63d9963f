"""The pool of connections to PostgreSQL: none that has ended is used, and none that was just used is asked about it."""

import pytest
from sqlalchemy import create_engine, text

from almunia.server.addresses import parse_database_url
from almunia.server.storage import pool
from almunia.server.storage.database import connect, reading

from ..waiting import wait_until

WHO = text("SELECT pg_backend_pid()")


@pytest.fixture
def trust_seconds():
    """Return the seconds for which a silent connection counts as alive; tests may parametrize it."""
    return 20.0


@pytest.fixture
def engine(postgres, trust_seconds):
    """An engine with one connection, which was just used."""
    with postgres.database() as address:
        engine = create_engine(parse_database_url(address))
        pool.look_after(engine, trust_seconds=trust_seconds)
        number(engine)
        yield engine
        engine.dispose()


def number(engine):
    """By which the server knows the connection that is used now."""
    with reading(engine) as db:
        return db.execute(WHO).scalar_one()


def end(postgres, process):
    """Let the server end a connection, and wait until it has."""
    with postgres.admin() as admin:
        admin.execute("SELECT pg_terminate_backend(%s)", [process])
        alive = "SELECT 1 FROM pg_stat_activity WHERE pid = %s"
        wait_until(lambda: not admin.execute(alive, [process]).fetchone(), "the server has ended the connection")


def test_a_connection_that_was_just_used_is_not_asked(engine, monkeypatch):
    monkeypatch.setattr(pool, "ask", lambda _: pytest.fail("it was asked"))
    assert number(engine) == number(engine)


def test_one_that_the_server_has_ended_since_is_not_used(engine, postgres):
    was = number(engine)
    end(postgres, was)
    assert number(engine) != was


@pytest.mark.parametrize("trust_seconds", [0.0])
def test_one_that_was_idle_is_asked(engine, postgres, monkeypatch):
    """A network may lose it without a word."""
    monkeypatch.setattr(pool, "is_silent", lambda _: True)
    was = number(engine)
    assert number(engine) == was, "it lives"
    end(postgres, was)
    assert number(engine) != was


def test_the_connections_of_a_site_are_looked_after(postgres):
    with postgres.database() as address:
        engine = connect(address)
        was = number(engine)
        end(postgres, was)
        assert number(engine) != was
        engine.dispose()


def test_reading_takes_up_what_was_written_meanwhile(engine):
    """Else a connection could go on reading what was true when it was first used."""
    with reading(engine) as one:
        before = one.execute(text("SELECT count(*) FROM kept_word")).scalar_one()
        with engine.begin() as other:
            other.execute(text("INSERT INTO kept_word (name, word) VALUES ('a', 'b')"))
        assert one.execute(text("SELECT count(*) FROM kept_word")).scalar_one() == before + 1
