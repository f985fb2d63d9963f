"""Pages of one-time links. Opening a link changes nothing, because mail scanners open links, too."""

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..auth import one_time_links
from ..auth.accounts import create_account, lock_account, update_account
from ..auth.api_tokens import ApiTokens
from ..auth.one_time_links import DEVICE, INVITE, NEW_MAIL, OLD_MAIL, RESET, SIGN_UP, OneTimeLink
from ..auth.passwords import validate_password
from ..auth.services import Accounts
from ..auth.sessions import end_sessions
from ..auth.site_access import INVITED_KEY
from ..clock import Clock
from ..errors import NotFound, RequestError
from ..notifications.services import Notifications
from ..privacy.account import revoke_all_tokens
from ..tables.event_subscribers import EventSubscribers
from ..users.profiles import Profiles
from ..users.visitors import current_visitor
from .forms import SEE_OTHER, FormFields
from .login import Login, MergeResult
from .routing import Router
from .sign_in import require_account
from .templating import render

router = Router(prefix="/account/link")
# The address is a secret, so other sites must not get it. "no-referrer" would also hide the origin of the form.
LINK_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "strict-origin"}
KINDS = SIGN_UP, RESET, OLD_MAIL, NEW_MAIL, DEVICE, INVITE


@router.get("/{link}")
def show_link(request: Request, accounts: Accounts, link: str) -> Response:
    """Render the page of a link, with a button that follows it."""
    return render_link(request, accounts, link, accounts.links.find(link, *KINDS))


def render_link(
    request: Request, accounts: Accounts, link: str, found: OneTimeLink, wrong: str = "", status: int = 200
) -> Response:
    """Render the page of a link, with the error."""
    account = accounts.repository.get(found.guest)
    name = found.payload.get("name") or (account.name if account else "")
    elsewhere = found.kind == SIGN_UP and current_visitor(request).id != found.guest
    mail = found.payload.get("mail") or (account.mail if account else "")
    facts = {"link": link, "kind": found.kind, "mail": mail, "name": name, "elsewhere": elsewhere}
    return render(request, "one_time_link.html", status, LINK_HEADERS, wrong=wrong, **facts)


@router.post("/{link}")
def follow_link(
    request: Request,
    clock: Clock,
    accounts: Accounts,
    notifications: Notifications,
    tokens: ApiTokens,
    event_subscribers: EventSubscribers,
    profiles: Profiles,
    login: Login,
    form: FormFields,
    link: str,
) -> Response:
    """Follow a link. It works once."""
    found = accounts.links.find(link, *KINDS)
    if found.kind in (SIGN_UP, RESET):
        known = accounts.repository.get(found.guest)
        mail = known.mail if known else found.payload.get("mail", "")
        try:
            password = validate_password(form.text("password"), form.text("twice"), mail, known.name if known else "")
        except RequestError as error:
            return render_link(request, accounts, link, found, str(error), error.status)
        hashed = accounts.passwords.hash(password)
        if found.kind == SIGN_UP:
            return make_account(
                request, clock, accounts, notifications, tokens, event_subscribers, profiles, login, found, hashed
            )
        return reset_password(request, clock, accounts, login, found, hashed)
    if found.kind in (OLD_MAIL, NEW_MAIL):
        return confirm_email(request, clock, accounts, found)
    with accounts.repository.engine.begin() as db:
        one_time_links.consume(db, found, clock.now())
    if found.kind == DEVICE:
        return redirect_to_account(login.sign_in(request, require_account(accounts, found.guest), proved=False), "in")
    request.session[INVITED_KEY] = True
    return RedirectResponse("/account", SEE_OTHER)


def make_account(
    request: Request,
    clock: Clock,
    accounts: Accounts,
    notifications: Notifications,
    tokens: ApiTokens,
    event_subscribers: EventSubscribers,
    profiles: Profiles,
    login: Login,
    found: OneTimeLink,
    password: str,
) -> Response:
    """Create the account of a guest and revoke tokens; remove alerts and hide the profile in another browser."""
    facts, elsewhere = found.payload, current_visitor(request).id != found.guest
    with accounts.repository.engine.begin() as db:
        now = clock.now()
        one_time_links.consume(db, found, now)
        create_account(db, found.guest, facts["name"], facts["preferences"], facts["mail"], password, now=now)
    accounts.sessions.invalidate(found.guest)
    revoke_all_tokens(tokens, event_subscribers, found.guest)
    if elsewhere:  # a stranger may have requested the link, and must not be notified of this account nor show it
        notifications.channels.remove_all(found.guest)
        profiles.hide(found.guest)
    return redirect_to_account(login.sign_in(request, require_account(accounts, found.guest)), "made")


def reset_password(
    request: Request, clock: Clock, accounts: Accounts, login: Login, found: OneTimeLink, password: str
) -> Response:
    """Set a new password, end all sessions, and revoke all other links. Of two requests at once, one wins.

    Passkeys and tokens stay, since the player may only have forgotten the password. The page asks to check them.
    """
    with accounts.repository.engine.begin() as db:
        lock_account(db, found.guest)
        one_time_links.consume(db, found, clock.now())
        update_account(db, found.guest, password=password)
        one_time_links.revoke(db, found.guest, RESET, DEVICE, OLD_MAIL, NEW_MAIL)
        end_sessions(db, found.guest)
    accounts.sessions.invalidate(found.guest)
    account = require_account(accounts, found.guest)
    accounts.emails.send_security_notice(account.mail, "The password of your account on Almunia was changed.")
    return redirect_to_account(login.sign_in(request, account), "reset")


def confirm_email(request: Request, clock: Clock, accounts: Accounts, found: OneTimeLink) -> Response:
    """Record the consent of the owner of one address. After both, the new address replaces the old one."""
    mail = found.payload["mail"]
    with accounts.repository.engine.begin() as db:
        lock_account(db, found.guest)
        one_time_links.consume(db, found, clock.now())
        ready = not one_time_links.has_unused(
            db, found.guest, OLD_MAIL, NEW_MAIL
        ) and one_time_links.is_new_email_confirmed(db, found.guest)
        if ready:
            update_account(db, found.guest, mail=mail)
            one_time_links.revoke(db, found.guest, OLD_MAIL, NEW_MAIL, RESET)
    accounts.sessions.invalidate(found.guest)
    account = accounts.repository.get(found.guest)
    if account is None:
        raise NotFound(one_time_links.LINK_EXPIRED)
    return RedirectResponse(f"/account?done={'mail' if ready else 'half'}", SEE_OTHER)


def redirect_to_account(arrival: MergeResult, what: str) -> Response:
    """Redirect to the account page, with the numbers of merged games."""
    return RedirectResponse(f"/account?{urlencode({'done': what, **arrival.query})}", SEE_OTHER)
