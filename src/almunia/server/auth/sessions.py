"""Sessions of signed-in players. The cookie holds a secret; the database stores its hash."""

import re
from collections.abc import Collection, Sequence
from secrets import token_hex, token_urlsafe
from threading import Lock
from typing import NamedTuple

from sqlalchemy import Connection, Engine, Row, delete, insert, select, update

from ..broker import Broker
from ..clock import DAY, Clock
from ..errors import Forbidden
from ..storage import schema
from ..storage.database import read_connection
from .accounts import Account, account_from_row
from .api_tokens import find_by_secret, hash_secret

S, A = schema.login_session.c, schema.account.c
SESSION_PATTERN = re.compile(r"([0-9a-f]{16})-([\w-]{43})", re.ASCII)
ID_PATTERN = re.compile(r"[0-9a-f]{16}")
MAX_IDLE_SECONDS = 90 * DAY  # without a request, until a session ends
USE_UPDATE_SECONDS = 60.0  # least time between two updates of a session's last use
CONFIRMATION_SECONDS = 600.0  # for which a confirmed identity allows changes to the account
CACHE_SECONDS = 5.0  # of an account in a request; another process may have ended the session meanwhile
STREAM_CACHE_SECONDS = 600.0  # of a guest without an account, and in a stream; changes are published
TOPIC_PREFIX = "sessions"  # before the guest's id, in the topic of changes to sessions and account
MAX_CACHED_CONTEXTS = 10_000
# Names in a User-Agent header, in this order, since most browsers name Safari, too
BROWSERS = {"Edg": "Edge", "OPR": "Opera", "SamsungBrowser": "Samsung Internet"}
BROWSERS |= {name: name for name in ("Firefox", "Chromium", "Chrome", "Safari")}
SYSTEMS = {name: name for name in ("Android", "iPhone", "iPad", "Windows")}
SYSTEMS |= {"CrOS": "ChromeOS", "Mac OS X": "macOS", "Linux": "Linux"}


class Session(NamedTuple):
    """A signed-in browser."""

    id: str
    guest: str
    device: str
    created_at: float
    last_seen_at: float
    reauthenticated_at: float | None  # time at which the player last confirmed their identity here

    def is_confirmed(self, now: float) -> bool:
        """Whether the player has confirmed their identity in the last ten minutes."""
        return self.reauthenticated_at is not None and now - self.reauthenticated_at < CONFIRMATION_SECONDS


class AuthContext(NamedTuple):
    """The sender of a cookie: an account with its session, or a guest."""

    account: Account | None = None
    session: Session | None = None
    guest_is_unclaimed: bool = True  # whether a cookie without a session may act as this guest
    # The skeleton of a name that the administrator has replaced, and the new name
    replaced_name: tuple[str, str] | None = None


class Sessions:
    """Creates, finds and ends sessions."""

    def __init__(self, engine: Engine, broker: Broker, clock: Clock) -> None:
        self._engine, self._broker, self._clock = engine, broker, clock
        self._cache: dict[tuple[str, str], tuple[float, AuthContext]] = {}
        self._changes = 0
        self._cache_lock = Lock()

    # --- authentication -----------------------------------------------------------------

    def get_cached(self, guest: str, written: str, *, streaming: bool = False) -> AuthContext | None:
        """Return the cached context of a cookie; None if it has to be loaded.

        A stream checks its session at each event, several times a minute, so it trusts the cache for longer.
        """
        at, found = self._cache.get((guest, written), (0.0, None))
        trusted = CACHE_SECONDS if written and not streaming else STREAM_CACHE_SECONDS
        return found if 0 <= self._clock.now() - at < trusted else None

    def load(self, guest: str, written: str) -> AuthContext:
        """Load the context of a cookie, cache it, and record the use of its session."""
        changes, now = self._changes, self._clock.now()
        found = self._find(guest, written, now)
        with self._cache_lock:
            if changes == self._changes:
                if len(self._cache) >= MAX_CACHED_CONTEXTS:
                    self._cache.clear()
                self._cache[guest, written] = now, found
        return found

    def _find(self, guest: str, written: str, now: float) -> AuthContext:
        parts, m = SESSION_PATTERN.fullmatch(written), schema.moderation.c
        with read_connection(self._engine) as db:
            account = db.execute(select(schema.account).where(A.guest == guest)).first()
            row = find_by_secret(db, schema.login_session, *parts.groups()) if parts else None
            if row and (account is None or row.guest != guest or now - row.last_seen_at > MAX_IDLE_SECONDS):
                row = None
            if (row is None) if written else (account is not None):
                return AuthContext(guest_is_unclaimed=False)
            renamed = db.execute(
                select(m.replaced_skeleton, m.name).where(m.guest == guest, m.replaced_skeleton != "")
            ).first()
        replaced_name = (renamed.replaced_skeleton, renamed.name) if renamed else None
        if account is None or row is None:
            return AuthContext(replaced_name=replaced_name)
        if now - row.last_seen_at >= USE_UPDATE_SECONDS:
            with self._engine.begin() as db:
                db.execute(update(schema.login_session).where(S.id == row.id).values(last_seen_at=now))
        return AuthContext(account_from_row(account), session_from_row(row), replaced_name=replaced_name)

    def check_not_banned(self, guest: str) -> None:
        """Raise Forbidden if the administrator has closed the account."""
        m = schema.moderation.c
        with read_connection(self._engine) as db:
            if db.execute(select(m.guest).where(m.guest == guest, m.is_banned.is_(True))).first():
                raise Forbidden("The site's administrator has closed this account.")

    def invalidate(self, guest: str) -> None:
        """Drop the cached contexts of a guest in all processes, and wake the guest's streams."""
        self.invalidate_local(guest)
        self._broker.publish(session_topic(guest))

    def invalidate_local(self, guest: str) -> None:
        with self._cache_lock:
            self._changes += 1
            for key in [key for key in self._cache if key[0] == guest]:
                del self._cache[key]

    def invalidate_all_local(self) -> None:
        """Drop all contexts that this process has cached: messages may have been lost."""
        with self._cache_lock:
            self._changes += 1
            self._cache.clear()

    def invalidate_ended(self, guests: Collection[str]) -> list[str]:
        """Drop the contexts of those guests whose cached session no longer exists, and return these guests.

        `almunia moderate` ends sessions in another process.
        """
        with self._cache_lock:
            cached = [auth_context.session for _, auth_context in self._cache.values()]
        held = {session.id: session.guest for session in cached if session and session.guest in guests}
        if not held:
            return []
        with read_connection(self._engine) as db:
            left = set(db.execute(select(S.id).where(S.id.in_(held))).scalars())
        ended = sorted({guest for number, guest in held.items() if number not in left})
        for guest in ended:
            self.invalidate_local(guest)
        return ended

    # --- creation and end ---------------------------------------------------------------

    def create(self, guest: str, device: str, *, proved: bool) -> str:
        """Create a session, and return its token for the cookie.

        `proved`: whether the player has just confirmed their identity.
        """
        number, secret, now = token_hex(8), token_urlsafe(32), self._clock.now()
        row = {
            "id": number,
            "hash": hash_secret(secret),
            "guest": guest,
            "device": device,
            "created_at": now,
            "last_seen_at": now,
        }
        with self._engine.begin() as db:
            prune(db, now)
            db.execute(insert(schema.login_session), {**row, "reauthenticated_at": now if proved else None})
        self.invalidate(guest)
        return f"{number}-{secret}"

    def for_guest(self, guest: str) -> Sequence[Session]:
        """Return the unexpired sessions of a guest, most recently used first."""
        wanted = select(schema.login_session).where(
            S.guest == guest, S.last_seen_at >= self._clock.now() - MAX_IDLE_SECONDS
        )
        with read_connection(self._engine) as db:
            return [session_from_row(row) for row in db.execute(wanted.order_by(S.last_seen_at.desc(), S.id))]

    def confirm(self, session: Session) -> None:
        with self._engine.begin() as db:
            db.execute(
                update(schema.login_session).where(S.id == session.id).values(reauthenticated_at=self._clock.now())
            )
        self.invalidate(session.guest)

    def end(self, guest: str, number: str) -> bool:
        """End a session of a guest, and return whether it existed."""
        if not ID_PATTERN.fullmatch(number):
            return False
        with self._engine.begin() as db:
            gone = db.execute(delete(schema.login_session).where(S.guest == guest, S.id == number)).rowcount > 0
        self.invalidate(guest)
        return gone

    def end_others(self, guest: str, but: str = "") -> None:
        with self._engine.begin() as db:
            end_sessions(db, guest, but)
        self.invalidate(guest)


def session_topic(guest: str) -> str:
    return f"{TOPIC_PREFIX} {guest}"


def guest_of_topic(topic: str) -> str:
    """Return the guest of a topic of `session_topic`; empty for other topics."""
    kind, _, guest = topic.partition(" ")
    return guest if kind == TOPIC_PREFIX else ""


def prune(db: Connection, now: float) -> None:
    db.execute(delete(schema.login_session).where(S.last_seen_at < now - MAX_IDLE_SECONDS))


def end_sessions(db: Connection, guest: str, but: str = "") -> None:
    """End all sessions of a guest except the session `but`, within a transaction."""
    db.execute(delete(schema.login_session).where(S.guest == guest, S.id != but))


def session_from_row(row: Row) -> Session:
    return Session(*(getattr(row, name) for name in Session._fields))


def device_name(agent: str) -> str:
    """Return words for the browser and system in a User-Agent header, such as `Firefox on Linux`."""
    browser = next((name for mark, name in BROWSERS.items() if f"{mark}/" in agent), "A browser")
    system = next((name for mark, name in SYSTEMS.items() if mark in agent), "")
    return f"{browser} on {system}" if system else browser
