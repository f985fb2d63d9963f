"""Signing in: the session is a new one, and what the browser's guest had until then comes along."""

from dataclasses import dataclass
from secrets import token_urlsafe
from typing import NamedTuple

from starlette.requests import Request

from ..auth.accounts import Account, plain
from ..auth.services import Accounts
from ..auth.sessions import device_of
from ..privacy import tables as games
from ..privacy.registry import PersonalDataRegistry
from ..tables.service import TableService
from ..users.profiles import Profiles
from ..users.visitors import guest_of
from .middleware.authentication import FORMER_GUEST_KEY, SESSION_KEY, account_of, load_account, sign_out

DEVICES = 5  # accounts that are known on a device
CAME_FROM = "came from"  # key of a request for the guest whom this browser knew before


class MergeResult(NamedTuple):
    """What came along with somebody who has signed in."""

    games: int = 0  # of the guest whom this browser knew before
    left: int = 0  # those that stayed behind, for the account sits at the same tables
    rated: int = 0  # those that stayed behind, for they are rated and go on

    @property
    def facts(self) -> dict[str, int]:
        """All of that, as the address of the page has it that says so; nothing if there is nothing to say."""
        return {"came": self.games, "left": self.left, "rated": self.rated} if any(self) else {}


@dataclass(frozen=True)
class Login:
    """Signs visitors in and out."""

    tables: TableService
    accounts: Accounts
    profiles: Profiles
    personal_data: PersonalDataRegistry

    def enter(self, request: Request, account: Account, *, proved: bool = True) -> MergeResult:
        """Sign a visitor in, in a new session that nobody can have known before; Forbidden if the account is banned."""
        self.accounts.sessions.check_let_in(account.guest)
        arrival = self._merge_guest(request, account)
        before = (
            request.scope[CAME_FROM] if arrival.left or arrival.rated else request.session.get(FORMER_GUEST_KEY, "")
        )
        self.begin_session(request, account, proved=proved)
        if before not in ("", account.guest):
            request.session[FORMER_GUEST_KEY] = before
        return arrival

    def _merge_guest(self, request: Request, account: Account) -> MergeResult:
        """Give an account what the guest of this browser had, who until now had no account."""
        guest = guest_of(request).id
        request.scope[CAME_FROM] = guest
        if not guest or guest == account.guest or account_of(request) is not None:
            return MergeResult()
        store = self.tables.store
        count, (left, rated) = len(store.for_guest(guest)), games.left_behind(store, guest, account.guest)
        self.personal_data.merge(guest, account.guest)
        self.profiles.renamed(account.guest, account.name)
        return MergeResult(count - left - rated, left, rated)

    def begin_session(self, request: Request, account: Account, *, proved: bool) -> None:
        """Begin a session in a new cookie, which names the device, so that strangers can't keep its owner out."""
        device = device_of(request.headers.get("user-agent", ""))
        written = self.accounts.sessions.begin(account.guest, device, proved=proved)
        if old := request.session.get(SESSION_KEY):
            self.accounts.sessions.end(request.session["guest"], old.partition("-")[0])
        sign_out(request.session)
        load_account(request.session, account)
        request.session.update({"guest": account.guest, SESSION_KEY: written})
        if account.mail:
            mark = self.accounts.tries.mark(plain(account.mail))
            known = {**request.session.get("devices", {}), mark: token_urlsafe(9)}
            request.session["devices"] = dict(list(known.items())[-DEVICES:])

    def leave(self, request: Request) -> None:
        """Sign out, back to the guest who was here before if that one has games left."""
        number = request.session.get(SESSION_KEY, "").partition("-")[0]
        self.accounts.sessions.end(guest_of(request).id, number)
        sign_out(request.session)
