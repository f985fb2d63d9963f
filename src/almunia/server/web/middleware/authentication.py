"""Who sends a request: a guest, or somebody who is signed in. A cookie that speaks for nobody any more is emptied."""

from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...auth.accounts import Account, AccountRepository
from ...auth.sessions import AuthContext, Session, Sessions
from ...auth.site_access import KNOCKED
from ...clock import Clock
from ...errors import Forbidden, Unauthorized
from ...services import service_of
from ...text_validation import face_of
from ...users.visitors import NAMELESS, PREFERENCES

SIGNED_IN = "in"  # under which the cookie has its session
BEFORE = "before"  # under which it has the guest who was here before, where games were left behind
KEPT = (*PREFERENCES, "hours")  # of what a cookie has, what an account keeps beside the name
ENDED = "ended"  # under which it has that its session was ended elsewhere, until somebody signs in or has read it
STAYING: tuple[str, ...] = ("theme", "colours", "motion", "size", "devices", KNOCKED)  # when somebody signs out
BARE = "/static/", "/api/"  # where cookies count for nothing
NOBODY = AuthContext()


class AuthenticationMiddleware:
    """ASGI middleware that looks up the sender of a cookie, and saves the preferences of accounts."""

    def __init__(self, app: ASGIApp, people: AccountRepository, sessions: Sessions) -> None:
        self._app, self._people, self._sessions = app, people, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with the standing of its sender; empty a cookie whose session has ended."""
        if scope["type"] != "http" or scope["path"].startswith(BARE):
            await self._app(scope, receive, send)
            return
        session = scope["session"]
        standing = await standing_of(session, self._sessions)
        if not standing.free or standing.account:
            if standing.account is None:
                end_session(session)
            else:
                take_over(session, standing.account)
        if standing.renamed and face_of(session.get("name", "")) == standing.renamed[0]:
            session["name"] = standing.renamed[1]
        scope["standing"] = standing
        await self._app(scope, receive, self._keeping(scope, standing, send))

    def _keeping(self, scope: Scope, before: AuthContext, send: Send) -> Send:
        """Return a `send` that saves the preferences of an account that a request has changed."""
        session, was = scope["session"], scope["session"].get(SIGNED_IN)

        async def keeping(message: Message) -> None:
            starts = message["type"] == "http.response.start"
            account = before.account if starts and session.get(SIGNED_IN) == was else None
            if account and chosen(session) != (account.name, account.preferences):
                await run_in_threadpool(self._people.keep, account.guest, *chosen(session))
                self._sessions.forget(account.guest)
            await send(message)

        return keeping


async def standing_of(cookie: Mapping[str, Any], sessions: Sessions, *, streaming: bool = False) -> AuthContext:
    """Return what is known of the sender of a cookie; a stream trusts what is cached for longer than a request."""
    guest, written = cookie.get("guest", ""), cookie.get(SIGNED_IN, "")
    if not guest:
        return NOBODY
    known = sessions.known(guest, written, streaming=streaming)
    return known if known is not None else await run_in_threadpool(sessions.look, guest, written)


async def has_ended(request: Request, sessions: Sessions) -> bool:
    """Whether the session with which a stream was opened has ended, or its guest has become an account since.

    Never where cookies count for nothing.
    """
    return "standing" in request.scope and not (await standing_of(request.session, sessions, streaming=True)).free


def take_over(session: dict[str, Any], account: Account) -> None:
    """Let a cookie have what the account keeps."""
    for name, value in {**account.preferences, "name": account.name}.items():
        if session.get(name) != value:
            session[name] = value


def sign_out(session: dict[str, Any]) -> None:
    """Let a cookie speak for nobody, or again for the guest who was here before whoever has signed in.

    What it says of the look stays, and which accounts are known on this device.
    """
    left = {name: session[name] for name in STAYING if name in session}
    if session.get(BEFORE):
        left["guest"] = session[BEFORE]
    session.clear()
    session.update(left)


def end_session(session: dict[str, Any]) -> None:
    """Let a cookie speak for nobody, since its session has ended; whoever was signed in will be told."""
    told = {ENDED: True} if session.get(SIGNED_IN) else {}
    sign_out(session)
    session.update(told)


def chosen(session: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """What somebody is called and how they like to play, as a cookie has it."""
    return session.get("name", NAMELESS), {name: session[name] for name in KEPT if name in session}


def account_of(connection: HTTPConnection) -> Account | None:
    """The account of whoever sends a request; None for a guest."""
    standing: AuthContext = connection.scope.get("standing", NOBODY)
    return standing.account


def signed_in(request: Request) -> tuple[Account, Session]:
    """Whoever is signed in; Unauthorized if nobody is."""
    standing: AuthContext = request.scope.get("standing", NOBODY)
    if standing.account is None or standing.session is None:
        raise Unauthorized("This is for people who are signed in. Please sign in first.")
    return standing.account, standing.session


def proved(request: Request) -> Account:
    """Whoever is signed in and has just shown who they are; Forbidden if that was longer ago."""
    account, session = signed_in(request)
    if not session.is_fresh(service_of(request, Clock).now()):
        raise Forbidden("Please confirm that it's you first: with your password or a passkey.")
    return account
