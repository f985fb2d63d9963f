"""Rate limits, which all processes of a site share.

With SQLite, the serving process counts in memory. In PostgreSQL each count is a row, since limits of single processes
would add up. The package `limits` reads rates, but has no storage for SQL. The memory storage of `limits` scans all
keys in a thread after each hit: with 10,000 keys and 50 hits a second that takes 25% of a core, and this module takes
1%.
"""

import hmac
from abc import ABC, abstractmethod
from collections import deque
from hashlib import sha256
from math import ceil
from threading import Lock

from limits import RateLimitItem
from sqlalchemy import Engine, bindparam, case, func, select
from sqlalchemy.dialects.postgresql import insert

from ..clock import SYSTEM_CLOCK, Clock
from . import schema
from .database import is_shared

SWEEP_SECONDS = 60.0  # between two deletions of expired hits
HITS = schema.rate_limit.c
NEW_HITS, EXPIRED = insert(schema.rate_limit), HITS.expires_at <= bindparam("now")
COUNT_HITS = NEW_HITS.on_conflict_do_update(
    index_elements=[HITS.key],
    set_={
        "count": case((EXPIRED, NEW_HITS.excluded.count), else_=HITS.count + NEW_HITS.excluded.count),
        "expires_at": case((EXPIRED, NEW_HITS.excluded.expires_at), else_=HITS.expires_at),
    },
).returning(HITS.count, func.set_config("synchronous_commit", "off", True))  # losing a count is harmless


class RateLimiter(ABC):
    """Counts requests by rate and keys, such as a kind and a guest."""

    is_in_memory = True  # whether a hit waits for no database

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @abstractmethod
    def hit(self, rate: RateLimitItem, *keys: str) -> bool:
        """Return whether a request is within the rate. A request within the rate is counted."""

    def wait_seconds(self, rate: RateLimitItem, *keys: str) -> int:
        """Return the seconds to wait before the next request, at least 1."""
        return max(1, ceil(self._reset_time(rate.key_for(*keys), rate.get_expiry()) - self._clock.now()))

    @abstractmethod
    def _reset_time(self, key: str, seconds: int) -> float:
        """Return when the first counted request of a key expires; 0.0 for an unknown key."""


def make_limiter(engine: Engine, key: str, clock: Clock = SYSTEM_CLOCK) -> RateLimiter:
    """Return the rate limiter for the processes of this database; `key` is the site's secret key."""
    return DatabaseRateLimiter(engine, key, clock) if is_shared(engine) else MemoryRateLimiter(clock)


class MemoryRateLimiter(RateLimiter):
    """A moving window: the times of recent requests."""

    def __init__(self, clock: Clock = SYSTEM_CLOCK) -> None:
        super().__init__(clock)
        self._lock, self._swept_at = Lock(), clock.now()
        self.hits: dict[str, tuple[int, deque[float]]] = {}  # by key: seconds for which a request counts, and times

    def hit(self, rate: RateLimitItem, *keys: str) -> bool:
        """Count a request unless it exceeds the rate; return whether it is within the rate."""
        with self._lock:
            now = self._clock.now()
            if now - self._swept_at >= SWEEP_SECONDS:
                self._swept_at = now
                self.hits = {key: (kept, times) for key, (kept, times) in self.hits.items() if times[-1] >= now - kept}
            seconds, times = self.hits.setdefault(rate.key_for(*keys), (rate.get_expiry(), deque()))
            while times and times[0] < now - seconds:
                times.popleft()
            if len(times) >= rate.amount:
                return False
            times.append(now)
            return True

    def _reset_time(self, key: str, seconds: int) -> float:
        with self._lock:
            return self.hits[key][1][0] + seconds if key in self.hits else 0.0


class DatabaseRateLimiter(RateLimiter):
    """A fixed-window limiter with a row for each count. A request after the window has expired restarts the count."""

    is_in_memory = False

    def __init__(self, engine: Engine, key: str, clock: Clock = SYSTEM_CLOCK) -> None:
        super().__init__(clock)
        self._key = f"counts {key}".encode()
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")  # no transactions

    def hit(self, rate: RateLimitItem, *keys: str) -> bool:
        now = self._clock.now()
        given = {
            "key": self.hash_key(rate.key_for(*keys)),
            "count": 1,
            "expires_at": now + rate.get_expiry(),
            "now": now,
        }
        with self._engine.connect() as db:
            return int(db.execute(COUNT_HITS, given).scalar_one()) <= rate.amount

    def _reset_time(self, key: str, seconds: int) -> float:
        with self._engine.connect() as db:
            return db.execute(select(HITS.expires_at).where(HITS.key == self.hash_key(key))).scalar() or 0.0

    def hash_key(self, key: str) -> str:
        """Return the hash that is stored for a key, which may hold an email or network address.

        The hash depends on the site's secret key: else all IPv4 addresses could be tried until a hash matches.
        """
        return hmac.new(self._key, key.encode(), sha256).hexdigest()
