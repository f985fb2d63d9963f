"""The gate of a closed site: who may come in, and what is open to everybody all the same."""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from hmac import compare_digest, digest
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ...errors import AlmuniaError
from ..errors import RequestError, Unauthorized
from ..storage.store import OPEN
from .known import KNOCKED, account_of

if TYPE_CHECKING:
    from ..context import Site

# What is open to everybody at a closed site: files, whether it is well, signing in, what is kept of people, and links
# in mails.
OPEN_PATHS = {
    "/health",
    "/health/process",
    "/privacy",
    "/enter",
    "/account",
    "/account/sign-in",
    "/account/sign-out",
    "/account/reset",
    "/account/passkeys/ask",
    "/account/passkeys/sign-in",
}
OPEN_FOLDERS = "/static/", "/account/link/", "/alerts/confirm/", "/alerts/stop/"
JOINING, API = "/join/", "/api/"
ADMITTED = "admitted"  # under which the cookie has that somebody was invited
CLOSED = "This site is closed: sign in, or ask somebody here for an invitation."
LOCKED = "This site has a password. Enter it first."
NO_PROGRAM = "This site is closed, so a program needs the token of somebody with an account here."
Refusal = Callable[[Request, RequestError], Awaitable[Response]]


class Gate:
    """ASGI middleware that keeps strangers out of a closed site. An open one has none."""

    def __init__(self, app: ASGIApp, site: "Site", refuse: Refusal) -> None:
        self._app, self._site, self._refuse = app, site, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http" or await self._may_pass(Request(scope)):
            await self._app(scope, receive, send)
            return
        response = await self._refused(Request(scope))
        await response(scope, receive, send)

    async def _may_pass(self, request: Request) -> bool:
        path: str = request.scope["path"]
        if path.startswith(API):
            return await run_in_threadpool(program_may_pass, self._site, request.headers.get("authorization", ""))
        if path in OPEN_PATHS or path.startswith(OPEN_FOLDERS) or may_pass(self._site, request):
            return True
        if self._site.settings.invite_only and path.startswith(JOINING):
            return await run_in_threadpool(self._is_invited, request, path.removeprefix(JOINING))
        return False

    def _is_invited(self, request: Request, invitation: str) -> bool:
        """Does an invitation lead to a seat that is open, in a game that goes on? Then whoever has it is admitted."""
        try:
            name, seat = self._site.invitations.read(invitation)
            table = self._site.tables.snapshot(name).table
            invited = table.seats[seat].kind == OPEN and not table.finished
        except (AlmuniaError, IndexError):
            return False
        if invited:
            request.session[ADMITTED] = True
        return invited

    async def _refused(self, request: Request) -> Response:
        locked = bool(self._site.settings.password)
        if request.method in ("GET", "HEAD") and not request.scope["path"].startswith(API):
            back = quote(request.scope["path"])
            return RedirectResponse(f"/enter?back={back}" if locked else f"/account?back={back}", 303)
        sentence = NO_PROGRAM if request.scope["path"].startswith(API) else LOCKED if locked else CLOSED
        return await self._refuse(request, Unauthorized(sentence))


def may_pass(site: "Site", request: Request) -> bool:
    """May whoever sends a request come in, by an account, an invitation or the password of the site?"""
    if not site.settings.closed:
        return True
    if site.settings.password:
        said = request.session.get(KNOCKED, "")
        return isinstance(said, str) and compare_digest(said.encode(), knock(site).encode())
    return account_of(request) is not None or request.session.get(ADMITTED) is True


def program_may_pass(site: "Site", said: str) -> bool:
    """May a program come in, by its token?"""
    kind, _, written = said.partition(" ")
    token = site.tokens.find(written) if kind.lower() == "bearer" else None
    return token is not None and (bool(site.settings.password) or site.accounts.people.of(token.player) is not None)


def knock(site: "Site") -> str:
    """What the cookie of somebody has who knows the password of the site; with another password it holds no longer."""
    return digest(site.key.encode(), site.settings.password.encode(), sha256).hex()


def fits(site: "Site", said: str) -> bool:
    """Is this the password of the site?"""
    wanted, given = (sha256(word.encode(errors="replace")).digest() for word in (site.settings.password, said))
    return compare_digest(wanted, given)
