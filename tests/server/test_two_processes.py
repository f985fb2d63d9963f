"""Two processes at one database: whoever comes second is told so, and writes nothing."""

from dataclasses import replace

import pytest
from sqlalchemy import Engine

from almunia.server.database import connect
from almunia.server.store import ACT, PERSON, Entry, Seat, StaleError, Store, Table


@pytest.fixture
def engines(tmp_path):
    """Two connections to one database, as two processes would have them."""
    url = f"sqlite:///{tmp_path / 'almunia.sqlite'}"
    made = [connect(url), connect(url)]
    yield made
    for engine in made:
        engine.dispose()


def test_the_second_of_two_writers_is_refused(engines: list[Engine]):
    first, second = (Store(engine) for engine in engines)
    seats = (Seat(PERSON, "guest", "Ana"),)
    table = first.open(Table("t", "orchard", 1, "hash", {}, 1, seats, "guest", 0))
    read = second.find("t")
    assert read == table
    first.append(table, replace(table, turn=0), (Entry(0, ACT, 5, "five"),), [0])
    with pytest.raises(StaleError):
        second.append(read, replace(read, turn=0), (Entry(0, ACT, 7, "seven"),), [0])
    assert [entry.action for entry in second.entries(second.find("t"))] == [5]
    assert second.entries(read) == []  # as it was read, before the first had written
    assert second.find("t").version == 1
