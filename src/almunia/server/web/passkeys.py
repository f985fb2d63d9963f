"""Passkeys on pages: options for browsers, and forms with the responses of authenticators."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..auth.accounts import create_account
from ..auth.api_tokens import ApiTokens
from ..auth.passkeys import add_passkey, relying_party
from ..auth.services import Accounts
from ..auth.sessions import device_name
from ..auth.site_access import SITE_CLOSED, SiteAccess
from ..clock import Clock
from ..errors import Forbidden, RequestError
from ..privacy.account import revoke_all_tokens
from ..settings import Settings
from ..tables.event_subscribers import EventSubscribers
from ..users.visitors import current_visitor, ensure_visitor, rename, validate_label
from .account import AccountPage, redirect_done
from .forms import SEE_OTHER, FormFields
from .login import Login
from .middleware.authentication import account_of, profile_of, require_login, require_recent_login
from .routing import Router
from .sign_in import SignInPage, redirect_signed_in, require_account

router = Router(prefix="/account/passkeys")


@router.post("/ask")
def create_options(
    request: Request, settings: Settings, accounts: Accounts, access: SiteAccess, form: FormFields
) -> Response:
    """Return the options with which an authenticator uses or creates a passkey, as JSON."""
    place = relying_party(request, settings.address)
    if form.text("make") != "1":
        found = accounts.passkeys.authentication_options(request, place)
    else:
        account = require_recent_login(request) if account_of(request) else None
        if account is None and not access.admits(account, request.session):
            raise Forbidden(SITE_CLOSED)
        found = accounts.passkeys.registration_options(request, place, account, current_visitor(request).name)
    return Response(found, media_type="application/json", headers={"Cache-Control": "no-store"})


@router.post("/sign-in")
def sign_in(
    request: Request, settings: Settings, accounts: Accounts, login: Login, sign_in_page: SignInPage, form: FormFields
) -> Response:
    """Sign in by a passkey, which names its account."""
    back = form.text("back", "/")
    try:
        account = accounts.passkeys.verify_authentication(
            request, relying_party(request, settings.address), form.text("credential")
        )
    except RequestError as error:
        return sign_in_page.render(request, error.status, back, wrong_passkey=str(error))
    return redirect_signed_in(login.sign_in(request, account), back)


@router.post("/sign-up")
def sign_up(
    request: Request,
    settings: Settings,
    clock: Clock,
    accounts: Accounts,
    tokens: ApiTokens,
    event_subscribers: EventSubscribers,
    login: Login,
    sign_in_page: SignInPage,
    form: FormFields,
) -> Response:
    """Create the account of a guest, with a new passkey."""
    if account_of(request):
        return RedirectResponse("/account", SEE_OTHER)
    try:
        facts, handle = accounts.passkeys.verify_registration(
            request, relying_party(request, settings.address), form.text("credential")
        )
        if form.text("name"):
            rename(request, form.text("name"))
        guest = ensure_visitor(request)
        label = device_name(request.headers.get("user-agent", ""))
        with accounts.repository.engine.begin() as db:
            create_account(db, guest.id, *profile_of(request.session), handle=handle, now=clock.now())
            add_passkey(db, guest.id, label, facts, clock.now())
    except RequestError as error:
        return sign_in_page.render(request, error.status, wrong_passkey=str(error))
    accounts.sessions.invalidate(guest.id)
    revoke_all_tokens(tokens, event_subscribers, guest.id)
    login.begin_session(request, require_account(accounts, guest.id), proved=True)
    return redirect_done("made")


@router.post("/prove")
def confirm_by_passkey(
    request: Request, settings: Settings, accounts: Accounts, account_page: AccountPage, form: FormFields
) -> Response:
    """Confirm the visitor's identity by a passkey."""
    account, session = require_login(request)
    try:
        found = accounts.passkeys.verify_authentication(
            request, relying_party(request, settings.address), form.text("credential")
        )
        if found.guest != account.guest:
            raise Forbidden("This passkey belongs to another account.")
    except RequestError as error:
        return account_page.render_error(request, "prove", error)
    accounts.sessions.confirm(session)
    return redirect_done("proved")


@router.post("/add")
def add_to_account(
    request: Request, settings: Settings, clock: Clock, accounts: Accounts, account_page: AccountPage, form: FormFields
) -> Response:
    """Add a passkey to an account."""
    try:
        account = require_recent_login(request)
        facts, handle = accounts.passkeys.verify_registration(
            request, relying_party(request, settings.address), form.text("credential")
        )
        if handle != account.handle:
            raise Forbidden("This passkey was asked for by another account. Please try again.")
        with accounts.repository.engine.begin() as db:
            label = device_name(request.headers.get("user-agent", ""))
            add_passkey(db, account.guest, label, facts, clock.now())
    except RequestError as error:
        return account_page.render_error(request, "passkey", error)
    accounts.emails.send_security_notice(account.mail, "A passkey was added to your account on Almunia.")
    return redirect_done("passkey")


@router.post("/{passkey_id}/rename")
def rename_passkey(
    request: Request, accounts: Accounts, account_page: AccountPage, form: FormFields, passkey_id: str
) -> Response:
    """Rename a passkey."""
    account, _ = require_login(request)
    try:
        accounts.passkeys.rename(account.guest, passkey_id, validate_label(form.text("label")))
    except RequestError as error:
        return account_page.render_error(request, "passkey", error)
    return redirect_done("renamed")


@router.post("/{passkey_id}/remove")
def remove_passkey(request: Request, accounts: Accounts, account_page: AccountPage, passkey_id: str) -> Response:
    """Remove a passkey."""
    try:
        account = require_recent_login(request)
        accounts.passkeys.remove(account, passkey_id)
    except RequestError as error:
        return account_page.render_error(request, "passkey", error)
    accounts.emails.send_security_notice(account.mail, "A passkey was removed from your account on Almunia.")
    return redirect_done("removed")
