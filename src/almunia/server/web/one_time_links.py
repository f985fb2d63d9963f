"""Pages of one-time links. Opening a link changes nothing, because mail scanners open links, too."""

from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from ..auth import one_time_links
from ..auth.accounts import create_account, lock_account, update_account
from ..auth.api_tokens import ApiTokens, revoke_all_tokens
from ..auth.one_time_links import DEVICE, INVITE, NEW_MAIL, OLD_MAIL, RESET, SIGN_UP, OneTimeLink
from ..auth.passwords import validate_password
from ..auth.services import Accounts
from ..auth.sessions import end_sessions
from ..auth.site_access import INVITED_KEY
from ..clock import Clock
from ..errors import NotFound, RequestError
from ..notifications.services import Notifications
from ..tables.event_subscribers import EventSubscribers
from ..users.profiles import Profiles
from ..users.visitors import current_visitor
from .forms import FormFields, redirect
from .routing import FromRequest, Router
from .sign_in import Login, require_account
from .templating import render

router = Router(prefix="/account/link")
# The address is a secret, so other sites must not get it. "no-referrer" would also hide the origin of the form.
LINK_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "strict-origin"}
KINDS = SIGN_UP, RESET, OLD_MAIL, NEW_MAIL, DEVICE, INVITE


@dataclass(frozen=True)
class LinkPage(FromRequest):
    """The page of a one-time link."""

    request: Request
    clock: Clock
    accounts: Accounts
    notifications: Notifications
    tokens: ApiTokens
    event_subscribers: EventSubscribers
    profiles: Profiles
    login: Login
    link: str

    @cached_property
    def found(self) -> OneTimeLink:
        """The link; NotFound if it is invalid."""
        return self.accounts.links.find(self.link, *KINDS)

    @property
    def is_elsewhere(self) -> bool:
        """Whether the visitor is not the guest who requested the link."""
        return current_visitor(self.request).id != self.found.guest

    def render(self, wrong: str = "", status: int = 200) -> Response:
        """Render the page of the link, with an error if there is one."""
        account, kind, payload = self.accounts.repository.get(self.found.guest), self.found.kind, self.found.payload
        name, mail = (payload.get(one) or (getattr(account, one) if account else "") for one in ("name", "mail"))
        facts = {"link": self.link, "kind": kind, "mail": mail, "name": name, "wrong": wrong}
        facts["elsewhere"] = kind == SIGN_UP and self.is_elsewhere
        return render(self.request, "one_time_link.html", status, LINK_HEADERS, **facts)

    def create_account(self, password: str) -> Response:
        """Create the account of the link's guest, revoke the guest's tokens, and sign in.

        If another guest opened the link, also remove the alerts and hide the profile.
        """
        guest, facts, is_elsewhere, now = self.found.guest, self.found.payload, self.is_elsewhere, self.clock.now()
        with self.accounts.repository.engine.begin() as db:
            one_time_links.consume(db, self.found, now)
            create_account(db, guest, facts["name"], facts["preferences"], facts["mail"], password, now=now)
        self.accounts.sessions.invalidate(guest)
        revoke_all_tokens(self.tokens, self.event_subscribers, guest)
        if is_elsewhere:  # a stranger may have requested the link, and must not see this account or its notifications
            self.notifications.channels.remove_all(guest)
            self.profiles.hide(guest)
        return self.sign_in("made")

    def reset_password(self, password: str) -> Response:
        """Set a new password, end all sessions, and revoke the links that could change the account.

        Passkeys and tokens stay, since the player may only have forgotten the password. The page asks to check them.
        """
        guest = self.found.guest
        with self.accounts.repository.engine.begin() as db:
            lock_account(db, guest)
            one_time_links.consume(db, self.found, self.clock.now())
            update_account(db, guest, password=password)
            one_time_links.revoke(db, guest, RESET, DEVICE, OLD_MAIL, NEW_MAIL)
            end_sessions(db, guest)
        self.accounts.sessions.invalidate(guest)
        account = require_account(self.accounts, guest)
        self.accounts.emails.send_security_notice(account.mail, "The password for your Almunia account was changed.")
        return self.sign_in("reset")

    def confirm_email(self) -> Response:
        """Confirm a change of address. When all links of the change are confirmed, the new address counts."""
        guest = self.found.guest
        with self.accounts.repository.engine.begin() as db:
            lock_account(db, guest)
            one_time_links.consume(db, self.found, self.clock.now())
            is_ready = one_time_links.is_email_change_confirmed(db, guest)
            if is_ready:
                update_account(db, guest, mail=self.found.payload["mail"])
                one_time_links.revoke(db, guest, OLD_MAIL, NEW_MAIL, RESET)
        self.accounts.sessions.invalidate(guest)
        if self.accounts.repository.get(guest) is None:
            raise NotFound(one_time_links.LINK_EXPIRED)
        return redirect(f"/account?done={'mail' if is_ready else 'half'}")

    def sign_in(self, done: str, *, proved: bool = True) -> Response:
        """Sign the owner of the link in; the account page shows a message, and how many games were merged."""
        arrival = self.login.sign_in(self.request, require_account(self.accounts, self.found.guest), proved=proved)
        return redirect(f"/account?{urlencode({'done': done, **arrival.query})}")


@router.get("/{link}")
def show_link(page: LinkPage) -> Response:
    return page.render()


@router.post("/{link}")
def follow_link(page: LinkPage, form: FormFields) -> Response:
    """Follow a link, which works once."""
    found, accounts = page.found, page.accounts
    if found.kind in (SIGN_UP, RESET):
        account = accounts.repository.get(found.guest)
        mail, name = (account.mail, account.name) if account else (found.payload.get("mail", ""), "")
        try:
            password = validate_password(form.text("password"), form.text("twice"), mail, name)
        except RequestError as error:
            return page.render(str(error), error.status)
        hashed = accounts.passwords.hash(password)
        return page.create_account(hashed) if found.kind == SIGN_UP else page.reset_password(hashed)
    if found.kind in (OLD_MAIL, NEW_MAIL):
        return page.confirm_email()
    with accounts.repository.engine.begin() as db:
        one_time_links.consume(db, found, page.clock.now())
    if found.kind == DEVICE:
        return page.sign_in("in", proved=False)
    page.request.session[INVITED_KEY] = True
    return redirect("/account")
