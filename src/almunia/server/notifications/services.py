"""All that tells those who are away, put together."""

from dataclasses import dataclass
from typing import Self

from limits.strategies import RateLimiter
from sqlalchemy import Engine

from ..clock import Clock
from ..mail import Mailer
from ..rate_limits import RateLimit
from ..settings import Settings
from ..tables.presence import Presence
from ..tables.repository import TableRepository
from .channels import ChannelRepository
from .dispatcher import NotificationDispatcher
from .transports import Transports

TESTS = "10/hour"  # test messages that a guest may have sent


@dataclass(frozen=True)
class Notifications:
    """The ways that people have chosen, and what sends by them."""

    ways: ChannelRepository
    senders: Transports
    herald: NotificationDispatcher
    rate: RateLimit

    @classmethod
    def build(
        cls,
        engine: Engine,
        key: str,
        settings: Settings,
        mailer: Mailer,
        store: TableRepository,
        presence: Presence,
        counting: RateLimiter,
        clock: Clock,
        *,
        interval_seconds: float,
    ) -> Self:
        """As the settings want them."""
        ways, senders = (
            ChannelRepository(engine, clock),
            Transports(key, mailer, settings.address, inside=settings.allow_private_addresses),
        )
        return cls(
            ways=ways,
            senders=senders,
            herald=NotificationDispatcher(
                ways, senders, store, presence, key, settings.address, clock, interval_seconds=interval_seconds
            ),
            rate=RateLimit(TESTS, "You have sent many test messages. Please try again later.", "alerts", counting),
        )
