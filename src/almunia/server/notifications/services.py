"""All that tells those who are away, put together."""

from dataclasses import dataclass
from typing import Self

from limits.strategies import RateLimiter
from sqlalchemy import Engine

from ..clock import Clock
from ..mail import Mailer
from ..rate_limits import Rate
from ..settings import Settings
from ..tables.presence import Presence
from ..tables.repository import Store
from .channels import Ways
from .dispatcher import Herald
from .transports import Senders

TESTS = "10/hour"  # test messages that a guest may have sent


@dataclass(frozen=True)
class Alerts:
    """The ways that people have chosen, and what sends by them."""

    ways: Ways
    senders: Senders
    herald: Herald
    rate: Rate

    @classmethod
    def build(
        cls,
        engine: Engine,
        key: str,
        settings: Settings,
        mailer: Mailer,
        store: Store,
        presence: Presence,
        counting: RateLimiter,
        clock: Clock,
        *,
        interval_seconds: float,
    ) -> Self:
        """As the settings want them."""
        ways, senders = Ways(engine, clock), Senders(key, mailer, settings.address, inside=settings.inside)
        return cls(
            ways=ways,
            senders=senders,
            herald=Herald(
                ways, senders, store, presence, key, settings.address, clock, interval_seconds=interval_seconds
            ),
            rate=Rate(TESTS, "You have sent many test messages. Please try again later.", "alerts", counting),
        )
