"""The page of an account: ways to sign in, sessions, and changes to them."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..auth import one_time_links
from ..auth.accounts import lock_account, update_account
from ..auth.api_tokens import ApiTokens
from ..auth.passwords import validate_password
from ..auth.services import Accounts
from ..clock import Clock, format_ago
from ..errors import Conflict, Forbidden, NotFound, RequestError
from ..mail import validate_address
from ..notifications.services import Notifications
from ..settings import Settings
from .forms import SEE_OTHER, FormFields
from .login import MergeResult
from .middleware.authentication import account_of, require_login, require_recent_login
from .routing import Router
from .templating import render

router = Router(prefix="/account")
NO_STORE = {"Cache-Control": "no-store"}
CONFIRMATION_FAILED = "This is not your password. Please try again."
DONE_MESSAGES = {
    "out": "You are signed out.",
    "password": "Your password was changed, and all other sessions were ended.",
    "reset": "Your password was changed, and all other sessions were ended. Passkeys, tokens and alerts stay: "
    "please look them through, and remove what you don't know.",
    "sessions": "All other sessions were ended.",
    "session": "This session was ended.",
    "passkey": "Your passkey is ready. You can sign in with it from now on.",
    "renamed": "Your passkey was renamed.",
    "removed": "Your passkey was removed.",
    "proved": "Thank you. For ten minutes you can change everything here.",
    "mail": "This address belongs to your account now.",
    "half": "This address has agreed. Now open the link in the mail to the other one.",
    "made": "Your account is ready, and your games are in it.",
    "in": "You are signed in.",
    "deleted": "Everything about you was deleted.",
}


@dataclass(frozen=True)
class AccountPage:
    """Renders the page of an account."""

    settings: Settings
    clock: Clock
    accounts: Accounts
    notifications: Notifications
    tokens: ApiTokens

    def render(self, request: Request, status: int = 200, **facts: Any) -> Response:
        """Render the page, with what was done or is wrong."""
        account, session = require_login(request)
        shown = {
            **dict.fromkeys(("done", "wrong", "field", "mail", "link", "link_about"), ""),
            "arrival": MergeResult(),
            **facts,
        }
        shown["done"] = DONE_MESSAGES.get(shown["done"], "")
        now = self.clock.now()
        shown |= {
            "fresh": session.is_confirmed(now),
            "passkeys": [
                (one, format_age(now, one.made), format_age(now, one.used))
                for one in self.accounts.passkeys.for_guest(account.guest)
            ],
            "sessions": [
                (one, format_age(now, one.made), format_age(now, one.seen))
                for one in self.accounts.sessions.for_guest(account.guest)
            ],
            "here": session.id,
            "programs": len(self.tokens.for_guest(account.guest)),
            "alerts": len(self.notifications.channels.for_guest(account.guest)),
            "mailed": bool(self.settings.smtp),
            "inviting": self.settings.invite_only,
        }
        return render(request, "account.html", status, NO_STORE, **shown)

    def render_error(self, request: Request, field: str, error: RequestError, **facts: Any) -> Response:
        """Render the page, with what is wrong in one of its forms."""
        if account_of(request) is None:
            raise error
        return self.render(request, error.status, field=field, wrong=str(error), **facts)


def format_age(now: float, moment: float | None) -> str:
    """Return the time since a moment, in words."""
    return "never" if moment is None else format_ago(now - moment)


def redirect_done(what: str) -> Response:
    """Redirect to the page, with the message for what was done."""
    return RedirectResponse(f"/account?done={what}", SEE_OTHER)


@router.post("/prove")
def confirm_by_password(request: Request, accounts: Accounts, account_page: AccountPage, form: FormFields) -> Response:
    """Confirm the visitor's identity by the password."""
    account, session = require_login(request)
    try:
        accounts.login_attempts.consume(request, account.mail or account.guest)
        if not accounts.passwords.verify(account.password, form.text("password")):
            raise Forbidden(CONFIRMATION_FAILED, 422)
    except RequestError as error:
        return account_page.render_error(request, "prove", error)
    accounts.sessions.confirm(session)
    return redirect_done("proved")


@router.post("/password")
def set_password(request: Request, accounts: Accounts, account_page: AccountPage, form: FormFields) -> Response:
    """Set another password, and end all other sessions."""
    try:
        account = require_recent_login(request)
        if not account.mail:
            raise Forbidden("A password needs an email address, by which it can be reset. Please add one first.")
        new = validate_password(form.text("password"), form.text("twice"), account.name, account.mail)
    except RequestError as error:
        return account_page.render_error(request, "password", error)
    _, session = require_login(request)
    hashed = accounts.passwords.hash(new)
    with accounts.repository.engine.begin() as db:
        lock_account(db, account.guest)
        update_account(db, account.guest, password=hashed)
        one_time_links.revoke(
            db,
            account.guest,
            one_time_links.RESET,
            one_time_links.DEVICE,
            one_time_links.OLD_MAIL,
            one_time_links.NEW_MAIL,
        )
    accounts.sessions.end_others(account.guest, session.id)
    accounts.emails.send_security_notice(account.mail, "The password of your account on Almunia was changed.")
    return redirect_done("password")


@router.post("/mail")
def request_email_change(
    request: Request, settings: Settings, accounts: Accounts, account_page: AccountPage, form: FormFields
) -> Response:
    """Send links to the old and the new email address. When both are opened, the new one replaces the old one."""
    try:
        account = require_recent_login(request)
        if not settings.smtp:
            raise Conflict("This site can't send mail, so accounts have no address here.")
        mail = validate_address(form.text("mail"))
        accounts.email_limit.consume(request)
    except RequestError as error:
        return account_page.render_error(request, "mail", error, mail=form.text("mail"))
    with accounts.repository.engine.begin() as db:
        one_time_links.revoke(db, account.guest, one_time_links.OLD_MAIL, one_time_links.NEW_MAIL)
    accounts.emails.send_email_change(account, mail)
    both = f"Mails are on their way to {account.mail} and to {mail}. Open the links in both."
    alone = f"A mail is on its way to {mail}. Open the link in it."
    return account_page.render(request, link_about=both if account.mail else alone, field="mail")


@router.post("/device")
def create_device_link(request: Request, settings: Settings, accounts: Accounts, account_page: AccountPage) -> Response:
    """Show a new link that signs another device in. It is shown once."""
    return show_new_link(
        request,
        settings,
        accounts,
        account_page,
        one_time_links.DEVICE,
        "Open it on the other device within ten minutes. It works once.",
    )


@router.post("/invitation")
def create_invitation(request: Request, settings: Settings, accounts: Accounts, account_page: AccountPage) -> Response:
    """Show a new link that admits one visitor to a closed site. It is shown once."""
    if not settings.invite_only:
        raise NotFound("This site is open, so its visitors need no invitation.")
    return show_new_link(
        request,
        settings,
        accounts,
        account_page,
        one_time_links.INVITE,
        "It admits the first visitor who opens it. It works for a week.",
    )


def show_new_link(
    request: Request, settings: Settings, accounts: Accounts, account_page: AccountPage, kind: str, about: str
) -> Response:
    """Render the page with a new link."""
    try:
        account = require_recent_login(request) if kind == one_time_links.DEVICE else require_login(request)[0]
        accounts.email_limit.consume(request)
    except RequestError as error:
        return account_page.render_error(request, kind, error)
    written = accounts.links.create(kind, account.guest)
    address = settings.address or f"{request.url.scheme}://{request.url.netloc}"
    return account_page.render(request, link=f"{address}/account/link/{written}", link_about=about, field=kind)


@router.post("/sessions/others/end")
def end_other_sessions(request: Request, accounts: Accounts) -> Response:
    """End all sessions but this one."""
    account, session = require_login(request)
    accounts.sessions.end_others(account.guest, session.id)
    revoke_links(accounts, account.guest)
    return redirect_done("sessions")


@router.post("/sessions/{session_id}/end")
def end_session(request: Request, accounts: Accounts, session_id: str) -> Response:
    """End one session."""
    account, _ = require_login(request)
    if not accounts.sessions.end(account.guest, session_id):
        raise NotFound("There is no such session any more.")
    revoke_links(accounts, account.guest)
    return redirect_done("session")


def revoke_links(accounts: Accounts, guest: str) -> None:
    """Revoke the links that a session may have created before it ended."""
    with accounts.repository.engine.begin() as db:
        one_time_links.revoke(db, guest, one_time_links.DEVICE, one_time_links.OLD_MAIL, one_time_links.NEW_MAIL)
