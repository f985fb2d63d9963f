"""Pages to sign in, to sign up, to reset a password, and to unlock a site that has a password."""

from dataclasses import dataclass
from secrets import token_urlsafe
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from ..auth.accounts import Account, normalize_email
from ..auth.api_tokens import ApiTokens
from ..auth.services import Accounts
from ..auth.sessions import device_name
from ..auth.site_access import UNLOCKED_KEY, SiteAccess
from ..errors import BadRequest, Conflict, RequestError, Unavailable
from ..mail import validate_address
from ..privacy.registry import PersonalDataRegistry
from ..privacy.tables import count_unmerged
from ..settings import Settings
from ..tables.service import TableService
from ..users.profiles import Profiles
from ..users.visitors import current_visitor, ensure_visitor
from .account import DONE_MESSAGES, AccountPage
from .forms import FormFields, local_path, redirect
from .middleware import authentication
from .middleware.authentication import FORMER_GUEST_KEY, SESSION_ENDED_KEY, SESSION_KEY, account_of, profile_of
from .routing import FormPage, Router, shows_errors
from .templating import NO_STORE, render

router = Router()
MAX_KNOWN_DEVICES = 5  # accounts that a cookie names
WRONG_SIGN_IN = "The email address or the password is wrong. Please check both."
MAX_MAIL_LENGTH = 254  # characters
NEEDS_PASSKEY = "This site can't send email, so accounts need a passkey here."
UNLOCK_FAILED = "This is not the password of this site."


class MergeResult(NamedTuple):
    """The numbers of games in a merge of a guest into an account."""

    games: int = 0  # that were merged
    left: int = 0  # that stay with the guest, because the account has a seat at the same tables
    rated: int = 0  # that stay with the guest, because they are rated and still running

    @property
    def query(self) -> dict[str, int]:
        """The query parameters of the page that shows the result; empty if all numbers are 0."""
        return {"came": self.games, "left": self.left, "rated": self.rated} if any(self) else {}


@dataclass(frozen=True)
class Login:
    """Signs visitors in and out."""

    tables: TableService
    accounts: Accounts
    profiles: Profiles
    personal_data: PersonalDataRegistry

    def sign_in(self, request: Request, account: Account, *, proved: bool = True) -> MergeResult:
        """Sign a visitor in with a new session, and merge a guest's data into the account.

        Raises Forbidden if the account is banned. `proved`: whether the player has just confirmed their identity.
        """
        self.accounts.sessions.check_not_banned(account.guest)
        guest, arrival = current_visitor(request).id, MergeResult()
        if guest not in ("", account.guest) and account_of(request) is None:
            arrival = self._merge(guest, account)
        before = guest if arrival.left or arrival.rated else request.session.get(FORMER_GUEST_KEY, "")
        self.begin_session(request, account, proved=proved)
        if before not in ("", account.guest):
            request.session[FORMER_GUEST_KEY] = before
        return arrival

    def _merge(self, guest: str, account: Account) -> MergeResult:
        store = self.tables.store
        count, (left, rated) = len(store.for_guest(guest)), count_unmerged(store, guest, account.guest)
        self.personal_data.merge(guest, account.guest)
        self.profiles.rename(account.guest, account.name)
        return MergeResult(count - left - rated, left, rated)

    def begin_session(self, request: Request, account: Account, *, proved: bool) -> None:
        """Create a session in an emptied cookie. The cookie names the device as known if the account has an address."""
        device = device_name(request.headers.get("user-agent", ""))
        written = self.accounts.sessions.create(account.guest, device, proved=proved)
        if old := request.session.get(SESSION_KEY):
            self.accounts.sessions.end(request.session["guest"], old.partition("-")[0])
        authentication.sign_out(request.session)
        authentication.load_account(request.session, account)
        request.session.update({"guest": account.guest, SESSION_KEY: written})
        if account.mail:
            mark = self.accounts.login_attempts.account_key(normalize_email(account.mail))
            known = {**request.session.get("devices", {}), mark: token_urlsafe(9)}
            request.session["devices"] = dict(list(known.items())[-MAX_KNOWN_DEVICES:])

    def sign_out(self, request: Request) -> None:
        """Sign out; the cookie returns to the earlier guest if that guest kept games."""
        number = request.session.get(SESSION_KEY, "").partition("-")[0]
        self.accounts.sessions.end(current_visitor(request).id, number)
        authentication.sign_out(request.session)


@dataclass(frozen=True)
class SignInPage(FormPage):
    """The page on which visitors sign in and up."""

    request: Request
    settings: Settings
    tables: TableService
    accounts: Accounts
    tokens: ApiTokens
    form: FormFields

    def render(self, status: int = 200, back: str = "/", **facts: Any) -> Response:
        guest, mailed = current_visitor(self.request).id, bool(self.settings.smtp)
        shown = {"mail": "", "new_mail": "", "wrong": "", "wrong_new": "", "wrong_passkey": "", "done": "", **facts}
        shown |= {"mailed": mailed, "passwords": mailed or self.accounts.repository.has_passwords()}
        shown["games"] = len(self.tables.store.for_guest(guest)) if guest else 0
        shown["programs"] = bool(guest and self.tokens.for_guest(guest))
        answer = render(self.request, "sign_in.html", status, NO_STORE, back=local_path(back), **shown)
        self.request.session.pop(SESSION_ENDED_KEY, None)
        return answer

    def render_error(self, where: str, error: RequestError) -> Response:
        """Render the page with an error and the address in its form."""
        field, mail = "mail" if where == "wrong" else "new_mail", self.form.text("mail").strip()[:MAX_MAIL_LENGTH]
        return self.render(error.status, self.form.text("back", "/"), **{where: str(error), field: mail})


@router.get("/account")
def show_account(
    page: AccountPage, other: SignInPage, back: str = "/", done: str = "", came: int = 0, left: int = 0, rated: int = 0
) -> Response:
    """Render the page of the visitor's account, or the page to sign in and up."""
    message = DONE_MESSAGES.get(done, "")
    if not account_of(page.request):
        return other.render(back=back, done=message)
    return page.render(done=message, arrival=MergeResult(*(max(0, n) for n in (came, left, rated))))


@router.post("/account/sign-in")
@shows_errors("wrong")
def sign_in(page: SignInPage, accounts: Accounts, login: Login) -> Response:
    """Sign in by email address and password. A wrong address and a wrong password get the same response."""
    mail = page.form.text("mail").strip()[:MAX_MAIL_LENGTH]
    accounts.login_attempts.consume(page.request, normalize_email(mail))
    found = accounts.repository.find_by_email(mail) if mail.isprintable() else None
    if not accounts.passwords.verify(found.password if found else "", page.form.text("password")) or found is None:
        raise BadRequest(WRONG_SIGN_IN, 422)
    return redirect_signed_in(login.sign_in(page.request, found), page.form.text("back", "/"))


def redirect_signed_in(came: MergeResult, back: str) -> Response:
    """Redirect to the page from which the visitor came, or to the result of the merge if there is one."""
    return redirect(f"/account?{urlencode(came.query)}" if came.query else local_path(back))


@router.post("/account/sign-out")
def sign_out(request: Request, login: Login) -> Response:
    login.sign_out(request)
    return redirect("/account?done=out")


@router.post("/account/sign-up")
@shows_errors("wrong_new")
def sign_up(page: SignInPage) -> Response:
    """Send an email, whether or not the address has an account: a link to sign up or a notice."""
    mail = check_email_request(page.request, page.settings, page.accounts, page.form.text("mail"))
    guest = ensure_visitor(page.request)
    page.accounts.emails.send_sign_up(mail, guest.id, *profile_of(page.request.session))
    return render_sent(page.request, mail, "Open the link in any browser, and choose a password there.")


@router.get("/account/reset")
def show_reset_form(request: Request, settings: Settings) -> Response:
    return render_reset(request, settings)


@router.post("/account/reset")
def request_reset(request: Request, settings: Settings, accounts: Accounts, form: FormFields) -> Response:
    """Send a link to set a new password, if the address has an account. The response is the same without an account."""
    try:
        mail = check_email_request(request, settings, accounts, form.text("mail"))
    except RequestError as error:
        return render_reset(request, settings, error.status, form.text("mail"), str(error))
    accounts.emails.send_reset(mail)
    return render_sent(
        request, mail, "You only get the email if this address has an account. The link works for an hour."
    )


def render_reset(request: Request, settings: Settings, status: int = 200, mail: str = "", wrong: str = "") -> Response:
    return render(request, "password_reset.html", status, NO_STORE, mail=mail, wrong=wrong, mailed=bool(settings.smtp))


def render_sent(request: Request, mail: str, about: str) -> Response:
    return render(request, "email_sent.html", 200, NO_STORE, mail=mail, about=about)


def check_email_request(request: Request, settings: Settings, accounts: Accounts, mail: str) -> str:
    """Return the address for an email about accounts; RequestError if the site may not send one there now."""
    if not settings.smtp:
        raise Conflict(NEEDS_PASSKEY)
    mail = validate_address(mail)
    accounts.email_limit.consume(request)
    return mail


@router.get("/unlock")
def show_site_password(request: Request, settings: Settings, back: str = "/") -> Response:
    return render_site_password(request, settings, back)


@router.post("/unlock")
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
    return redirect(local_path(back))


def render_site_password(
    request: Request, settings: Settings, back: str, wrong: str = "", status: int = 200
) -> Response:
    facts = {"back": local_path(back), "wrong": wrong, "protected": bool(settings.password)}
    return render(request, "unlock.html", status, NO_STORE, **facts)


def require_account(accounts: Accounts, guest: str) -> Account:
    """Return the account of a guest; Unavailable if it was deleted during the request."""
    account = accounts.repository.get(guest)
    if account is None:
        raise Unavailable("This account has just been deleted.")
    return account
