"""How often one guest, and one address on the network, may do what others hear of."""

from limits import RateLimitItem, parse
from limits.strategies import RateLimiter
from starlette.requests import Request

from .errors import TooManyRequests
from .networks import network_of
from .users.visitors import guest_of

MAILS = "10/day"  # that one guest may send; and that one address gets at most
SHARING = 4  # guests who may do so at the same time from one address


class RateLimit:
    """A limit for each guest, and a wider one for each address."""

    def __init__(self, rate: str, too_many: str, what: str, limiter: RateLimiter) -> None:
        self._guest = parse(rate)
        self._address = type(self._guest)(SHARING * self._guest.amount, self._guest.multiples)
        self._limiter, self._what = limiter, what
        self._too_many = too_many

    def hit(self, request: Request) -> None:
        """Count once more for whoever sends a request; TooManyRequests if that is more than they may."""
        self._hit(self._guest, "guest", guest_of(request).id)
        self._hit(self._address, "address", network_of(request))

    def hit_for(self, whom: str) -> None:
        """Count once more for somebody whom it concerns; TooManyRequests if that is more than they need bear."""
        self._hit(self._guest, "other", whom)

    def _hit(self, rate: RateLimitItem, kind: str, who: str) -> None:
        if who and not self._limiter.hit(rate, self._what, kind, who):
            raise TooManyRequests(self._too_many)


class MailRateLimit(RateLimit):
    """The limit on mails that guests have the site send to others."""

    def __init__(self, limiter: RateLimiter) -> None:
        too_many = "You have sent many invitations today. Please send the link yourself."
        super().__init__(MAILS, too_many, "mail", limiter)
