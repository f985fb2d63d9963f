"""The pages by which people sign in and up, and come into a site with a password."""

from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..context import Site
from ..errors import Broken, Conflict, Malformed, RequestError
from ..forms import SEE_OTHER, Form, own_address
from ..people.guests import guest_of, welcome
from ..people.mail import checked_address
from ..routing import Routes
from ..templating import page
from . import gate, security
from .entering import Arrival, enter, leave
from .known import ENDED, KNOCKED, account_of, chosen
from .people import Account, plain

router = Routes()
ONCE = {"Cache-Control": "no-store"}
WRONG = "This address and password don't belong together. Please check both."
UNMAILED = "This site can't send mail, so accounts need a passkey here."
SITE_WRONG = "This is not the password of this site."


@router.get("/account")
def account(
    request: Request, site: Site, back: str = "/", done: str = "", came: int = 0, left: int = 0, rated: int = 0
) -> Response:
    """Somebody's account, or how to sign in and up."""
    if account_of(request):
        return security.show(request, site, done=done, arrival=Arrival(*(max(0, n) for n in (came, left, rated))))
    return show(request, site, back=back, done=security.DONE.get(done, ""))


def show(request: Request, site: Site, status: int = 200, back: str = "/", **facts: Any) -> Response:
    """How to sign in and up, with what is wrong in one of the forms."""
    shown = {"mail": "", "new_mail": "", "wrong": "", "wrong_new": "", "wrong_passkey": "", "done": "", **facts}
    shown["mailed"] = bool(site.settings.smtp)
    shown["passwords"] = shown["mailed"] or site.accounts.people.any_password()
    known = guest_of(request).id
    shown["games"] = len(site.tables.store.of_guest(known)) if known else 0
    shown["programs"] = bool(known and site.tokens.of(known))
    answer = page(request, "sign_in.html", status, ONCE, back=own_address(back), **shown)
    request.session.pop(ENDED, None)
    return answer


@router.post("/account/sign-in")
def sign_in(request: Request, site: Site, form: Form) -> Response:
    """Sign in by mail address and password. What is wrong is said in one way, after one time."""
    mail, back = form.text("mail").strip()[:254], form.text("back", "/")
    try:
        site.accounts.tries.hit(request, plain(mail))
    except RequestError as error:
        return show(request, site, error.status, back, mail=mail, wrong=str(error))
    found = site.accounts.people.with_mail(mail) if mail.isprintable() else None
    if not site.accounts.passwords.fits(found.password if found else "", form.text("password")) or found is None:
        return show(request, site, 422, back, mail=mail, wrong=WRONG)
    return arrived(enter(request, site, found), back)


def arrived(came: Arrival, back: str) -> Response:
    """On to the page that somebody wanted, or to the one that says what came along."""
    if came.facts:
        return RedirectResponse(f"/account?{urlencode(came.facts)}", SEE_OTHER)
    return RedirectResponse(own_address(back), SEE_OTHER)


@router.post("/account/sign-out")
def sign_out(request: Request, site: Site) -> Response:
    """Sign out on this device."""
    leave(request, site)
    return RedirectResponse("/account?done=out", SEE_OTHER)


@router.post("/account/sign-up")
def sign_up(request: Request, site: Site, form: Form) -> Response:
    """Ask for an account: the link to it comes by mail, whatever there is already."""
    try:
        mail = checked_mail(request, site, form.text("mail"))
    except RequestError as error:
        return show(request, site, error.status, new_mail=form.text("mail"), wrong_new=str(error))
    guest = welcome(request)
    site.accounts.post.sign_up(mail, guest.id, *chosen(request.session))
    return sent(request, mail, "Open it in this browser or in any other one. There you choose a password.")


@router.get("/account/reset")
def forgotten(request: Request, site: Site) -> Response:
    """Where somebody asks for a new password."""
    return show_reset(request, site)


@router.post("/account/reset")
def reset(request: Request, site: Site, form: Form) -> Response:
    """Send the link by which a new password is set, if there is such an account; nobody learns whether there is."""
    try:
        mail = checked_mail(request, site, form.text("mail"))
    except RequestError as error:
        return show_reset(request, site, error.status, form.text("mail"), str(error))
    site.accounts.post.reset(mail)
    return sent(request, mail, "It comes if there is an account with this address, and works for an hour.")


def show_reset(request: Request, site: Site, status: int = 200, mail: str = "", wrong: str = "") -> Response:
    """The page, with what is wrong."""
    return page(request, "reset.html", status, ONCE, mail=mail, wrong=wrong, mailed=bool(site.settings.smtp))


def sent(request: Request, mail: str, about: str) -> Response:
    """What is said once a mail is on its way."""
    return page(request, "sent.html", 200, ONCE, mail=mail, about=about)


def checked_mail(request: Request, site: Site, mail: str) -> str:
    """An address to which a mail about accounts may be sent; RequestError if not."""
    if not site.settings.smtp:
        raise Conflict(UNMAILED)
    mail = checked_address(mail)
    site.accounts.rate.hit(request)
    return mail


# --- a site with a password -------------------------------------------------------------------------


@router.get("/enter")
def door(request: Request, site: Site, back: str = "/") -> Response:
    """Where the password of the site is entered."""
    return show_door(request, site, back)


@router.post("/enter")
def knock(request: Request, site: Site, form: Form) -> Response:
    """Come in by the password of the site."""
    back = form.text("back", "/")
    try:
        if not site.settings.password:
            raise Malformed("This site has no password.", 404)
        site.accounts.tries.hit_address(request)
        if not gate.fits(site, form.text("password")):
            raise Malformed(SITE_WRONG, 422)
    except RequestError as error:
        return show_door(request, site, back, str(error), error.status)
    request.session[KNOCKED] = gate.knock(site)
    return RedirectResponse(own_address(back), SEE_OTHER)


def show_door(request: Request, site: Site, back: str, wrong: str = "", status: int = 200) -> Response:
    """The page, with what is wrong."""
    facts = {"back": own_address(back), "wrong": wrong, "protected": bool(site.settings.password)}
    return page(request, "enter.html", status, ONCE, **facts)


def known_by(site: Site, guest: str) -> Account:
    """The account of a guest who has just got one."""
    account = site.accounts.people.of(guest)
    if account is None:
        raise Broken("This account has just been deleted.")
    return account
