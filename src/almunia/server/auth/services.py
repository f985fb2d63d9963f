"""The services of accounts."""

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

EMAIL_REQUEST_RATE = "10/hour"  # emails about accounts that a guest may request


@dataclass(frozen=True)
class Accounts:
    """Accounts, and the ways to sign in to them."""

    repository: AccountRepository
    sessions: Sessions
    links: OneTimeLinks
    passkeys: Passkeys
    passwords: Passwords
    login_attempts: LoginAttempts
    emails: AccountEmails
    email_limit: RateLimit

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
        """Build the services by the settings."""
        people, links = AccountRepository(engine), OneTimeLinks(engine, clock)
        return cls(
            repository=people,
            sessions=Sessions(engine, notifier, clock),
            links=links,
            passkeys=Passkeys(engine, links, clock),
            passwords=Passwords(settings.argon2_memory_kib),
            login_attempts=LoginAttempts(key, counting),
            emails=AccountEmails(mailer, people, links, settings.address, counting),
            email_limit=RateLimit(
                EMAIL_REQUEST_RATE, "You have asked for many mails. Please try later.", "accounts", counting
            ),
        )
