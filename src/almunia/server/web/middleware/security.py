"""Checks of requests that change something (origin, rate and size), and the security headers of every response."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hashlib import sha256

from limits import RateLimitItem, parse
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...errors import BadRequest, Forbidden, RequestError, TooManyRequests
from ...limits import DEFAULT_LIMITS
from ...networks import network_of
from ...storage.rate_limits import RateLimiter
from ...users.visitors import current_visitor

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
MAX_BODY_BYTES = 64 * 1024  # bytes of a form
CONTENT_LENGTH = re.compile(r"[0-9]{1,9}")
TOO_LARGE_MESSAGE = f"A request needs a Content-Length header, and can have at most {MAX_BODY_BYTES} bytes."
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "style-src-attr 'unsafe-inline'; "  # pictures place their pieces by style attributes
    "img-src 'self' data:; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
UNSUBSCRIBE_FOLDER = "/notifications/stop/"  # mail programs post there without a page; the address holds a secret
API_FOLDER = "/api/"  # authenticated by a token, never by a cookie, so no other site can act for a visitor
Refusal = Callable[[Request, RequestError], Awaitable[Response]]


def describe_rate(rate: RateLimitItem) -> str:
    """Describe a rate in words: `240 requests per minute`."""
    unit = rate.GRANULARITY.name
    return f"{rate.amount} requests per {unit if rate.multiples == 1 else f'{rate.multiples} {unit}s'}"


class SecurityMiddleware:
    """ASGI middleware: checks of requests that change something, and security headers."""

    def __init__(
        self,
        app: ASGIApp,
        address: str,
        posts: str,
        limiter: RateLimiter,
        refuse: Refusal,
        *,
        form_timeout_seconds: float = DEFAULT_LIMITS.form_timeout_seconds,
    ) -> None:
        self._form_timeout_seconds = form_timeout_seconds
        self._app, self._address, self._refuse, self._rate = app, address, refuse, parse(posts)
        self._limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        request = Request(scope, receive)
        body = None if request.method in SAFE_METHODS else LimitedBody(receive, self._form_timeout_seconds)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if body and not body.whole:
                    headers["Connection"] = "close"  # the rest is not read
            await send(message)

        try:
            if body:
                self._check(request)
                if self._limiter.is_in_memory:
                    self._count(request)
                else:
                    with suppress(SQLAlchemyError):  # without the database nothing can be changed
                        await run_in_threadpool(self._count, request)
        except RequestError as error:
            response = await self._refuse(request, error)
            await response(scope, receive, send_with_headers)
        else:
            await self._app(scope, body or receive, send_with_headers)

    def _check(self, request: Request) -> None:
        if not is_api(request) and not request.scope["path"].startswith(UNSUBSCRIBE_FOLDER):
            check_origin(request, self._address)
        nothing = "" if "transfer-encoding" in request.headers else "0"  # the length of a body without both headers
        length = request.headers.get("content-length", nothing)
        if not CONTENT_LENGTH.fullmatch(length) or int(length) > MAX_BODY_BYTES:
            raise BadRequest(TOO_LARGE_MESSAGE, status=413)

    def _count(self, request: Request) -> None:
        for kind, who in (("address", network_of(request)), sender_of(request)):
            if who and not self._limiter.hit(self._rate, kind, who):
                sentence = f"You're going too fast: at most {describe_rate(self._rate)}. Wait a moment, then try again."
                raise TooManyRequests(sentence, self._limiter.wait_seconds(self._rate, kind, who))


class LimitedBody:
    """The body of a request, limited in size and in time."""

    def __init__(self, receive: Receive, timeout_seconds: float) -> None:
        self._receive, self._size = receive, 0
        self._end = asyncio.get_running_loop().time() + timeout_seconds
        self.whole = False

    async def __call__(self) -> Message:
        """Return the next ASGI message; after the body, wait for the client's disconnection.

        Raise BadRequest with status 408 if the body is late, and with status 413 if it is too large.
        """
        if self.whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), self._end - asyncio.get_running_loop().time())
        except TimeoutError:
            raise BadRequest("The form did not arrive in time. Please send it again.", status=408) from None
        self._size += len(message.get("body", b""))
        if self._size > MAX_BODY_BYTES:
            raise BadRequest(TOO_LARGE_MESSAGE, status=413)
        self.whole = not message.get("more_body", False)
        return message


def is_api(request: Request) -> bool:
    path: str = request.scope["path"]
    return path.startswith(API_FOLDER)


def sender_of(request: Request) -> tuple[str, str]:
    """Return the kind and the id of a request's sender: an API token's hash, or the guest; empty if unknown."""
    if not is_api(request):
        return "guest", current_visitor(request).id
    said = request.headers.get("authorization", "")
    return "token", sha256(said.encode()).hexdigest() if said else ""


def check_origin(request: Request, address: str = "") -> None:
    """Raise Forbidden unless a request comes from a page of this site."""
    origin = request.headers.get("origin", "")
    if not origin and request.headers.get("sec-fetch-site") == "same-origin":
        return
    own = address or f"{request.scope['scheme']}://{request.headers.get('host', '')}"
    if not origin or origin.lower() != own.lower():
        raise Forbidden("This request did not come from a page of this site, so nothing was changed.")
