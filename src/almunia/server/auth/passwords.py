"""Passwords: how they are checked, kept, and how often they may be tried."""

from hashlib import sha256
from hmac import digest
from secrets import token_urlsafe
from unicodedata import normalize

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from limits import RateLimitItem, parse
from limits.strategies import RateLimiter
from starlette.requests import Request

from ..errors import BadRequest, TooManyRequests
from ..networks import network_of

SHORTEST, LONGEST = 10, 200  # characters
VARIED = 5  # different characters, at least
ROUNDS = 2
TRIES = "10/15 minute"  # passwords that one account may be tried with, from one known device or from all unknown ones
FROM_HERE = "40/15 minute"  # that one network address may try, whatever accounts
TOO_MANY = (
    "Too many passwords were tried. Wait a quarter of an hour, or sign in by a passkey, by a link from a device that "
    "is signed in, or by setting a new password by mail."
)


class Passwords:
    """Hashes of passwords, which take as long whether there is anything to compare or not."""

    def __init__(self, memory: int) -> None:
        self._hasher = PasswordHasher(time_cost=ROUNDS, memory_cost=memory, parallelism=1)
        self._nothing = self._hasher.hash(token_urlsafe(32))

    def hash(self, password: str) -> str:
        """What is kept of a password."""
        return self._hasher.hash(normal(password))

    def fits(self, kept: str, password: str) -> bool:
        """Is it the password of which this is kept? Nothing fits where nothing is kept."""
        try:
            self._hasher.verify(kept or self._nothing, normal(password)[: 2 * LONGEST])
        except (Argon2Error, InvalidHashError):
            return False
        return bool(kept)


class LoginAttempts:
    """How often passwords may be tried: a stranger who tries many keeps nobody out who is known on their device."""

    def __init__(self, key: str, limiter: RateLimiter) -> None:
        self._key = key.encode()
        self._account, self._address = parse(TRIES), parse(FROM_HERE)
        self._limiter = limiter

    def hit(self, request: Request, account: str) -> None:
        """Count one more try for whatever an account is called; TooManyRequests if that is more than there may be."""
        mark = self.mark(account)
        device = request.session.get("devices", {}).get(mark, "a stranger")
        self.hit_address(request)
        self._hit(self._account, mark, device)

    def hit_address(self, request: Request) -> None:
        """Count one more try for an address alone; TooManyRequests if that is more than there may be.

        So it is done where everybody tries the same password: else a stranger's tries would keep out all newcomers.
        """
        self._hit(self._address, "address", network_of(request))

    def _hit(self, rate: RateLimitItem, kind: str, who: str) -> None:
        if not self._limiter.hit(rate, kind, who):
            raise TooManyRequests(TOO_MANY, 60)

    def mark(self, account: str) -> str:
        """What a cookie says instead of the name of an account."""
        return digest(self._key, account.encode(), sha256).hex()[:22]


def normal(password: str) -> str:
    """A password as it is compared, however the keyboard has put its letters together."""
    return normalize("NFKC", password).encode(errors="replace").decode()  # halves of letters are none


def checked_password(password: str, twice: str, *known: str) -> str:
    """A new password; BadRequest, with status 422, if it is none to rely on, or was not typed the same way twice."""
    if len(normal(password)) < SHORTEST:
        raise BadRequest(
            f"A password needs at least {SHORTEST} characters. A few words in a row are easy to keep.", 422
        )
    if len(normal(password)) > LONGEST:
        raise BadRequest(f"A password may have at most {LONGEST} characters.", 422)
    if len(set(password)) < VARIED:
        raise BadRequest("This password repeats very few characters. Please choose one that is harder to guess.", 422)
    if any(password.lower() in (one.lower(), one.lower().partition("@")[0]) for one in known if one):
        raise BadRequest("A password must not be your name or address. Please choose another one.", 422)
    if password != twice:
        raise BadRequest("The two passwords are not the same. Please type them again.", 422)
    return password
