"""Signing in: a new session, and the merge of the browser's guest into the account."""

from dataclasses import dataclass
from secrets import token_urlsafe
from typing import NamedTuple

from starlette.requests import Request

from ..auth.accounts import Account, normalize_email
from ..auth.services import Accounts
from ..auth.sessions import device_name
from ..privacy.registry import PersonalDataRegistry
from ..privacy.tables import count_unmerged
from ..tables.service import TableService
from ..users.profiles import Profiles
from ..users.visitors import current_visitor
from .middleware.authentication import FORMER_GUEST_KEY, SESSION_KEY, account_of, load_account, sign_out

MAX_KNOWN_DEVICES = 5  # accounts that a cookie names
PREVIOUS_GUEST = "came from"  # key in the scope of a request: the guest of this browser before signing in


class MergeResult(NamedTuple):
    """The games of a guest who was merged into an account."""

    games: int = 0  # that were merged
    left: int = 0  # that stay with the guest, because the account sits at the same tables
    rated: int = 0  # that stay with the guest, because they are rated and still running

    @property
    def query(self) -> dict[str, int]:
        """The query parameters of the page that shows the result; empty if nothing was merged."""
        return {"came": self.games, "left": self.left, "rated": self.rated} if any(self) else {}


@dataclass(frozen=True)
class Login:
    """Signs visitors in and out."""

    tables: TableService
    accounts: Accounts
    profiles: Profiles
    personal_data: PersonalDataRegistry

    def sign_in(self, request: Request, account: Account, *, proved: bool = True) -> MergeResult:
        """Sign a visitor in with a new session, against session fixation; Forbidden if the account is banned."""
        self.accounts.sessions.check_not_banned(account.guest)
        arrival = self._merge_guest(request, account)
        before = (
            request.scope[PREVIOUS_GUEST]
            if arrival.left or arrival.rated
            else request.session.get(FORMER_GUEST_KEY, "")
        )
        self.begin_session(request, account, proved=proved)
        if before not in ("", account.guest):
            request.session[FORMER_GUEST_KEY] = before
        return arrival

    def _merge_guest(self, request: Request, account: Account) -> MergeResult:
        """Merge the guest of this browser into an account, unless the guest has an account."""
        guest = current_visitor(request).id
        request.scope[PREVIOUS_GUEST] = guest
        if not guest or guest == account.guest or account_of(request) is not None:
            return MergeResult()
        store = self.tables.store
        count, (left, rated) = len(store.for_guest(guest)), count_unmerged(store, guest, account.guest)
        self.personal_data.merge(guest, account.guest)
        self.profiles.rename(account.guest, account.name)
        return MergeResult(count - left - rated, left, rated)

    def begin_session(self, request: Request, account: Account, *, proved: bool) -> None:
        """Create a session in a new cookie. It names the device, so that strangers cannot lock its owner out."""
        device = device_name(request.headers.get("user-agent", ""))
        written = self.accounts.sessions.create(account.guest, device, proved=proved)
        if old := request.session.get(SESSION_KEY):
            self.accounts.sessions.end(request.session["guest"], old.partition("-")[0])
        sign_out(request.session)
        load_account(request.session, account)
        request.session.update({"guest": account.guest, SESSION_KEY: written})
        if account.mail:
            mark = self.accounts.login_attempts.account_key(normalize_email(account.mail))
            known = {**request.session.get("devices", {}), mark: token_urlsafe(9)}
            request.session["devices"] = dict(list(known.items())[-MAX_KNOWN_DEVICES:])

    def sign_out(self, request: Request) -> None:
        """Sign out; the cookie returns to the earlier guest if that guest kept games."""
        number = request.session.get(SESSION_KEY, "").partition("-")[0]
        self.accounts.sessions.end(current_visitor(request).id, number)
        sign_out(request.session)
