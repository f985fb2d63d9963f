"""The guard: what every request must fulfil, and the headers that every answer carries."""

from collections.abc import Awaitable, Callable

from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .guests import guest_of
from .troubles import Forbidden, Malformed, TooMany, Trouble

READING = ("GET", "HEAD", "OPTIONS")
LARGEST = 64 * 1024  # bytes of a form
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "style-src-attr 'unsafe-inline'; "  # pictures move their pieces by a style attribute
    "img-src 'self' data:; connect-src 'self'; font-src 'none'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
Refusal = Callable[[Request, Trouble], Awaitable[Response]]


class Guard:
    """ASGI middleware: same origin, moderate rate and size for whatever changes something."""

    def __init__(self, app: ASGIApp, address: str, posts: str, refuse: Refusal) -> None:
        self._app, self._address, self._refuse, self._rate = app, address, refuse, parse(posts)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        request = Request(scope, receive)
        try:
            if request.method not in READING:
                self._check(request)
        except Trouble as trouble:
            response = await self._refuse(request, trouble)
            await response(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)

    def _check(self, request: Request) -> None:
        check_origin(request, self._address)
        length = request.headers.get("content-length", "")
        if not length.isdigit() or int(length) > LARGEST:
            raise Malformed(f"A form must say its length, and have at most {LARGEST} bytes.", status=413)
        address = request.client.host if request.client else ""
        for kind, who in (("address", address), ("guest", guest_of(request).id)):
            if who and not self._limiter.hit(self._rate, kind, who):
                raise TooMany(f"That was quicker than {self._rate}. Wait a moment, then go on.")


def check_origin(request: Request, address: str = "") -> None:
    """Forbidden unless a request comes from a page of this site."""
    origin = request.headers.get("origin", "")
    if not origin and request.headers.get("sec-fetch-site") == "same-origin":
        return
    own = address or f"{request.scope['scheme']}://{request.headers.get('host', '')}"
    if not origin or origin.lower() != own.lower():
        raise Forbidden("This request did not come from a page of this site, so nothing was done.")
