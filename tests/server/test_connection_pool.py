"""The pool of connections to PostgreSQL replaces those that the server has closed."""

import pytest
from sqlalchemy import text

from almunia.server.storage.database import open_migrated, read_connection

from ..waiting import wait_until

BACKEND = text("SELECT pg_backend_pid()")


@pytest.fixture
def engine(postgres):
    """Yield a site's engine with one connection, which was just used."""
    with postgres.database() as address:
        engine = open_migrated(address)
        backend_of(engine)
        yield engine
        engine.dispose()


def backend_of(engine):
    """Return the id of the server process behind the engine's connection."""
    with read_connection(engine) as db:
        return db.execute(BACKEND).scalar_one()


def terminate(postgres, backend):
    """Let the server end a connection, and wait until it has ended."""
    with postgres.admin() as admin:
        admin.execute("SELECT pg_terminate_backend(%s)", [backend])
        alive = "SELECT 1 FROM pg_stat_activity WHERE pid = %s"
        wait_until(lambda: not admin.execute(alive, [backend]).fetchone(), "the server has ended the connection")


def test_a_live_connection_is_reused(engine):
    assert backend_of(engine) == backend_of(engine)


def test_a_connection_closed_by_the_server_is_replaced(engine, postgres):
    ended = backend_of(engine)
    terminate(postgres, ended)
    assert backend_of(engine) != ended


def test_a_read_connection_sees_later_commits(engine):
    """A connection must not keep reading from an old snapshot."""
    with read_connection(engine) as one:
        before = one.execute(text("SELECT count(*) FROM site_setting")).scalar_one()
        with engine.begin() as other:
            other.execute(text("INSERT INTO site_setting (name, value) VALUES ('a', 'b')"))
        assert one.execute(text("SELECT count(*) FROM site_setting")).scalar_one() == before + 1
