"""The services of notifications."""

from collections.abc import Callable
from concurrent.futures import Executor

from sqlalchemy import Engine

from ..clock import Clock
from ..mail import Mailer
from ..rate_limits import RateLimit
from ..settings import Settings
from ..storage.rate_limits import RateLimiter
from ..tables.model import Table
from ..tables.presence import Presence
from ..tables.repository import TableRepository
from .channels import ChannelRepository
from .dispatcher import NotificationDispatcher
from .transports import Transports

TEST_RATE = "10/hour"  # test messages of a guest
TOO_MANY_TESTS = "You have sent too many test messages. Please try again later."


class Notifications:
    """Channels, transports, and the job that sends notifications."""

    def __init__(
        self,
        engine: Engine,
        key: str,
        settings: Settings,
        mailer: Mailer,
        store: TableRepository,
        presence: Presence,
        limiter: RateLimiter,
        clock: Clock,
        executor: Executor,
        *,
        interval_seconds: float,
        may_meet: Callable[[Table, str], bool],
    ) -> None:
        address, self.channels = settings.address, ChannelRepository(engine, clock)
        self.transports = Transports(key, mailer, address, allow_private=settings.allow_private_addresses)
        self.dispatcher = NotificationDispatcher(
            self.channels, self.transports, store, presence, key, address, clock, executor, interval_seconds, may_meet
        )
        self.test_limit = RateLimit(TEST_RATE, TOO_MANY_TESTS, "alerts", limiter)
