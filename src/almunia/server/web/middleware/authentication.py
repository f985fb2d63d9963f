"""Authentication: the guest or the account that sends a request. The cookie of an ended session is signed out."""

from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...auth.accounts import Account, AccountRepository
from ...auth.sessions import AuthContext, Session, Sessions
from ...auth.site_access import UNLOCKED_KEY
from ...clock import Clock
from ...errors import Forbidden, Unauthorized
from ...services import service_of
from ...text_validation import confusable_skeleton
from ...users.visitors import DEFAULT_NAME, PREFERENCES

SESSION_KEY = "session"  # the cookie's key of the session
FORMER_GUEST_KEY = "former_guest"  # the cookie's key of the guest before the sign-in, if games stayed with that guest
ACCOUNT_PREFERENCES = (*PREFERENCES, "hours")  # keys of a cookie that an account stores, besides the name
SESSION_ENDED_KEY = "session_ended"  # whether its session was ended elsewhere; removed when a page has said so
DEVICE_KEYS = "theme", "colours", "motion", "size", "devices", UNLOCKED_KEY  # that stay after signing out
COOKIELESS_FOLDERS = "/static/", "/api/"  # where cookies do not count
UNAUTHENTICATED = AuthContext()


class AuthenticationMiddleware:
    """ASGI middleware that looks up the sender of a cookie, and saves the preferences of accounts."""

    def __init__(self, app: ASGIApp, people: AccountRepository, sessions: Sessions) -> None:
        self._app, self._people, self._sessions = app, people, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(COOKIELESS_FOLDERS):
            await self._app(scope, receive, send)
            return
        session = scope["session"]
        auth_context = await authenticate(session, self._sessions)
        if auth_context.account:
            load_account(session, auth_context.account)
        elif not auth_context.guest_is_unclaimed:
            sign_out(session, ended=bool(session.get(SESSION_KEY)))
        if auth_context.replaced_name and confusable_skeleton(session.get("name", "")) == auth_context.replaced_name[0]:
            session["name"] = auth_context.replaced_name[1]
        scope["auth_context"] = auth_context
        await self._app(scope, receive, self._keeping(scope, auth_context, send))

    def _keeping(self, scope: Scope, before: AuthContext, send: Send) -> Send:
        """Return a `send` that saves the name and the preferences of an account if a request has changed them."""
        session, was = scope["session"], scope["session"].get(SESSION_KEY)

        async def keeping(message: Message) -> None:
            starts = message["type"] == "http.response.start"
            account = before.account if starts and session.get(SESSION_KEY) == was else None
            if account and profile_of(session) != (account.name, account.preferences):
                await run_in_threadpool(self._people.save_profile, account.guest, *profile_of(session))
                self._sessions.invalidate(account.guest)
            await send(message)

        return keeping


async def authenticate(cookie: Mapping[str, Any], sessions: Sessions, *, streaming: bool = False) -> AuthContext:
    """Return the context of a cookie. A stream trusts the cache for at least as long as a request."""
    guest, written = cookie.get("guest", ""), cookie.get(SESSION_KEY, "")
    if not guest:
        return UNAUTHENTICATED
    known = sessions.get_cached(guest, written, streaming=streaming)
    return known if known is not None else await run_in_threadpool(sessions.load, guest, written)


async def session_has_ended(request: Request, sessions: Sessions) -> bool:
    """Whether the cookie of a stream no longer authenticates its guest. Always False where cookies do not count."""
    if "auth_context" not in request.scope:
        return False
    return not (await authenticate(request.session, sessions, streaming=True)).guest_is_unclaimed


def load_account(session: dict[str, Any], account: Account) -> None:
    """Copy the name and the preferences of an account into a cookie."""
    for name, value in {**account.preferences, "name": account.name}.items():
        if session.get(name) != value:
            session[name] = value


def sign_out(session: dict[str, Any], *, ended: bool = False) -> None:
    """Empty a cookie, or return it to the former guest that it names.

    The keys in DEVICE_KEYS stay. If the session was `ended` elsewhere, the next page says so.
    """
    left = {name: session[name] for name in DEVICE_KEYS if name in session}
    if session.get(FORMER_GUEST_KEY):
        left["guest"] = session[FORMER_GUEST_KEY]
    session.clear()
    session.update(left | ({SESSION_ENDED_KEY: True} if ended else {}))


def profile_of(session: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Return the visitor's name and preferences, as a cookie stores them."""
    return session.get("name", DEFAULT_NAME), {name: session[name] for name in ACCOUNT_PREFERENCES if name in session}


def account_of(connection: HTTPConnection) -> Account | None:
    """Return the account that sends a request; None for a guest."""
    auth_context: AuthContext = connection.scope.get("auth_context", UNAUTHENTICATED)
    return auth_context.account


def require_login(request: Request) -> tuple[Account, Session]:
    """Return the account and the session of a request; Unauthorized for a guest."""
    auth_context: AuthContext = request.scope.get("auth_context", UNAUTHENTICATED)
    if auth_context.account is None or auth_context.session is None:
        raise Unauthorized("You need an account for this page. Please sign in first.")
    return auth_context.account, auth_context.session


def require_recent_login(request: Request) -> Account:
    """Return the account of a request; Unauthorized for a guest, Forbidden without a recent confirmation."""
    account, session = require_login(request)
    if not session.is_confirmed(service_of(request, Clock).now()):
        raise Forbidden("Please confirm that it's you first, with your password or a passkey.")
    return account
