"""Rate limits in the memory of a single process."""

from math import ceil
from random import Random
from types import SimpleNamespace

import pytest
from limits import parse
from limits.storage import MemoryStorage, memory
from limits.strategies import MovingWindowRateLimiter

from almunia.server.storage.rate_limits import SWEEP_SECONDS, MemoryRateLimiter

from ..clock import ManualClock

RATE = parse("5/minute")


@pytest.fixture
def moment(monkeypatch):
    """Return a clock that stands still, also for the module of the library."""
    clock = ManualClock(1000.0)
    monkeypatch.setattr(memory, "time", SimpleNamespace(time=clock.now))
    return clock


def test_the_rate_limiter_counts_as_the_library_does(moment):
    rng, hits = Random(1), []
    ours, theirs = MemoryRateLimiter(moment), MovingWindowRateLimiter(MemoryStorage())
    for _ in range(3000):
        moment.advance(rng.expovariate(1.0))
        rate, who = rng.choice([RATE, parse("3/second"), parse("20/2 minutes")]), rng.choice("abc")
        found = ours.hit(rate, "guest", who)
        assert found == theirs.hit(rate, "guest", who)
        wait = theirs.get_window_stats(rate, "guest", who).reset_time - moment.now()
        assert ours.wait_seconds(rate, "guest", who) == max(1, ceil(wait))
        hits.append(found)
    assert 0.2 < sum(hits) / len(hits) < 0.98, "some were refused"


def test_expired_hits_are_removed(moment):
    limiter = MemoryRateLimiter(moment)
    for number in range(500):
        limiter.hit(RATE, "guest", str(number))
    moment.advance(SWEEP_SECONDS + 1)
    limiter.hit(RATE, "guest", "another")
    assert len(limiter.hits) == 1


def test_hits_that_still_count_are_kept(moment):
    limiter, slow = MemoryRateLimiter(moment), parse("1/day")
    limiter.hit(slow, "a")
    moment.advance(SWEEP_SECONDS + 1)
    limiter.hit(RATE, "b")
    assert not limiter.hit(slow, "a")
