"""The page of an account: ways to sign in, sessions, and changes to them."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..auth import one_time_links
from ..auth.accounts import lock_account, update_account
from ..auth.api_tokens import ApiTokens
from ..auth.one_time_links import DEVICE, INVITE, NEW_MAIL, OLD_MAIL, RESET
from ..auth.passwords import validate_password
from ..auth.services import Accounts
from ..clock import Clock, format_ago
from ..errors import Conflict, Forbidden, NotFound, RequestError
from ..mail import validate_address
from ..notifications.services import Notifications
from ..settings import Settings
from .forms import FormFields, redirect
from .middleware.authentication import account_of, require_login, require_recent_login
from .routing import FormPage, Router, shows_errors
from .templating import NO_STORE, render

router = Router(prefix="/account")
CONFIRMATION_FAILED = "This is not your password. Please try again."
DONE_MESSAGES = {
    "out": "You are signed out.",
    "password": "Your password was changed, and all other sessions were ended.",
    "reset": "Your password was changed, and all other sessions were ended. Your passkeys, tokens and alerts "
    "still work. Please remove those that you don't recognise.",
    "sessions": "All other sessions were ended.",
    "session": "This session was ended.",
    "passkey": "Your passkey is ready. You can sign in with it from now on.",
    "renamed": "Your passkey was renamed.",
    "removed": "Your passkey was removed.",
    "proved": "Thank you. You can change how you sign in for the next ten minutes.",
    "mail": "This address belongs to your account now.",
    "half": "This address is confirmed. Now open the link in the email to the other address.",
    "made": "Your account is ready, and your games are in it.",
    "in": "You are signed in.",
    "deleted": "Everything about you was deleted.",
}


@dataclass(frozen=True)
class AccountPage(FormPage):
    request: Request
    settings: Settings
    clock: Clock
    accounts: Accounts
    notifications: Notifications
    tokens: ApiTokens
    form: FormFields

    def render(self, status: int = 200, **facts: Any) -> Response:
        """Render the page of the account; Unauthorized for a guest."""
        account, session = require_login(self.request)
        guest, now = account.guest, self.clock.now()
        shown: dict[str, Any] = dict.fromkeys(("done", "wrong", "field", "mail", "link", "link_about"), "")
        passkeys, sessions = self.accounts.passkeys.for_guest(guest), self.accounts.sessions.for_guest(guest)
        shown["passkeys"] = [
            (one, format_age(now, one.created_at), format_age(now, one.last_used_at)) for one in passkeys
        ]
        shown["sessions"] = [
            (one, format_age(now, one.created_at), format_age(now, one.last_seen_at)) for one in sessions
        ]
        shown |= {"programs": len(self.tokens.for_guest(guest)), "here": session.id, "arrival": None}
        shown |= {"alerts": len(self.notifications.channels.for_guest(guest)), "fresh": session.is_confirmed(now)}
        shown |= {"mailed": bool(self.settings.smtp), "inviting": self.settings.invite_only, **facts}
        return render(self.request, "account.html", status, NO_STORE, **shown)

    def render_error(self, where: str, error: RequestError) -> Response:
        """Render the page with an error in the form `where`; raise the error again if the visitor has no account."""
        if account_of(self.request) is None:
            raise error
        return self.render(error.status, field=where, wrong=str(error), mail=self.form.text("mail"))

    def render_link(self, kind: str, about: str) -> Response:
        account, _ = require_login(self.request)
        self.accounts.email_limit.consume(self.request)
        link = self.accounts.links.create(kind, account.guest)
        address = self.settings.address or f"{self.request.url.scheme}://{self.request.url.netloc}"
        return self.render(link=f"{address}/account/link/{link}", link_about=about, field=kind)


def format_age(now: float, moment: float | None) -> str:
    return "never" if moment is None else format_ago(now - moment)


@router.post("/confirm-identity")
@shows_errors("prove")
def confirm_by_password(page: AccountPage, accounts: Accounts) -> Response:
    account, session = require_login(page.request)
    accounts.login_attempts.consume(page.request, account.mail or account.guest)
    if not accounts.passwords.verify(account.password, page.form.text("password")):
        raise Forbidden(CONFIRMATION_FAILED, 422)
    accounts.sessions.confirm(session)
    return redirect("/account?done=proved")


@router.post("/password")
@shows_errors("password")
def set_password(page: AccountPage, accounts: Accounts) -> Response:
    """Set a new password, revoke links, and end all other sessions."""
    account = require_recent_login(page.request)
    if not account.mail:
        raise Forbidden("You need an email address to reset a password. Please add one first.")
    password = validate_password(page.form.text("password"), page.form.text("twice"), account.name, account.mail)
    hashed = accounts.passwords.hash(password)
    with accounts.repository.engine.begin() as db:
        lock_account(db, account.guest)
        update_account(db, account.guest, password=hashed)
        one_time_links.revoke(db, account.guest, RESET, DEVICE, OLD_MAIL, NEW_MAIL)
    _, session = require_login(page.request)
    accounts.sessions.end_others(account.guest, session.id)
    accounts.emails.send_security_notice(account.mail, "The password for your Almunia account was changed.")
    return redirect("/account?done=password")


@router.post("/mail")
@shows_errors("mail")
def request_email_change(page: AccountPage, accounts: Accounts) -> Response:
    """Queue emails about a change of address, to the new address and to the old one if there is one."""
    account = require_recent_login(page.request)
    if not page.settings.smtp:
        raise Conflict("This site can't send email, so you can't add or change an email address.")
    mail = validate_address(page.form.text("mail"))
    accounts.email_limit.consume(page.request)
    with accounts.repository.engine.begin() as db:
        one_time_links.revoke(db, account.guest, OLD_MAIL, NEW_MAIL)
    accounts.emails.send_email_change(account, mail)
    both = f"We've sent emails to {account.mail} and {mail}. Open the links in both."
    alone = f"We've sent an email to {mail}. Open the link in it."
    return page.render(link_about=both if account.mail else alone, field="mail")


@router.post("/device")
@shows_errors(DEVICE)
def create_device_link(page: AccountPage) -> Response:
    require_recent_login(page.request)
    return page.render_link(DEVICE, "Open this link on the other device within ten minutes. It works once.")


@router.post("/invitation")
@shows_errors(INVITE)
def create_invitation(page: AccountPage) -> Response:
    """Show a new link that admits one visitor to an invite-only site."""
    if not page.settings.invite_only:
        raise NotFound("This site is open to everyone, so visitors don't need an invitation.")
    return page.render_link(INVITE, "This link lets in the first person who opens it. It works for a week.")


@router.post("/sessions/others/end")
def end_other_sessions(request: Request, accounts: Accounts) -> Response:
    account, session = require_login(request)
    accounts.sessions.end_others(account.guest, session.id)
    revoke_links(accounts, account.guest)
    return redirect("/account?done=sessions")


@router.post("/sessions/{session_id}/end")
def end_session(request: Request, accounts: Accounts, session_id: str) -> Response:
    account, _ = require_login(request)
    if not accounts.sessions.end(account.guest, session_id):
        raise NotFound("This session has already ended.")
    revoke_links(accounts, account.guest)
    return redirect("/account?done=session")


def revoke_links(accounts: Accounts, guest: str) -> None:
    """Revoke a guest's device links and changes of address, which an ended session may have requested."""
    with accounts.repository.engine.begin() as db:
        one_time_links.revoke(db, guest, DEVICE, OLD_MAIL, NEW_MAIL)
