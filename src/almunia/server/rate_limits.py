"""Rate limits for guests, networks and recipients of emails."""

from limits import RateLimitItem, parse
from starlette.requests import Request

from .errors import TooManyRequests
from .networks import network_of
from .storage.rate_limits import RateLimiter
from .users.visitors import current_visitor

MAIL_RATE = "10/day"  # emails that a guest may send, and that an address may get
ADDRESS_FACTOR = 4  # guests behind one network address, each at the full rate


class RateLimit:
    """A limit for each guest, and a higher one for each network."""

    def __init__(self, rate: str, too_many: str, what: str, limiter: RateLimiter) -> None:
        self._guest = parse(rate)
        self._address = type(self._guest)(ADDRESS_FACTOR * self._guest.amount, self._guest.multiples)
        self._limiter, self._what = limiter, what
        self._too_many = too_many

    def consume(self, request: Request) -> None:
        """Count a request for its guest and its network; TooManyRequests above a limit."""
        self._consume(self._guest, "guest", current_visitor(request).id)
        self._consume(self._address, "address", network_of(request))

    def consume_for(self, whom: str) -> None:
        """Count a request for the recipient `whom`; TooManyRequests above the limit."""
        self._consume(self._guest, "other", whom)

    def _consume(self, rate: RateLimitItem, kind: str, who: str) -> None:
        if who and not self._limiter.hit(rate, self._what, kind, who):
            raise TooManyRequests(self._too_many)


class MailRateLimit(RateLimit):
    """The limit on emails that a guest causes, and that an address gets."""

    def __init__(self, limiter: RateLimiter) -> None:
        too_many = "You have sent too many invitations today. Please send the link yourself."
        super().__init__(MAIL_RATE, too_many, "mail", limiter)
