"""Pages to sign in, to sign up, and to enter a site with a password."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..auth.accounts import Account, normalize_email
from ..auth.api_tokens import ApiTokens
from ..auth.services import Accounts
from ..auth.site_access import UNLOCKED_KEY, SiteAccess
from ..errors import BadRequest, Conflict, RequestError, Unavailable
from ..mail import validate_address
from ..settings import Settings
from ..tables.service import TableService
from ..users.visitors import current_visitor, ensure_visitor
from .account import DONE_MESSAGES, AccountPage
from .forms import SEE_OTHER, FormFields, local_path
from .login import Login, MergeResult
from .middleware.authentication import SESSION_ENDED_KEY, account_of, profile_of
from .routing import Router
from .templating import render

router = Router()
NO_STORE = {"Cache-Control": "no-store"}
WRONG_SIGN_IN = "This address and password don't belong together. Please check both."
NEEDS_PASSKEY = "This site can't send mail, so accounts need a passkey here."
UNLOCK_FAILED = "This is not the password of this site."


@dataclass(frozen=True)
class SignInPage:
    """Renders the page on which visitors sign in and up."""

    settings: Settings
    tables: TableService
    accounts: Accounts
    tokens: ApiTokens

    def render(self, request: Request, status: int = 200, back: str = "/", **facts: Any) -> Response:
        """Render the page, with what is wrong in one of its forms."""
        shown = {"mail": "", "new_mail": "", "wrong": "", "wrong_new": "", "wrong_passkey": "", "done": "", **facts}
        shown["mailed"] = bool(self.settings.smtp)
        shown["passwords"] = shown["mailed"] or self.accounts.repository.has_passwords()
        known = current_visitor(request).id
        shown["games"] = len(self.tables.store.for_guest(known)) if known else 0
        shown["programs"] = bool(known and self.tokens.for_guest(known))
        answer = render(request, "sign_in.html", status, NO_STORE, back=local_path(back), **shown)
        request.session.pop(SESSION_ENDED_KEY, None)
        return answer


@router.get("/account")
def show_account(
    request: Request,
    account_page: AccountPage,
    sign_in_page: SignInPage,
    back: str = "/",
    done: str = "",
    came: int = 0,
    left: int = 0,
    rated: int = 0,
) -> Response:
    """Render the page of the visitor's account, or the one to sign in and up."""
    if account_of(request):
        return account_page.render(request, done=done, arrival=MergeResult(*(max(0, n) for n in (came, left, rated))))
    return sign_in_page.render(request, back=back, done=DONE_MESSAGES.get(done, ""))


@router.post("/account/sign-in")
def sign_in(request: Request, accounts: Accounts, login: Login, sign_in_page: SignInPage, form: FormFields) -> Response:
    """Sign in by mail address and password. Every failure has the same text and takes the same time."""
    mail, back = form.text("mail").strip()[:254], form.text("back", "/")
    try:
        accounts.login_attempts.consume(request, normalize_email(mail))
    except RequestError as error:
        return sign_in_page.render(request, error.status, back, mail=mail, wrong=str(error))
    found = accounts.repository.find_by_email(mail) if mail.isprintable() else None
    if not accounts.passwords.verify(found.password if found else "", form.text("password")) or found is None:
        return sign_in_page.render(request, 422, back, mail=mail, wrong=WRONG_SIGN_IN)
    return redirect_signed_in(login.sign_in(request, found), back)


def redirect_signed_in(came: MergeResult, back: str) -> Response:
    """Redirect to the page from which the visitor came, or to the one that lists the merged games."""
    if came.query:
        return RedirectResponse(f"/account?{urlencode(came.query)}", SEE_OTHER)
    return RedirectResponse(local_path(back), SEE_OTHER)


@router.post("/account/sign-out")
def sign_out(request: Request, login: Login) -> Response:
    """Sign out on this device."""
    login.sign_out(request)
    return RedirectResponse("/account?done=out", SEE_OTHER)


@router.post("/account/sign-up")
def sign_up(
    request: Request, settings: Settings, accounts: Accounts, sign_in_page: SignInPage, form: FormFields
) -> Response:
    """Send an email, whether or not the address has an account: a link to sign up or a notice."""
    try:
        mail = check_email_request(request, settings, accounts, form.text("mail"))
    except RequestError as error:
        return sign_in_page.render(request, error.status, new_mail=form.text("mail"), wrong_new=str(error))
    guest = ensure_visitor(request)
    accounts.emails.send_sign_up(mail, guest.id, *profile_of(request.session))
    return render_sent(request, mail, "Open it in this browser or in any other one. There you choose a password.")


@router.get("/account/reset")
def show_reset_form(request: Request, settings: Settings) -> Response:
    """Render the form that asks for a new password."""
    return render_reset(request, settings)


@router.post("/account/reset")
def request_reset(request: Request, settings: Settings, accounts: Accounts, form: FormFields) -> Response:
    """Send a link to set a new password, if the address has an account. The response does not show it."""
    try:
        mail = check_email_request(request, settings, accounts, form.text("mail"))
    except RequestError as error:
        return render_reset(request, settings, error.status, form.text("mail"), str(error))
    accounts.emails.send_reset(mail)
    return render_sent(request, mail, "It comes if there is an account with this address, and works for an hour.")


def render_reset(request: Request, settings: Settings, status: int = 200, mail: str = "", wrong: str = "") -> Response:
    """Render the page, with the error."""
    return render(request, "password_reset.html", status, NO_STORE, mail=mail, wrong=wrong, mailed=bool(settings.smtp))


def render_sent(request: Request, mail: str, about: str) -> Response:
    """Render the page that says that a mail is on its way."""
    return render(request, "email_sent.html", 200, NO_STORE, mail=mail, about=about)


def check_email_request(request: Request, settings: Settings, accounts: Accounts, mail: str) -> str:
    """Return the address for an email about accounts; RequestError if the site may not send one there now."""
    if not settings.smtp:
        raise Conflict(NEEDS_PASSKEY)
    mail = validate_address(mail)
    accounts.email_limit.consume(request)
    return mail


# --- a site with a password -------------------------------------------------------------------------


@router.get("/enter")
def show_site_password(request: Request, settings: Settings, back: str = "/") -> Response:
    """Render the form for the password of the site."""
    return render_site_password(request, settings, back)


@router.post("/enter")
def unlock_site(
    request: Request, settings: Settings, accounts: Accounts, access: SiteAccess, form: FormFields
) -> Response:
    """Admit the visitor if the password of the site is right."""
    back = form.text("back", "/")
    try:
        if not settings.password:
            raise BadRequest("This site has no password.", 404)
        accounts.login_attempts.consume_address(request)
        if not access.is_password(form.text("password")):
            raise BadRequest(UNLOCK_FAILED, 422)
    except RequestError as error:
        return render_site_password(request, settings, back, str(error), error.status)
    request.session[UNLOCKED_KEY] = access.password_token()
    return RedirectResponse(local_path(back), SEE_OTHER)


def render_site_password(
    request: Request, settings: Settings, back: str, wrong: str = "", status: int = 200
) -> Response:
    """Render the page, with the error."""
    facts = {"back": local_path(back), "wrong": wrong, "protected": bool(settings.password)}
    return render(request, "unlock.html", status, NO_STORE, **facts)


def require_account(accounts: Accounts, guest: str) -> Account:
    """Return the account of a guest; Unavailable if it was deleted during the request."""
    account = accounts.repository.get(guest)
    if account is None:
        raise Unavailable("This account has just been deleted.")
    return account
