"""Passkeys on pages: what a browser asks for, and the forms that bring what its authenticator has answered."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..auth import accounts as people, passkeys
from ..auth.api_tokens import ApiTokens
from ..auth.passkeys import place_of
from ..auth.services import Accounts
from ..auth.sessions import device_of
from ..auth.site_access import CLOSED, SiteAccess
from ..clock import Clock
from ..errors import Forbidden, RequestError
from ..privacy import account as rest
from ..settings import Settings
from ..tables.event_subscribers import EventSubscribers
from ..users.visitors import checked_label, guest_of, rename, welcome
from . import account as security, sign_in as pages
from .account import AccountPage
from .forms import SEE_OTHER, FormFields
from .login import Login
from .middleware.authentication import account_of, profile_of, require_login, require_recent_login
from .routing import Router
from .sign_in import SignInPage

router = Router(prefix="/account/passkeys")


@router.post("/ask")
def ask(request: Request, settings: Settings, accounts: Accounts, access: SiteAccess, form: FormFields) -> Response:
    """Return what an authenticator is to do, as JSON: use a passkey, or make one."""
    place = place_of(request, settings.address)
    if form.text("make") != "1":
        found = accounts.passkeys.ask_for_any(request, place)
    else:
        account = require_recent_login(request) if account_of(request) else None
        if account is None and not access.admits(account, request.session):
            raise Forbidden(CLOSED)
        found = accounts.passkeys.ask_for_new(request, place, account, guest_of(request).name)
    return Response(found, media_type="application/json", headers={"Cache-Control": "no-store"})


@router.post("/sign-in")
def sign_in(
    request: Request, settings: Settings, accounts: Accounts, login: Login, sign_in_page: SignInPage, form: FormFields
) -> Response:
    """Sign in by a passkey, which names its account."""
    back = form.text("back", "/")
    try:
        account = accounts.passkeys.shown(request, place_of(request, settings.address), form.text("credential"))
    except RequestError as error:
        return sign_in_page.show(request, error.status, back, wrong_passkey=str(error))
    return pages.arrived(login.enter(request, account), back)


@router.post("/sign-up")
def sign_up(
    request: Request,
    settings: Settings,
    clock: Clock,
    accounts: Accounts,
    tokens: ApiTokens,
    followers: EventSubscribers,
    login: Login,
    sign_in_page: SignInPage,
    form: FormFields,
) -> Response:
    """Make an account of the guest with a new passkey."""
    if account_of(request):
        return RedirectResponse("/account", SEE_OTHER)
    try:
        facts, handle = accounts.passkeys.made(request, place_of(request, settings.address), form.text("credential"))
        if form.text("name"):
            rename(request, form.text("name"))
        guest = welcome(request)
        label = device_of(request.headers.get("user-agent", ""))
        with accounts.people.engine.begin() as db:
            people.make(db, guest.id, *profile_of(request.session), handle=handle, now=clock.now())
            passkeys.add(db, guest.id, label, facts, clock.now())
    except RequestError as error:
        return sign_in_page.show(request, error.status, wrong_passkey=str(error))
    accounts.sessions.forget(guest.id)
    rest.revoke_all(tokens, followers, guest.id)
    login.begin_session(request, pages.known_by(accounts, guest.id), proved=True)
    return security.done("made")


@router.post("/prove")
def prove(
    request: Request, settings: Settings, accounts: Accounts, account_page: AccountPage, form: FormFields
) -> Response:
    """Confirm the visitor's identity by a passkey."""
    account, session = require_login(request)
    try:
        found = accounts.passkeys.shown(request, place_of(request, settings.address), form.text("credential"))
        if found.guest != account.guest:
            raise Forbidden("This passkey belongs to another account.")
    except RequestError as error:
        return account_page.wrong(request, "prove", error)
    accounts.sessions.prove(session)
    return security.done("proved")


@router.post("/add")
def add(
    request: Request, settings: Settings, clock: Clock, accounts: Accounts, account_page: AccountPage, form: FormFields
) -> Response:
    """Add a passkey to an account."""
    try:
        account = require_recent_login(request)
        facts, handle = accounts.passkeys.made(request, place_of(request, settings.address), form.text("credential"))
        if handle != account.handle:
            raise Forbidden("This passkey was asked for by another account. Please try again.")
        with accounts.people.engine.begin() as db:
            label = device_of(request.headers.get("user-agent", ""))
            passkeys.add(db, account.guest, label, facts, clock.now())
    except RequestError as error:
        return account_page.wrong(request, "passkey", error)
    accounts.post.tell(account.mail, "A passkey was added to your account on Almunia.")
    return security.done("passkey")


@router.post("/{passkey_id}/rename")
def rename_passkey(
    request: Request, accounts: Accounts, account_page: AccountPage, form: FormFields, passkey_id: str
) -> Response:
    """Rename a passkey."""
    account, _ = require_login(request)
    try:
        accounts.passkeys.rename(account.guest, passkey_id, checked_label(form.text("label")))
    except RequestError as error:
        return account_page.wrong(request, "passkey", error)
    return security.done("renamed")


@router.post("/{passkey_id}/remove")
def remove(request: Request, accounts: Accounts, account_page: AccountPage, passkey_id: str) -> Response:
    """Remove a passkey."""
    try:
        account = require_recent_login(request)
        accounts.passkeys.remove(account, passkey_id)
    except RequestError as error:
        return account_page.wrong(request, "passkey", error)
    accounts.post.tell(account.mail, "A passkey was removed from your account on Almunia.")
    return security.done("removed")
