"""Signing in: the session is a new one, and what the browser's guest had until then comes along."""

from secrets import token_urlsafe
from typing import NamedTuple

from starlette.requests import Request

from ..context import Site
from ..people.guests import guest_of
from . import belongings, games
from .known import BEFORE, SIGNED_IN, account_of, sign_out, take_over
from .people import Account, plain
from .sessions import device_of

DEVICES = 5  # accounts that are known on a device


class Arrival(NamedTuple):
    """What came along with somebody who has signed in."""

    games: int = 0  # of the guest whom this browser knew before
    left: int = 0  # those that stayed behind, for the account sits at the same tables
    rated: int = 0  # those that stayed behind, for they are rated and go on

    @property
    def facts(self) -> dict[str, int]:
        """All of that, as the address of the page has it that says so; nothing if there is nothing to say."""
        return {"came": self.games, "left": self.left, "rated": self.rated} if any(self) else {}


def enter(request: Request, site: Site, account: Account, *, proved: bool = True) -> Arrival:
    """Sign somebody in, with a session that nobody can have known before; Forbidden if their account is kept out."""
    site.accounts.sessions.check_let_in(account.guest)
    came = bring_along(request, site, account)
    before = came_from(request) if came.left or came.rated else request.session.get(BEFORE, "")
    begin_session(request, site, account, proved=proved)
    if before not in ("", account.guest):
        request.session[BEFORE] = before
    return came


def bring_along(request: Request, site: Site, account: Account) -> Arrival:
    """Let the account have what the guest of this browser had, who until now had no account."""
    guest = guest_of(request).id
    request.scope["came from"] = guest
    if not guest or guest == account.guest or account_of(request) is not None:
        return Arrival()
    count, (left, rated) = len(site.tables.store.of_guest(guest)), games.left_behind(site, guest, account.guest)
    belongings.move(site, guest, account.guest)
    site.profiles.renamed(account.guest, account.name)
    return Arrival(count - left - rated, left, rated)


def came_from(request: Request) -> str:
    """The guest whom this browser knew before."""
    guest: str = request.scope["came from"]
    return guest


def begin_session(request: Request, site: Site, account: Account, *, proved: bool) -> None:
    """A new session in a new cookie; the device is remembered, so that strangers can't keep its owner out."""
    device = device_of(request.headers.get("user-agent", ""))
    written = site.accounts.sessions.begin(account.guest, device, proved=proved)
    if old := request.session.get(SIGNED_IN):
        site.accounts.sessions.end(request.session["guest"], old.partition("-")[0])
    sign_out(request.session)
    take_over(request.session, account)
    request.session.update({"guest": account.guest, SIGNED_IN: written})
    if account.mail:
        known = {**request.session.get("devices", {}), site.accounts.tries.mark(plain(account.mail)): token_urlsafe(9)}
        request.session["devices"] = dict(list(known.items())[-DEVICES:])


def leave(request: Request, site: Site) -> None:
    """Sign out, back to the guest who was here before, if games of theirs were left behind."""
    number = request.session.get(SIGNED_IN, "").partition("-")[0]
    site.accounts.sessions.end(guest_of(request).id, number)
    sign_out(request.session)
