"""Storage for rate limits, which all processes of a site share.

With SQLite the only process counts in memory. In PostgreSQL each count is a row: the package `limits` has no storage
for SQL, and limits of single processes would add up.
"""

import hmac
from collections import deque
from hashlib import sha256
from threading import Lock
from typing import NoReturn

from limits.storage import MovingWindowSupport, Storage
from limits.strategies import FixedWindowRateLimiter, MovingWindowRateLimiter, RateLimiter
from sqlalchemy import Engine, bindparam, case, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError

from ..clock import SYSTEM_CLOCK, Clock
from . import schema
from .database import is_shared

SWEEP_SECONDS = 60.0  # between two deletions of expired hits
HITS = schema.hits.c
NEW_HITS, EXPIRED = insert(schema.hits), HITS.until <= bindparam("now")
COUNT_HITS = NEW_HITS.on_conflict_do_update(
    index_elements=[HITS.key],
    set_={
        "count": case((EXPIRED, NEW_HITS.excluded.count), else_=HITS.count + NEW_HITS.excluded.count),
        "until": case((EXPIRED, NEW_HITS.excluded.until), else_=HITS.until),
    },
).returning(HITS.count, func.set_config("synchronous_commit", "off", True))  # losing a count is harmless


def make_limiter(engine: Engine, key: str, clock: Clock = SYSTEM_CLOCK) -> RateLimiter:
    """Return the rate limiter for the processes of this database; `key` is the site's secret key."""
    if is_shared(engine):
        return FixedWindowRateLimiter(DatabaseStorage(engine, key, clock))
    return MovingWindowRateLimiter(BoundedMemoryStorage(clock))


class BoundedMemoryStorage(Storage, MovingWindowSupport):
    """Storage for the times of recent hits in memory.

    Replaces `limits.storage.MemoryStorage`, which scans all keys in a thread of its own after each hit. With 10,000
    keys and 50 hits a second that takes 25% of a core; this takes 1%.
    """

    STORAGE_SCHEME = None  # it is reached by no address

    def __init__(self, clock: Clock = SYSTEM_CLOCK) -> None:
        super().__init__()
        self._clock, self._lock, self._swept_at = clock, Lock(), clock.now()
        self._hit_times: dict[str, deque[float]] = {}
        self._expiry_seconds: dict[str, int] = {}  # by key

    @property
    def base_exceptions(self) -> tuple[()]:
        """No exceptions."""
        return ()

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count hits, unless they exceed the limit within `expiry` seconds; return whether they were counted."""
        with self._lock:
            now = self._clock.now()
            if now - self._swept_at >= SWEEP_SECONDS:
                self._sweep(now)
            moments = self._hit_times.setdefault(key, deque())
            self._expiry_seconds[key] = expiry
            drop_before(moments, now - expiry)
            if len(moments) + amount > limit:
                return False
            moments.extend([now] * amount)
            return True

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        """Return the time of the first hit in the window, and the number of hits since then."""
        with self._lock:
            now = self._clock.now()
            moments = self._hit_times.get(key, deque())
            drop_before(moments, now - expiry)
            return (moments[0] if moments else now), len(moments)

    def _sweep(self, now: float) -> None:
        self._swept_at = now
        for key, moments in list(self._hit_times.items()):
            drop_before(moments, now - self._expiry_seconds[key])
            if not moments:
                del self._hit_times[key], self._expiry_seconds[key]

    def check(self) -> bool:
        """Return whether the storage works."""
        return True

    def reset(self) -> int:
        """Delete all hits; return the number of keys."""
        with self._lock:
            known = len(self._hit_times)
            self._hit_times.clear()
            self._expiry_seconds.clear()
            return known

    def clear(self, key: str) -> None:
        """Delete the hits of a key."""
        with self._lock:
            self._hit_times.pop(key, None)
            self._expiry_seconds.pop(key, None)

    def incr(self, key: str, expiry: int, amount: int = 1) -> NoReturn:
        """Raise TypeError: this storage has times, not counts."""
        raise TypeError("This storage has times of hits, not counts.")

    get = get_expiry = incr  # type: ignore[assignment]


def drop_before(moments: deque[float], until: float) -> None:
    """Remove the times before a moment."""
    while moments and moments[0] < until:
        moments.popleft()


class DatabaseStorage(Storage):
    """Storage for counts in PostgreSQL. Each count starts again at 1 when it has expired."""

    STORAGE_SCHEME = None  # it is reached by no address

    def __init__(self, engine: Engine, key: str, clock: Clock = SYSTEM_CLOCK) -> None:
        super().__init__()
        self._clock, self._key = clock, f"counts {key}".encode()
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")  # no transactions

    @property
    def base_exceptions(self) -> type[Exception]:
        """The exceptions when the database is away."""
        return SQLAlchemyError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Add to a count, and return the sum."""
        now = self._clock.now()
        given = {"key": self.hash_key(key), "count": amount, "until": now + expiry, "now": now}
        with self._engine.connect() as db:
            return int(db.execute(COUNT_HITS, given).scalar_one())

    def get(self, key: str) -> int:
        """Return a count."""
        with self._engine.connect() as db:
            wanted = select(HITS.count).where(HITS.key == self.hash_key(key), HITS.until > self._clock.now())
            return db.execute(wanted).scalar() or 0

    def get_expiry(self, key: str) -> float:
        """Return when a count expires."""
        with self._engine.connect() as db:
            return db.execute(select(HITS.until).where(HITS.key == self.hash_key(key))).scalar() or self._clock.now()

    def check(self) -> bool:
        """Return whether the storage works."""
        return self.get("") == 0

    def reset(self) -> int:
        """Delete all counts, and return their number."""
        with self._engine.begin() as db:
            return db.execute(delete(schema.hits)).rowcount

    def clear(self, key: str) -> None:
        """Delete a count."""
        with self._engine.begin() as db:
            db.execute(delete(schema.hits).where(HITS.key == self.hash_key(key)))

    def hash_key(self, key: str) -> str:
        """Return the hash that is stored for a key, which may hold an email or network address.

        It depends on the site's secret key: else all IPv4 addresses could be tried until a hash matches.
        """
        return hmac.new(self._key, key.encode(), sha256).hexdigest()
