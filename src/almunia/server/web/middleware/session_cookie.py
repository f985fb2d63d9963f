"""The cookie that holds a session, signed by the site."""

from typing import Any

from itsdangerous import SignatureExpired, TimestampSigner
from starlette.middleware.sessions import SessionMiddleware
from starlette.types import ASGIApp

from ...clock import Clock


class SessionSigner(TimestampSigner):
    """Signs with the time of the site's clock, and accepts signatures from its future.

    A cookie comes from the future if a clock is set back, or if the clocks of several machines differ. A refused cookie
    would be replaced, and the guest would lose the only key to their seats.
    """

    def __init__(self, key: str, clock: Clock) -> None:
        super().__init__(key)
        self._clock = clock

    def get_timestamp(self) -> int:
        return int(self._clock.now())

    def unsign(self, signed_value: str | bytes, max_age: int | None = None, return_timestamp: bool = False) -> Any:
        """Return the signed value; BadSignature if it is not from this site, or older than `max_age` seconds."""
        value, signed = super().unsign(signed_value, return_timestamp=True)
        age = self.get_timestamp() - signed.timestamp()
        if max_age is not None and age > max_age:
            raise SignatureExpired(
                f"The signature is {age:.0f} seconds old, and is valid for {max_age}.", payload=value
            )
        return (value, signed) if return_timestamp else value


class SignedSessions(SessionMiddleware):
    """ASGI middleware for sessions in a cookie, signed by a `SessionSigner`."""

    def __init__(self, app: ASGIApp, signer: SessionSigner, *, session_cookie: str, max_age: int, secure: bool) -> None:
        super().__init__(app, "", session_cookie, max_age, same_site="lax", https_only=secure)
        self.signer = signer
