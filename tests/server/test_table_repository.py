"""The table repository: it reads what it has written, and refuses the second of two writers."""

from dataclasses import replace

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from almunia.server.storage.database import open_migrated
from almunia.server.tables.model import FINISHED, MOVE, OPEN, PERSON, PLAYER_JOINED, Seat, StaleError, Table, TableEvent
from almunia.server.tables.repository import TableRepository


@pytest.fixture
def engines(tmp_path, database):
    """Yield two engines on one database, as two processes have them."""
    url = database or f"sqlite:///{tmp_path / 'almunia.sqlite'}"
    made = [open_migrated(url), open_migrated(url)]
    yield made
    for engine in made:
        engine.dispose()


def test_the_second_of_two_writers_is_refused(engines: list[Engine]):
    first, second = (TableRepository(engine) for engine in engines)
    seats = (Seat(PERSON, "guest", "Ana"),)
    table = first.create(Table("t", "orchard", 1, "hash", {}, 1, seats, "guest", 0))
    read = second.find("t")
    assert read == table
    first.append(table, replace(table, turn=0), (TableEvent(0, MOVE, 5, "five"),), [0])
    with pytest.raises(StaleError):
        second.append(read, replace(read, turn=0), (TableEvent(0, MOVE, 7, "seven"),), [0])
    assert [entry.action for entry in second.events(second.find("t"))] == [5]
    assert second.events(read) == []  # as of the version that was read, before the first repository wrote
    assert second.find("t").version == 1


def test_an_entry_changes_its_own_table_and_its_own_seats(engines: list[Engine]):
    writing, reading = (TableRepository(engine) for engine in engines)
    seats = tuple(Seat(OPEN, "", "") for _ in range(3))
    mine, other = (
        writing.create(Table(name, "orchard", 1, "hash", {}, 1, seats, "guest", 0)) for name in ("mine", "other")
    )
    taken = (mine.seats[0], Seat(PERSON, "guest", "Ana", visible_turn=1), mine.seats[2])
    after = writing.append(mine, replace(mine, seats=taken, turn=1), (TableEvent(1, PLAYER_JOINED, None, "Ana"),), [1])
    assert (reading.find("mine"), reading.find("other")) == (after, other)
    assert [seat.last_visible_change for seat in after.seats] == [mine.created_at, after.changed_at, mine.created_at]
    over = replace(after, status=FINISHED, result=(1, 0, 0))
    over = writing.append(after, over, (TableEvent(0, MOVE, 5, "five"),), [0, 1, 2])
    assert (reading.find("mine"), reading.find("other")) == (over, other)


def test_outages_are_visible_to_all_repositories(engines: list[Engine]):
    first, second = (TableRepository(engine) for engine in engines)
    first.record_heartbeat(1_234.5)
    second.record_heartbeat(1_250.0)
    assert first.outages() == []
    first.record_heartbeat(1_400.0)
    assert second.outages() == [(1_250.0, 1_400.0)]


def test_database_errors_hide_parameters(engines: list[Engine]):
    """Errors are logged, and parameters can hold names, mail addresses and links."""
    with pytest.raises(DBAPIError) as fault, engines[0].connect() as db:
        db.execute(text("SELECT word FROM nothing WHERE word = :secret"), {"secret": "ana@example.org"})
    assert "nothing" in str(fault.value)
    assert "ana" not in str(fault.value)
