"""Access to a private site: who may enter, and which paths are open to all visitors."""

from collections.abc import Awaitable, Callable
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ....errors import AlmuniaError
from ...auth.site_access import INVITED_KEY, SITE_CLOSED, SiteAccess
from ...errors import RequestError, Unauthorized
from ...lobby.invitations import Invitations
from ...tables.model import OPEN
from ...tables.service import TableService
from .authentication import account_of

# Open to all visitors of a private site: files, health, signing in, the page on privacy, and links in mails.
OPEN_PATHS = {
    "/health",
    "/health/ready",
    "/manifest.webmanifest",  # browsers fetch it without cookies
    "/privacy",
    "/unlock",
    "/account",
    "/account/sign-in",
    "/account/sign-out",
    "/account/reset",
    "/account/passkeys/options",
    "/account/passkeys/sign-in",
}
OPEN_FOLDERS = "/static/", "/account/link/", "/notifications/confirm/", "/notifications/stop/"
JOIN_FOLDER, API_FOLDER = "/join/", "/api/"
LOCKED_MESSAGE = "This site has a password. Enter it first."
CLOSED_API_MESSAGE = "This site is closed, so your program needs a token from an account."
Refusal = Callable[[Request, RequestError], Awaitable[Response]]


class SiteAccessMiddleware:
    """ASGI middleware of a private site: refuses requests of visitors without access.

    It redirects page requests to the page that asks for the password or for a sign-in.
    """

    def __init__(
        self, app: ASGIApp, access: SiteAccess, invitations: Invitations, tables: TableService, refuse: Refusal
    ) -> None:
        self._app, self._access, self._refuse = app, access, refuse
        self._invitations, self._tables = invitations, tables

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or await self._may_pass(Request(scope)):
            await self._app(scope, receive, send)
            return
        response = await self._refused(Request(scope))
        await response(scope, receive, send)

    async def _may_pass(self, request: Request) -> bool:
        path: str = request.scope["path"]
        if path.startswith(API_FOLDER):
            return await run_in_threadpool(self._access.admits_api_client, request.headers.get("authorization", ""))
        if path in OPEN_PATHS or path.startswith(OPEN_FOLDERS):
            return True
        if self._access.admits(account_of(request), request.session):
            return True
        if not self._access.has_password and path.startswith(JOIN_FOLDER):
            return await run_in_threadpool(self._is_invited, request, path.removeprefix(JOIN_FOLDER))
        return False

    def _is_invited(self, request: Request, invitation: str) -> bool:
        """Admit the session if an invitation leads to an open seat of a running game; return whether it does."""
        try:
            name, seat = self._invitations.parse(invitation)
            table = self._tables.get(name).table
            invited = table.seats[seat].kind == OPEN and not table.finished
        except (AlmuniaError, IndexError):
            return False
        if invited:
            request.session[INVITED_KEY] = True
        return invited

    async def _refused(self, request: Request) -> Response:
        path, locked = request.scope["path"], self._access.has_password
        if path.startswith(API_FOLDER):
            return await self._refuse(request, Unauthorized(CLOSED_API_MESSAGE))
        if request.method in ("GET", "HEAD"):
            return RedirectResponse(f"{'/unlock' if locked else '/account'}?back={quote(path)}", 303)
        return await self._refuse(request, Unauthorized(LOCKED_MESSAGE if locked else SITE_CLOSED))
