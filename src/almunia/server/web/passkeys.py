"""Passkeys on pages: options for browsers, and forms with the responses of authenticators."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from ..auth.accounts import create_account
from ..auth.api_tokens import revoke_all_tokens
from ..auth.passkeys import RelyingParty, add_passkey, relying_party
from ..auth.services import Accounts
from ..auth.sessions import device_name
from ..auth.site_access import SITE_CLOSED, SiteAccess
from ..clock import Clock
from ..errors import Forbidden
from ..settings import Settings
from ..tables.event_subscribers import EventSubscribers
from ..users.visitors import current_visitor, ensure_visitor, rename, validate_label
from .account import AccountPage
from .forms import FormFields, redirect
from .middleware.authentication import account_of, profile_of, require_login, require_recent_login
from .routing import FromRequest, Router, shows_errors
from .sign_in import Login, SignInPage, redirect_signed_in, require_account

router = Router(prefix="/account/passkeys")


@dataclass(frozen=True)
class PasskeyForm(FromRequest):
    """A form with the response of an authenticator, or a form that asks for options."""

    request: Request
    settings: Settings
    clock: Clock
    accounts: Accounts
    fields: FormFields

    @property
    def response(self) -> tuple[Request, RelyingParty, str]:
        """The request, the relying party, and the JSON of the authenticator's response."""
        return self.request, relying_party(self.request, self.settings.address), self.fields.text("credential")

    @property
    def device(self) -> str:
        """The name of the device, which labels a new passkey."""
        return device_name(self.request.headers.get("user-agent", ""))


@router.post("/options")
def create_options(form: PasskeyForm, access: SiteAccess) -> Response:
    """Return the options with which an authenticator uses or creates a passkey, as JSON."""
    passkeys, (request, site, _) = form.accounts.passkeys, form.response
    if form.fields.text("make") != "1":
        options = passkeys.authentication_options(request, site)
    else:
        account = require_recent_login(request) if account_of(request) else None
        if account is None and not access.admits(account, request.session):
            raise Forbidden(SITE_CLOSED)
        options = passkeys.registration_options(request, site, account, current_visitor(request).name)
    return Response(options, media_type="application/json", headers={"Cache-Control": "no-store"})


@router.post("/sign-in")
@shows_errors("wrong_passkey")
def sign_in(page: SignInPage, form: PasskeyForm, login: Login) -> Response:
    account = form.accounts.passkeys.verify_authentication(*form.response)
    return redirect_signed_in(login.sign_in(form.request, account), page.form.text("back", "/"))


@router.post("/sign-up")
@shows_errors("wrong_passkey")
def sign_up(page: SignInPage, form: PasskeyForm, event_subscribers: EventSubscribers, login: Login) -> Response:
    """Create an account with a new passkey for a guest, and sign the guest in; redirect a visitor who is signed in."""
    request, accounts = form.request, form.accounts
    if account_of(request):
        return redirect("/account")
    passkey, handle = accounts.passkeys.verify_registration(*form.response)
    if form.fields.text("name"):
        rename(request, form.fields.text("name"))
    guest, now = ensure_visitor(request).id, form.clock.now()
    with accounts.repository.engine.begin() as db:
        create_account(db, guest, *profile_of(request.session), handle=handle, now=now)
        add_passkey(db, guest, form.device, passkey, now)
    accounts.sessions.invalidate(guest)
    revoke_all_tokens(page.tokens, event_subscribers, guest)
    login.begin_session(request, require_account(accounts, guest), proved=True)
    return redirect("/account?done=made")


@router.post("/confirm-identity")
@shows_errors("prove")
def confirm_by_passkey(page: AccountPage, form: PasskeyForm) -> Response:
    account, session = require_login(page.request)
    if form.accounts.passkeys.verify_authentication(*form.response).guest != account.guest:
        raise Forbidden("This passkey belongs to another account.")
    page.accounts.sessions.confirm(session)
    return redirect("/account?done=proved")


@router.post("/add")
@shows_errors("passkey")
def add_to_account(page: AccountPage, form: PasskeyForm) -> Response:
    account = require_recent_login(page.request)
    passkey, handle = form.accounts.passkeys.verify_registration(*form.response)
    if handle != account.handle:
        raise Forbidden("This passkey was requested by another account. Please try again.")
    with page.accounts.repository.engine.begin() as db:
        add_passkey(db, account.guest, form.device, passkey, form.clock.now())
    page.accounts.emails.send_security_notice(account.mail, "A passkey was added to your account on Almunia.")
    return redirect("/account?done=passkey")


@router.post("/{passkey_id}/rename")
@shows_errors("passkey")
def rename_passkey(page: AccountPage, passkey_id: str) -> Response:
    account, _ = require_login(page.request)
    page.accounts.passkeys.rename(account.guest, passkey_id, validate_label(page.form.text("label")))
    return redirect("/account?done=renamed")


@router.post("/{passkey_id}/remove")
@shows_errors("passkey")
def remove_passkey(page: AccountPage, passkey_id: str) -> Response:
    account = require_recent_login(page.request)
    page.accounts.passkeys.remove(account, passkey_id)
    page.accounts.emails.send_security_notice(account.mail, "A passkey was removed from your account on Almunia.")
    return redirect("/account?done=removed")
