"""Storages for rate limits, which all processes of a site share.

With SQLite there is one process, which counts in memory. In PostgreSQL each count is a row: `limits` has no storage for
SQL, and limits of each process alone would multiply with the processes.
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

SWEEP = 60.0  # seconds between two times at which what is over is forgotten
HITS = schema.hits.c
FRESH, OVER = insert(schema.hits), HITS.until <= bindparam("now")
COUNT_ON = FRESH.on_conflict_do_update(
    index_elements=[HITS.key],
    set_={
        "count": case((OVER, FRESH.excluded.count), else_=HITS.count + FRESH.excluded.count),
        "until": case((OVER, FRESH.excluded.until), else_=HITS.until),
    },
).returning(HITS.count, func.set_config("synchronous_commit", "off", True))  # a count that is lost harms nobody


def limiter(engine: Engine, key: str, clock: Clock = SYSTEM_CLOCK) -> RateLimiter:
    """What counts, for the processes that use this database; `key` is the site's own."""
    if is_shared(engine):
        return FixedWindowRateLimiter(DatabaseStorage(engine, key, clock))
    return MovingWindowRateLimiter(BoundedMemoryStorage(clock))


class BoundedMemoryStorage(Storage, MovingWindowSupport):
    """Keeps the times of recent hits in memory.

    Replaces `limits.storage.MemoryStorage`, which scans all keys in a thread of its own after each hit. With 10,000
    keys and 50 hits a second that takes 25% of a core; this takes 1%.
    """

    STORAGE_SCHEME = None  # it is reached by no address

    def __init__(self, clock: Clock = SYSTEM_CLOCK) -> None:
        super().__init__()
        self._clock, self._lock, self._swept = clock, Lock(), clock.now()
        self._moments: dict[str, deque[float]] = {}
        self._longest: dict[str, int] = {}  # seconds for which they count

    @property
    def base_exceptions(self) -> tuple[()]:
        """Nothing can go wrong."""
        return ()

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count on, unless that were more than the limit within these seconds; says whether it was counted."""
        with self._lock:
            now = self._clock.now()
            if now - self._swept >= SWEEP:
                self._sweep(now)
            moments = self._moments.setdefault(key, deque())
            self._longest[key] = expiry
            forget(moments, now - expiry)
            if len(moments) + amount > limit:
                return False
            moments.extend([now] * amount)
            return True

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        """When the first of these seconds was that counts still, and how much was done since then."""
        with self._lock:
            now = self._clock.now()
            moments = self._moments.get(key, deque())
            forget(moments, now - expiry)
            return (moments[0] if moments else now), len(moments)

    def _sweep(self, now: float) -> None:
        self._swept = now
        for key, moments in list(self._moments.items()):
            forget(moments, now - self._longest[key])
            if not moments:
                del self._moments[key], self._longest[key]

    def check(self) -> bool:
        """Can be counted at all?"""
        return True

    def reset(self) -> int:
        """Forget all; returns of how many keys anything was known."""
        with self._lock:
            known = len(self._moments)
            self._moments.clear()
            self._longest.clear()
            return known

    def clear(self, key: str) -> None:
        """Forget what was done under one key."""
        with self._lock:
            self._moments.pop(key, None)
            self._longest.pop(key, None)

    def incr(self, key: str, expiry: int, amount: int = 1) -> NoReturn:
        """Only moments are kept here, and no counts."""
        raise TypeError("Moments are kept here, and no counts.")

    get = get_expiry = incr  # type: ignore[assignment]


def forget(moments: deque[float], until: float) -> None:
    """Forget what was done before then."""
    while moments and moments[0] < until:
        moments.popleft()


class DatabaseStorage(Storage):
    """Keeps counts in PostgreSQL. Each starts again at 1 when its time is up."""

    STORAGE_SCHEME = None  # it is reached by no address

    def __init__(self, engine: Engine, key: str, clock: Clock = SYSTEM_CLOCK) -> None:
        super().__init__()
        self._clock, self._key = clock, f"counts {key}".encode()
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")  # each statement stands by itself

    @property
    def base_exceptions(self) -> type[Exception]:
        """What goes wrong where the database is away."""
        return SQLAlchemyError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count on; returns the sum."""
        now = self._clock.now()
        given = {"key": self.hidden(key), "count": amount, "until": now + expiry, "now": now}
        with self._engine.connect() as db:
            return int(db.execute(COUNT_ON, given).scalar_one())

    def get(self, key: str) -> int:
        """The sum so far."""
        with self._engine.connect() as db:
            wanted = select(HITS.count).where(HITS.key == self.hidden(key), HITS.until > self._clock.now())
            return db.execute(wanted).scalar() or 0

    def get_expiry(self, key: str) -> float:
        """When it is counted anew."""
        with self._engine.connect() as db:
            return db.execute(select(HITS.until).where(HITS.key == self.hidden(key))).scalar() or self._clock.now()

    def check(self) -> bool:
        """Can be counted at all?"""
        return self.get("") == 0

    def reset(self) -> int:
        """Forget all; returns how many counts there were."""
        with self._engine.begin() as db:
            return db.execute(delete(schema.hits)).rowcount

    def clear(self, key: str) -> None:
        """Forget one count."""
        with self._engine.begin() as db:
            db.execute(delete(schema.hits).where(HITS.key == self.hidden(key)))

    def hidden(self, key: str) -> str:
        """Return what stands in the database for a key, which may hold an address of mail or of the network.

        Without the site's key nobody can try all addresses of IPv4 until a hash is found.
        """
        return hmac.new(self._key, key.encode(), sha256).hexdigest()
