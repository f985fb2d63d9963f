"""The pages by which people sign in and up, and come into a site with a password."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..auth.accounts import Account, plain
from ..auth.api_tokens import ApiTokens
from ..auth.services import Accounts
from ..auth.site_access import KNOCKED, SiteAccess
from ..errors import BadRequest, Conflict, RequestError, Unavailable
from ..mail import checked_address
from ..settings import Settings
from ..tables.service import TableService
from ..users.visitors import guest_of, welcome
from . import account as security
from .account import AccountPage
from .forms import SEE_OTHER, FormFields, local_path
from .login import Login, MergeResult
from .middleware.authentication import SESSION_ENDED_KEY, account_of, profile_of
from .routing import Router
from .templating import render

router = Router()
ONCE = {"Cache-Control": "no-store"}
WRONG = "This address and password don't belong together. Please check both."
UNMAILED = "This site can't send mail, so accounts need a passkey here."
SITE_WRONG = "This is not the password of this site."


@dataclass(frozen=True)
class SignInPage:
    """Renders the page on which visitors sign in and up."""

    settings: Settings
    tables: TableService
    accounts: Accounts
    tokens: ApiTokens

    def show(self, request: Request, status: int = 200, back: str = "/", **facts: Any) -> Response:
        """Render the page, with what is wrong in one of its forms."""
        shown = {"mail": "", "new_mail": "", "wrong": "", "wrong_new": "", "wrong_passkey": "", "done": "", **facts}
        shown["mailed"] = bool(self.settings.smtp)
        shown["passwords"] = shown["mailed"] or self.accounts.people.any_password()
        known = guest_of(request).id
        shown["games"] = len(self.tables.store.for_guest(known)) if known else 0
        shown["programs"] = bool(known and self.tokens.of(known))
        answer = render(request, "sign_in.html", status, ONCE, back=local_path(back), **shown)
        request.session.pop(SESSION_ENDED_KEY, None)
        return answer


@router.get("/account")
def account(
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
        return account_page.show(request, done=done, arrival=MergeResult(*(max(0, n) for n in (came, left, rated))))
    return sign_in_page.show(request, back=back, done=security.DONE.get(done, ""))


@router.post("/account/sign-in")
def sign_in(request: Request, accounts: Accounts, login: Login, sign_in_page: SignInPage, form: FormFields) -> Response:
    """Sign in by mail address and password. Every failure has the same text and takes the same time."""
    mail, back = form.text("mail").strip()[:254], form.text("back", "/")
    try:
        accounts.tries.hit(request, plain(mail))
    except RequestError as error:
        return sign_in_page.show(request, error.status, back, mail=mail, wrong=str(error))
    found = accounts.people.with_mail(mail) if mail.isprintable() else None
    if not accounts.passwords.fits(found.password if found else "", form.text("password")) or found is None:
        return sign_in_page.show(request, 422, back, mail=mail, wrong=WRONG)
    return arrived(login.enter(request, found), back)


def arrived(came: MergeResult, back: str) -> Response:
    """Redirect to the page that was asked for, or to the one that lists the merged games."""
    if came.facts:
        return RedirectResponse(f"/account?{urlencode(came.facts)}", SEE_OTHER)
    return RedirectResponse(local_path(back), SEE_OTHER)


@router.post("/account/sign-out")
def sign_out(request: Request, login: Login) -> Response:
    """Sign out on this device."""
    login.leave(request)
    return RedirectResponse("/account?done=out", SEE_OTHER)


@router.post("/account/sign-up")
def sign_up(
    request: Request, settings: Settings, accounts: Accounts, sign_in_page: SignInPage, form: FormFields
) -> Response:
    """Send a link to sign up by mail, whether or not there is such an account."""
    try:
        mail = checked_mail(request, settings, accounts, form.text("mail"))
    except RequestError as error:
        return sign_in_page.show(request, error.status, new_mail=form.text("mail"), wrong_new=str(error))
    guest = welcome(request)
    accounts.post.sign_up(mail, guest.id, *profile_of(request.session))
    return sent(request, mail, "Open it in this browser or in any other one. There you choose a password.")


@router.get("/account/reset")
def forgotten(request: Request, settings: Settings) -> Response:
    """Render the form that asks for a new password."""
    return show_reset(request, settings)


@router.post("/account/reset")
def reset(request: Request, settings: Settings, accounts: Accounts, form: FormFields) -> Response:
    """Send a link to set a new password, if there is such an account. The answer does not tell."""
    try:
        mail = checked_mail(request, settings, accounts, form.text("mail"))
    except RequestError as error:
        return show_reset(request, settings, error.status, form.text("mail"), str(error))
    accounts.post.reset(mail)
    return sent(request, mail, "It comes if there is an account with this address, and works for an hour.")


def show_reset(request: Request, settings: Settings, status: int = 200, mail: str = "", wrong: str = "") -> Response:
    """Render the page, with what is wrong."""
    return render(request, "password_reset.html", status, ONCE, mail=mail, wrong=wrong, mailed=bool(settings.smtp))


def sent(request: Request, mail: str, about: str) -> Response:
    """Render the page that says that a mail is on its way."""
    return render(request, "email_sent.html", 200, ONCE, mail=mail, about=about)


def checked_mail(request: Request, settings: Settings, accounts: Accounts, mail: str) -> str:
    """Return an address to which a mail about accounts may be sent; RequestError if there is a reason against it."""
    if not settings.smtp:
        raise Conflict(UNMAILED)
    mail = checked_address(mail)
    accounts.rate.hit(request)
    return mail


# --- a site with a password -------------------------------------------------------------------------


@router.get("/enter")
def door(request: Request, settings: Settings, back: str = "/") -> Response:
    """Render the form for the password of the site."""
    return show_door(request, settings, back)


@router.post("/enter")
def knock(request: Request, settings: Settings, accounts: Accounts, access: SiteAccess, form: FormFields) -> Response:
    """Admit the visitor if the password of the site is right."""
    back = form.text("back", "/")
    try:
        if not settings.password:
            raise BadRequest("This site has no password.", 404)
        accounts.tries.hit_address(request)
        if not access.is_password(form.text("password")):
            raise BadRequest(SITE_WRONG, 422)
    except RequestError as error:
        return show_door(request, settings, back, str(error), error.status)
    request.session[KNOCKED] = access.password_token()
    return RedirectResponse(local_path(back), SEE_OTHER)


def show_door(request: Request, settings: Settings, back: str, wrong: str = "", status: int = 200) -> Response:
    """Render the page, with what is wrong."""
    facts = {"back": local_path(back), "wrong": wrong, "protected": bool(settings.password)}
    return render(request, "unlock.html", status, ONCE, **facts)


def known_by(accounts: Accounts, guest: str) -> Account:
    """Return the account of a guest, which was just made or found; Unavailable if it was deleted meanwhile."""
    account = accounts.people.of(guest)
    if account is None:
        raise Unavailable("This account has just been deleted.")
    return account
