"""The poll for missed changes: one for all streams, which reads only what has changed."""

from contextlib import contextmanager
from traceback import walk_stack

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.exc import OperationalError

from almunia.server.background import PeriodicTask
from almunia.server.limits import Limits
from almunia.server.tables.model import REDACTED, TableEvent


@pytest.fixture
def limits():
    """Return limits without a pause between two polls."""
    return Limits(missed_change_seconds=0.0)


@pytest.fixture
def watched(visitor, stranger, monkeypatch):
    """Yield a site, a table of two that streams watch, and the list of the topics that were published."""
    site = visitor.app.state.site
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend"}).removeprefix("/table/")
    woken = []
    monkeypatch.setattr(site.broker, "publish_local", woken.append)
    with site.broker.subscribe(table, f"chat {table}", f"again {table}", "lobby"):
        yield site, table, woken


@contextmanager
def statements(engine):
    """Collect the statements that an engine runs during the block, except those of periodic tasks."""
    found = []

    def note(_connection, _cursor, statement, *_more):
        if not any(frame.f_code is PeriodicTask.run_once.__code__ for frame, _ in walk_stack(None)):
            found.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    yield found
    event.remove(engine, "before_cursor_execute", note)


def test_a_poll_without_changes_wakes_no_stream(watched):
    site, _, woken = watched
    with statements(site.engine) as asked:
        site.missed_changes.poll()
        site.missed_changes.poll()
    assert woken == []
    assert len(asked) == 4, "one for all tables and one for all rooms, each time"


@pytest.mark.parametrize("limits", [Limits(missed_change_seconds=60.0)], ids=[""])
def test_polls_are_rate_limited(watched):
    site, _, _ = watched
    site.missed_changes.poll()
    assert not site.missed_changes.is_due
    with statements(site.engine) as asked:
        site.missed_changes.poll()
    assert asked == []


def test_a_poll_finds_writes_of_another_process(watched):
    site, table, woken = watched
    known = site.tables.get_if_cached(table)
    site.tables.store.append(known.table, known.table, [TableEvent(0, REDACTED, created_at=1.0)], [])
    site.missed_changes.poll()
    assert woken == [table]
    assert site.tables.get_if_cached(table) is None, "it is read again"


def versions_asked(site, visitor, address, **headers):
    """Return how often a request reads the version of a table from the database."""
    with statements(site.engine) as asked:
        assert visitor.get(address, headers=headers).status_code == 200
    return sum("version" in one and one.lstrip().startswith("SELECT") for one in asked)


def test_fragments_come_from_the_cache_until_another_process_writes(watched, visitor):
    """With a shared database the version is always read, because the message of another process may come late."""
    site, table, _ = watched
    address, part = f"/table/{table}", {"HX-Request": "true"}
    whole = versions_asked(site, visitor, address)
    assert whole > 0
    assert versions_asked(site, visitor, address, **part) == (whole if site.tables.store.is_shared else 0)
    known = site.tables.get_if_cached(table)
    site.tables.store.append(known.table, known.table, [TableEvent(0, REDACTED, text="Ana", created_at=1.0)], [])
    site.missed_changes.poll()
    assert versions_asked(site, visitor, address, **part) > 0
    assert site.tables.get_if_cached(table).table.version == known.table.version + 1


@pytest.mark.parametrize("how", ["rewritten", "removed"])
def test_a_table_evicted_while_it_is_read_is_not_cached(how, watched, monkeypatch):
    """Otherwise the name of a deleted account would stay on pages."""
    site, table, _ = watched
    tables, keep = site.tables, site.tables._cache_state

    def meanwhile(state, told):
        if how == "rewritten":
            tables.evict(table)
        else:
            tables.remove(table, lambda: None)
        keep(state, told)

    monkeypatch.setattr(tables, "_cache_state", meanwhile)
    tables.get(table)
    assert tables.get_if_cached(table) is None


def test_a_poll_wakes_streams_of_a_room_with_new_messages(watched):
    site, table, woken = watched
    site.chat._write(table, "guest", "Ana", "Hello")
    woken.clear()
    site.missed_changes.poll()
    assert woken == [f"chat {table}"], "it may have been said after the streams had looked"
    site.missed_changes.poll()
    assert woken == [f"chat {table}"]


@pytest.mark.parametrize("limits", [Limits(missed_change_seconds=60.0)], ids=[""])
def test_a_failed_poll_is_due_again(watched):
    site, _, _ = watched
    site.missed_changes._polled_at = -60.0

    def fail(*_):
        raise OperationalError("SELECT", {}, OSError("gone"))

    event.listen(Engine, "before_cursor_execute", fail)
    with pytest.raises(OperationalError):
        site.missed_changes.poll()
    event.remove(Engine, "before_cursor_execute", fail)
    assert site.missed_changes.is_due
