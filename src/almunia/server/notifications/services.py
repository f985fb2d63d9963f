"""The services of notifications."""

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

TEST_RATE = "10/hour"  # test messages of a guest


@dataclass(frozen=True)
class Notifications:
    """Channels, transports, and the job that sends notifications."""

    channels: ChannelRepository
    transports: Transports
    dispatcher: NotificationDispatcher
    test_limit: RateLimit

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
        """Build the services by the settings."""
        channels, transports = (
            ChannelRepository(engine, clock),
            Transports(key, mailer, settings.address, inside=settings.allow_private_addresses),
        )
        return cls(
            channels=channels,
            transports=transports,
            dispatcher=NotificationDispatcher(
                channels, transports, store, presence, key, settings.address, clock, interval_seconds=interval_seconds
            ),
            test_limit=RateLimit(
                TEST_RATE, "You have sent many test messages. Please try again later.", "alerts", counting
            ),
        )
