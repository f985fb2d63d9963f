"""What opens behind a link that holds once. Looking at it changes nothing, for programs look into mails as well."""

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..auth import accounts as people, one_time_links
from ..auth.api_tokens import ApiTokens
from ..auth.one_time_links import DEVICE, INVITE, NEW_MAIL, OLD_MAIL, RESET, SIGN_UP, OneTimeLink
from ..auth.passwords import checked_password
from ..auth.services import Accounts
from ..auth.sessions import end_all
from ..auth.site_access import ADMITTED
from ..clock import Clock
from ..errors import NotFound, RequestError
from ..notifications.services import Notifications
from ..privacy import account as rest
from ..tables.event_subscribers import EventSubscribers
from ..users.profiles import Profiles
from ..users.visitors import guest_of
from . import sign_in
from .forms import SEE_OTHER, FormFields
from .login import Login, MergeResult
from .routing import Router
from .templating import render

router = Router(prefix="/account/link")
# The address is a secret, so no page hears it; but with "no-referrer" browsers would not say where the form comes from.
ONCE = {"Cache-Control": "no-store", "Referrer-Policy": "strict-origin"}
KINDS = SIGN_UP, RESET, OLD_MAIL, NEW_MAIL, DEVICE, INVITE


@router.get("/{link}")
def look(request: Request, accounts: Accounts, link: str) -> Response:
    """Render what a link does, and a button that does it."""
    return show(request, accounts, link, accounts.links.find(link, *KINDS))


def show(
    request: Request, accounts: Accounts, link: str, found: OneTimeLink, wrong: str = "", status: int = 200
) -> Response:
    """Render the page of a link, with what is wrong."""
    account = accounts.people.of(found.guest)
    name = found.facts.get("name") or (account.name if account else "")
    elsewhere = found.kind == SIGN_UP and guest_of(request).id != found.guest
    mail = found.facts.get("mail") or (account.mail if account else "")
    facts = {"link": link, "kind": found.kind, "mail": mail, "name": name, "elsewhere": elsewhere}
    return render(request, "one_time_link.html", status, ONCE, wrong=wrong, **facts)


@router.post("/{link}")
def follow(
    request: Request,
    clock: Clock,
    accounts: Accounts,
    alerts: Notifications,
    tokens: ApiTokens,
    followers: EventSubscribers,
    profiles: Profiles,
    login: Login,
    form: FormFields,
    link: str,
) -> Response:
    """Do what a link does. It works once."""
    found = accounts.links.find(link, *KINDS)
    if found.kind in (SIGN_UP, RESET):
        known = accounts.people.of(found.guest)
        mail = known.mail if known else found.facts.get("mail", "")
        try:
            password = checked_password(form.text("password"), form.text("twice"), mail, known.name if known else "")
        except RequestError as error:
            return show(request, accounts, link, found, str(error), error.status)
        hashed = accounts.passwords.hash(password)
        if found.kind == SIGN_UP:
            return make_account(request, clock, accounts, alerts, tokens, followers, profiles, login, found, hashed)
        return reset(request, clock, accounts, login, found, hashed)
    if found.kind in (OLD_MAIL, NEW_MAIL):
        return change_mail(request, clock, accounts, found)
    with accounts.people.engine.begin() as db:
        one_time_links.use(db, found, clock.now())
    if found.kind == DEVICE:
        return came(login.enter(request, sign_in.known_by(accounts, found.guest), proved=False), "in")
    request.session[ADMITTED] = True
    return RedirectResponse("/account", SEE_OTHER)


def make_account(
    request: Request,
    clock: Clock,
    accounts: Accounts,
    alerts: Notifications,
    tokens: ApiTokens,
    followers: EventSubscribers,
    profiles: Profiles,
    login: Login,
    found: OneTimeLink,
    password: str,
) -> Response:
    """Make an account of the guest. Revokes tokens; removes alerts and the profile if this is another browser."""
    facts, elsewhere = found.facts, guest_of(request).id != found.guest
    with accounts.people.engine.begin() as db:
        now = clock.now()
        one_time_links.use(db, found, now)
        people.make(db, found.guest, facts["name"], facts["preferences"], facts["mail"], password, now=now)
    accounts.sessions.forget(found.guest)
    rest.revoke_all(tokens, followers, found.guest)
    if elsewhere:  # a stranger may have asked for it, who must not hear of this account from now on, nor show it
        alerts.ways.forget(found.guest)
        profiles.hide(found.guest)
    return came(login.enter(request, sign_in.known_by(accounts, found.guest)), "made")


def reset(
    request: Request, clock: Clock, accounts: Accounts, login: Login, found: OneTimeLink, password: str
) -> Response:
    """Set a new password: all sessions end, and all other links of this account; of two at once, one wins.

    Passkeys and tokens stay, for whoever only forgot the password; the page asks to look them through.
    """
    with accounts.people.engine.begin() as db:
        people.hold(db, found.guest)
        one_time_links.use(db, found, clock.now())
        people.change(db, found.guest, password=password)
        one_time_links.drop(db, found.guest, RESET, DEVICE, OLD_MAIL, NEW_MAIL)
        end_all(db, found.guest)
    accounts.sessions.forget(found.guest)
    account = sign_in.known_by(accounts, found.guest)
    accounts.post.tell(account.mail, "The password of your account on Almunia was changed.")
    return came(login.enter(request, account), "reset")


def change_mail(request: Request, clock: Clock, accounts: Accounts, found: OneTimeLink) -> Response:
    """Record that the owner of one address has agreed. When both have, the new one replaces the old one."""
    mail = found.facts["mail"]
    with accounts.people.engine.begin() as db:
        people.hold(db, found.guest)
        one_time_links.use(db, found, clock.now())
        ready = not one_time_links.waiting(db, found.guest, OLD_MAIL, NEW_MAIL) and one_time_links.agreed(
            db, found.guest
        )
        if ready:
            people.change(db, found.guest, mail=mail)
            one_time_links.drop(db, found.guest, OLD_MAIL, NEW_MAIL, RESET)
    accounts.sessions.forget(found.guest)
    account = accounts.people.of(found.guest)
    if account is None:
        raise NotFound(one_time_links.GONE)
    return RedirectResponse(f"/account?done={'mail' if ready else 'half'}", SEE_OTHER)


def came(arrival: MergeResult, what: str) -> Response:
    """Redirect to the account, with the merged games."""
    return RedirectResponse(f"/account?{urlencode({'done': what, **arrival.facts})}", SEE_OTHER)
