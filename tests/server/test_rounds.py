"""What is done again and again: when it is done, and what is said where it fails."""

from queue import Queue

import pytest
from sqlalchemy.exc import OperationalError

from almunia.server.periodic import PeriodicTask

from ..waiting import TIMEOUT

NEVER = 3600.0  # seconds


@pytest.fixture
def going():
    """Starts rounds, and ends them."""
    started = []

    def start(work, every=NEVER):
        rounds = PeriodicTask("test", work, every, "Nothing is done")
        started.append(rounds)
        rounds.start()
        return rounds

    yield start
    for rounds in started:
        rounds.close()


def test_a_round_comes_by_the_clock(going):
    done = Queue()
    going(lambda: done.put(1), every=0.001)
    assert [done.get(timeout=TIMEOUT) for _ in range(3)] == [1, 1, 1]


def test_a_round_comes_when_it_is_rung_and_none_after_the_end(going):
    done = Queue()
    rounds = going(lambda: done.put(1))
    rounds.trigger()
    assert done.get(timeout=TIMEOUT) == 1
    assert not rounds.is_stopping
    rounds.close()
    assert rounds.is_stopping
    assert done.empty()


def test_what_fails_is_told_once_until_it_works_again(caplog):
    faults = [ValueError("odd"), ValueError("odd"), None, ValueError("odd")]

    def work():
        fault = faults.pop(0)
        if fault:
            raise fault

    rounds = PeriodicTask("test", work, NEVER, "Nothing is done")
    for _ in range(4):
        rounds.run_once()
    assert [record.getMessage() for record in caplog.records] == ["Nothing is done."] * 2
    assert all(record.exc_info for record in caplog.records)


def test_a_database_that_is_away_is_told_in_a_line(caplog):
    def work():
        raise OperationalError("SELECT", {}, Exception("gone"))

    PeriodicTask("test", work, NEVER, "Nothing is done").run_once()
    (record,) = caplog.records
    assert record.getMessage().startswith("Nothing is done: ")
    assert record.exc_info is None
