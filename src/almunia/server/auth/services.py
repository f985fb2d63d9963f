"""All that keeps accounts, put together."""

from dataclasses import dataclass
from typing import Self

from limits.strategies import RateLimiter
from sqlalchemy import Engine

from ..broker import Notifier
from ..clock import Clock
from ..mail import Mailer
from ..rate_limits import Rate
from ..settings import Settings
from .accounts import People
from .emails import Post
from .one_time_links import Links
from .passkeys import Passkeys
from .passwords import Passwords, Tries
from .sessions import Sessions

ASKED = "10/hour"  # mails about accounts that one guest may ask for


@dataclass(frozen=True)
class Accounts:
    """Who people are, and by what they prove it."""

    people: People
    sessions: Sessions
    links: Links
    passkeys: Passkeys
    passwords: Passwords
    tries: Tries
    post: Post
    rate: Rate

    @classmethod
    def build(
        cls,
        engine: Engine,
        key: str,
        settings: Settings,
        mailer: Mailer,
        counting: RateLimiter,
        notifier: Notifier,
        clock: Clock,
    ) -> Self:
        """As the settings want them."""
        people, links = People(engine), Links(engine, clock)
        return cls(
            people=people,
            sessions=Sessions(engine, notifier, clock),
            links=links,
            passkeys=Passkeys(engine, links, clock),
            passwords=Passwords(settings.hashing),
            tries=Tries(key, counting),
            post=Post(mailer, people, links, settings.address, counting),
            rate=Rate(ASKED, "You have asked for many mails. Please try later.", "accounts", counting),
        )
