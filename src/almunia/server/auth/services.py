"""All that keeps accounts, put together."""

from dataclasses import dataclass
from typing import Self

from limits.strategies import RateLimiter
from sqlalchemy import Engine

from ..broker import Broker
from ..clock import Clock
from ..mail import Mailer
from ..rate_limits import RateLimit
from ..settings import Settings
from .accounts import AccountRepository
from .emails import AccountEmails
from .one_time_links import OneTimeLinks
from .passkeys import Passkeys
from .passwords import LoginAttempts, Passwords
from .sessions import Sessions

ASKED = "10/hour"  # mails about accounts that one guest may ask for


@dataclass(frozen=True)
class Accounts:
    """Who people are, and by what they prove it."""

    people: AccountRepository
    sessions: Sessions
    links: OneTimeLinks
    passkeys: Passkeys
    passwords: Passwords
    tries: LoginAttempts
    post: AccountEmails
    rate: RateLimit

    @classmethod
    def build(
        cls,
        engine: Engine,
        key: str,
        settings: Settings,
        mailer: Mailer,
        counting: RateLimiter,
        notifier: Broker,
        clock: Clock,
    ) -> Self:
        """As the settings want them."""
        people, links = AccountRepository(engine), OneTimeLinks(engine, clock)
        return cls(
            people=people,
            sessions=Sessions(engine, notifier, clock),
            links=links,
            passkeys=Passkeys(engine, links, clock),
            passwords=Passwords(settings.argon2_memory_kib),
            tries=LoginAttempts(key, counting),
            post=AccountEmails(mailer, people, links, settings.address, counting),
            rate=RateLimit(ASKED, "You have asked for many mails. Please try later.", "accounts", counting),
        )
