"""Passwords: rules, hashes, and limits on attempts."""

from hashlib import sha256
from hmac import digest
from secrets import token_urlsafe
from unicodedata import normalize

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from limits import RateLimitItem, parse
from starlette.requests import Request

from ..errors import BadRequest, TooManyRequests
from ..networks import network_of
from ..storage.rate_limits import RateLimiter

MIN_LENGTH, MAX_LENGTH = 10, 200  # characters
MIN_DISTINCT_CHARACTERS = 5  # different characters, at least
RATE_PER_ACCOUNT = "10/15 minute"  # attempts from each known device, and from all unknown devices together
RATE_PER_NETWORK = "40/15 minute"  # attempts at any accounts
TOO_MANY_ATTEMPTS = (
    "Too many wrong passwords. Wait 15 minutes, sign in with a passkey or with a link from a device where "
    "you're signed in, or set a new password by email."
)


class Passwords:
    """Hashes and verifies passwords. Verification takes as long without an account as with one."""

    def __init__(self, memory: int) -> None:
        self._hasher = PasswordHasher(time_cost=2, memory_cost=memory, parallelism=1)
        self._unknown_hash = self._hasher.hash(token_urlsafe(32))

    def hash(self, password: str) -> str:
        return self._hasher.hash(normalize_password(password))

    def verify(self, kept: str, password: str) -> bool:
        """Whether a password has this hash. No password has the empty hash."""
        try:
            self._hasher.verify(kept or self._unknown_hash, normalize_password(password)[: 2 * MAX_LENGTH])
        except (Argon2Error, InvalidHashError):
            return False
        return bool(kept)


class LoginAttempts:
    """Limits password attempts by account and network. Each known device of an account has a separate limit."""

    def __init__(self, key: str, limiter: RateLimiter) -> None:
        self._key = key.encode()
        self._account, self._address = parse(RATE_PER_ACCOUNT), parse(RATE_PER_NETWORK)
        self._limiter = limiter

    def consume(self, request: Request, account: str) -> None:
        """Count an attempt at an account, which need not exist; TooManyRequests above a limit."""
        mark = self.account_key(account)
        device = request.session.get("devices", {}).get(mark, "a stranger")
        self.consume_address(request)
        self._consume(self._account, mark, device)

    def consume_address(self, request: Request) -> None:
        """Count an attempt of a network; TooManyRequests above the limit."""
        self._consume(self._address, "address", network_of(request))

    def _consume(self, rate: RateLimitItem, kind: str, who: str) -> None:
        if not self._limiter.hit(rate, kind, who):
            raise TooManyRequests(TOO_MANY_ATTEMPTS, 60)

    def account_key(self, account: str) -> str:
        """Return the keyed hash by which a cookie names an account."""
        return digest(self._key, account.encode(), sha256).hex()[:22]


def normalize_password(password: str) -> str:
    """Return a password in Unicode form NFKC: keyboards compose letters in different ways."""
    return normalize("NFKC", password).encode(errors="replace").decode()  # replaces lone surrogates


def validate_password(password: str, twice: str, *known: str) -> str:
    """Return a new password; BadRequest with status 422 if it breaks a rule or differs from `twice`."""
    if len(normalize_password(password)) < MIN_LENGTH:
        raise BadRequest(
            f"A password needs at least {MIN_LENGTH} characters. A few words in a row are easy to remember.", 422
        )
    if len(normalize_password(password)) > MAX_LENGTH:
        raise BadRequest(f"A password can have at most {MAX_LENGTH} characters.", 422)
    if len(set(password)) < MIN_DISTINCT_CHARACTERS:
        raise BadRequest("This password repeats very few characters. Please choose one that is harder to guess.", 422)
    if any(password.lower() in (one.lower(), one.lower().partition("@")[0]) for one in known if one):
        raise BadRequest("A password can't be your name or address. Please choose another one.", 422)
    if password != twice:
        raise BadRequest("The two passwords are not the same. Please type them again.", 422)
    return password
