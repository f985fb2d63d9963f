"""How often somebody has done something, counted for all processes of a site together.

With SQLite there is one process, which counts in memory. In PostgreSQL each count is a row that is added to.
"""

from hashlib import sha256

from limits.storage import MemoryStorage, Storage
from limits.strategies import FixedWindowRateLimiter, MovingWindowRateLimiter, RateLimiter
from sqlalchemy import Engine, bindparam, case, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError

from .. import times
from . import schema
from .database import is_shared

HITS = schema.hits.c
FRESH, OVER = insert(schema.hits), HITS.until <= bindparam("now")
COUNT_ON = FRESH.on_conflict_do_update(
    index_elements=[HITS.key],
    set_={
        "count": case((OVER, FRESH.excluded.count), else_=HITS.count + FRESH.excluded.count),
        "until": case((OVER, FRESH.excluded.until), else_=HITS.until),
    },
).returning(HITS.count, func.set_config("synchronous_commit", "off", True))  # a count that is lost harms nobody


def limiter(engine: Engine) -> RateLimiter:
    """What counts, for the processes that use this database."""
    return FixedWindowRateLimiter(Counts(engine)) if is_shared(engine) else MovingWindowRateLimiter(MemoryStorage())


class Counts(Storage):
    """Counts in the database, each begun anew when its time is up."""

    STORAGE_SCHEME = None  # it is reached by no address

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")  # each statement stands by itself

    @property
    def base_exceptions(self) -> type[Exception]:
        """What goes wrong where the database is away."""
        return SQLAlchemyError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count on; returns the sum."""
        now = times.now()
        given = {"key": hidden(key), "count": amount, "until": now + expiry, "now": now}
        with self._engine.connect() as db:
            return int(db.execute(COUNT_ON, given).scalar_one())

    def get(self, key: str) -> int:
        """The sum so far."""
        with self._engine.connect() as db:
            return db.execute(select(HITS.count).where(HITS.key == hidden(key), HITS.until > times.now())).scalar() or 0

    def get_expiry(self, key: str) -> float:
        """When it is counted anew."""
        with self._engine.connect() as db:
            return db.execute(select(HITS.until).where(HITS.key == hidden(key))).scalar() or times.now()

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
            db.execute(delete(schema.hits).where(HITS.key == hidden(key)))


def hidden(key: str) -> str:
    """What stands in the database for a key, which may hold an address of mail or of the network."""
    return sha256(key.encode()).hexdigest()
