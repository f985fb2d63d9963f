"""The components for accounts: sign-in, sessions, links and emails."""

from sqlalchemy import Engine

from ..broker import Broker
from ..clock import Clock
from ..mail import Mailer
from ..rate_limits import RateLimit
from ..settings import Settings
from ..storage.rate_limits import RateLimiter
from .accounts import AccountRepository
from .emails import AccountEmails
from .one_time_links import OneTimeLinks
from .passkeys import Passkeys
from .passwords import LoginAttempts, Passwords
from .sessions import Sessions

EMAIL_REQUEST_RATE = "10/hour"  # emails about accounts that a guest may request
TOO_MANY_EMAILS = "You have asked for too many emails. Please try again later."


class Accounts:
    """Accounts, and the ways to sign in to them."""

    def __init__(
        self,
        engine: Engine,
        key: str,
        settings: Settings,
        mailer: Mailer,
        limiter: RateLimiter,
        broker: Broker,
        clock: Clock,
    ) -> None:
        self.repository, self.sessions = AccountRepository(engine), Sessions(engine, broker, clock)
        self.links = OneTimeLinks(engine, clock)
        self.passkeys, self.passwords = Passkeys(engine, self.links, clock), Passwords(settings.argon2_memory_kib)
        self.login_attempts = LoginAttempts(key, limiter)
        self.emails = AccountEmails(mailer, self.repository, self.links, settings.address, limiter)
        self.email_limit = RateLimit(EMAIL_REQUEST_RATE, TOO_MANY_EMAILS, "accounts", limiter)
