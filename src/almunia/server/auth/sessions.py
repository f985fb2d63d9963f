"""Sessions: where somebody is signed in. The cookie holds a secret of which only the hash is kept here."""

import re
from collections.abc import Collection, Sequence
from hmac import compare_digest
from secrets import token_hex, token_urlsafe
from threading import Lock
from typing import NamedTuple

from sqlalchemy import Connection, Engine, Row, delete, insert, select, update

from ..broker import Broker
from ..clock import DAY, Clock
from ..errors import Forbidden
from ..storage import schema
from ..storage.database import read_connection
from .accounts import Account, account_of_row
from .api_tokens import NOTHING, hashed

S, A = schema.session.c, schema.account.c
WRITTEN = re.compile(r"([0-9a-f]{16})-([\w-]{43})", re.ASCII)
NUMBER = re.compile(r"[0-9a-f]{16}")
IDLE = 90 * DAY  # seconds without a request after which a session ends
OFTEN = 60.0  # seconds between two times at which it is written down that a session is used
FRESH = 600.0  # seconds for which it counts that somebody has shown who they are
TRUSTED = 5.0  # seconds for which a request trusts the cache; another process may have ended a session meanwhile
TOLD_TRUSTED = 600.0  # the same of a guest without one, and in a stream: changes are published
CHANGED = "sessions"  # with a guest, the topic of changes to the guest's sessions and account
KEPT = 10_000  # sessions of which that is remembered
BROWSERS = ("Edg", "OPR", "SamsungBrowser", "Firefox", "Chromium", "Chrome", "Safari")  # as they can be told apart
NAMES = {"Edg": "Edge", "OPR": "Opera", "SamsungBrowser": "Samsung Internet"}
SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "CrOS", "Mac OS X", "Linux")
CALLED = {"CrOS": "ChromeOS", "Mac OS X": "macOS"}


class Session(NamedTuple):
    """Where somebody is signed in."""

    id: str
    guest: str
    device: str
    made: float
    seen: float
    proved: float | None  # when its password or a passkey was last shown here

    def is_fresh(self, now: float) -> bool:
        """Whether somebody has shown here, at most ten minutes ago, who they are."""
        return self.proved is not None and now - self.proved < FRESH


class AuthContext(NamedTuple):
    """What is known of whoever sends a cookie: the account with its session, or a guest who is free to be one."""

    account: Account | None = None
    session: Session | None = None
    free: bool = True  # may a cookie without a session speak for this guest?
    renamed: tuple[str, str] | None = None  # what a name looks like that was taken from them, and the one instead


class Sessions:
    """All sessions of the site."""

    def __init__(self, engine: Engine, notifier: Broker, clock: Clock) -> None:
        self._engine, self._notifier, self._clock = engine, notifier, clock
        self._known: dict[tuple[str, str], tuple[float, AuthContext]] = {}
        self._changes = 0
        self._knowing = Lock()

    # --- who asks -----------------------------------------------------------------------

    def known(self, guest: str, written: str, *, streaming: bool = False) -> AuthContext | None:
        """Return what is still known of the sender of a cookie; None if it has to be looked up.

        A stream asks at each of its events, so an open page would look several times a minute.
        """
        at, found = self._known.get((guest, written), (0.0, None))
        trusted = TRUSTED if written and not streaming else TOLD_TRUSTED
        return found if 0 <= self._clock.now() - at < trusted else None

    def look(self, guest: str, written: str) -> AuthContext:
        """Look it up."""
        changes, now = self._changes, self._clock.now()
        found = self._find(guest, written) if written else AuthContext(free=not self._is_account(guest))
        if found.free or found.account:
            found = found._replace(renamed=self._renamed(guest))
        with self._knowing:
            if changes == self._changes:
                if len(self._known) >= KEPT:
                    self._known.clear()
                self._known[guest, written] = now, found
        return found

    def _find(self, guest: str, written: str) -> AuthContext:
        parts = WRITTEN.fullmatch(written)
        if parts is None:
            return AuthContext(free=False)
        with read_connection(self._engine) as db:
            row = db.execute(select(schema.session).where(S.id == parts[1])).first()
            alike = compare_digest(row.hash if row else NOTHING, hashed(parts[2]))
            if row is None or not alike or row.guest != guest or self._clock.now() - row.seen > IDLE:
                return AuthContext(free=False)
            account = db.execute(select(schema.account).where(A.guest == guest)).first()
        if account is None:
            return AuthContext(free=False)
        self._note_use(row)
        return AuthContext(account_of_row(account), session_of(row))

    def _is_account(self, guest: str) -> bool:
        with read_connection(self._engine) as db:
            return db.execute(select(A.guest).where(A.guest == guest)).first() is not None

    def _renamed(self, guest: str) -> tuple[str, str] | None:
        m = schema.moderated.c
        with read_connection(self._engine) as db:
            row = db.execute(select(m.was, m.name).where(m.guest == guest, m.was != "")).first()
        return (row.was, row.name) if row else None

    def check_let_in(self, guest: str) -> None:
        """Forbidden if whoever runs the site lets nobody sign in to this account."""
        m = schema.moderated.c
        with read_connection(self._engine) as db:
            if db.execute(select(m.guest).where(m.guest == guest, m.out.is_(True))).first():
                raise Forbidden("The administrator of this site has closed this account.")

    def _note_use(self, row: Row) -> None:
        now = self._clock.now()
        if now - row.seen >= OFTEN:
            with self._engine.begin() as db:
                db.execute(update(schema.session).where(S.id == row.id).values(seen=now))

    def forget(self, guest: str) -> None:
        """Drop what is cached of a guest, in all processes, and wake the guest's streams, which end with a session."""
        self.forget_here(guest)
        self._notifier.publish(session_topic(guest))

    def forget_here(self, guest: str) -> None:
        """Drop what this process has cached of a guest."""
        with self._knowing:
            self._changes += 1
            for key in [key for key in self._known if key[0] == guest]:
                del self._known[key]

    def forget_all_here(self) -> None:
        """Drop all that this process has cached: messages may have been lost."""
        with self._knowing:
            self._changes += 1
            self._known.clear()

    def forget_ended(self, guests: Collection[str]) -> list[str]:
        """Drop what this process has cached of those of some guests whose sessions have ended unnoticed; return them.

        Reads all their sessions by one query. `almunia moderate` ends sessions in a process of its own.
        """
        with self._knowing:
            cached = [standing.session for _, standing in self._known.values()]
        held = {session.id: session.guest for session in cached if session and session.guest in guests}
        if not held:
            return []
        with read_connection(self._engine) as db:
            left = set(db.execute(select(S.id).where(S.id.in_(held))).scalars())
        ended = sorted({guest for number, guest in held.items() if number not in left})
        for guest in ended:
            self.forget_here(guest)
        return ended

    # --- beginning and ending -----------------------------------------------------------

    def begin(self, guest: str, device: str, *, proved: bool) -> str:
        """A new session, as its cookie holds it."""
        number, secret, now = token_hex(8), token_urlsafe(32), self._clock.now()
        row = {"id": number, "hash": hashed(secret), "guest": guest, "device": device, "made": now, "seen": now}
        with self._engine.begin() as db:
            prune(db, now)
            db.execute(insert(schema.session), {**row, "proved": now if proved else None})
        self.forget(guest)
        return f"{number}-{secret}"

    def of(self, guest: str) -> Sequence[Session]:
        """The sessions of somebody, the one used last first."""
        wanted = select(schema.session).where(S.guest == guest, S.seen >= self._clock.now() - IDLE)
        with read_connection(self._engine) as db:
            return [session_of(row) for row in db.execute(wanted.order_by(S.seen.desc(), S.id))]

    def prove(self, session: Session) -> None:
        """Somebody has just shown who they are."""
        with self._engine.begin() as db:
            db.execute(update(schema.session).where(S.id == session.id).values(proved=self._clock.now()))
        self.forget(session.guest)

    def end(self, guest: str, number: str) -> bool:
        """End one session of somebody; was there one?"""
        if not NUMBER.fullmatch(number):
            return False
        with self._engine.begin() as db:
            gone = db.execute(delete(schema.session).where(S.guest == guest, S.id == number)).rowcount > 0
        self.forget(guest)
        return gone

    def end_others(self, guest: str, but: str = "") -> None:
        """End all sessions of somebody but one."""
        with self._engine.begin() as db:
            end_all(db, guest, but)
        self.forget(guest)


def session_topic(guest: str) -> str:
    """Return the topic of changes to a guest's sessions and account."""
    return f"{CHANGED} {guest}"


def guest_of_topic(topic: str) -> str:
    """Return the guest of such a topic; empty for any other topic."""
    kind, _, guest = topic.partition(" ")
    return guest if kind == CHANGED else ""


def prune(db: Connection, now: float) -> None:
    """Forget the sessions that nobody has used for so long that they have ended."""
    db.execute(delete(schema.session).where(S.seen < now - IDLE))


def end_all(db: Connection, guest: str, but: str = "") -> None:
    """End all sessions of somebody but one, within a transaction."""
    db.execute(delete(schema.session).where(S.guest == guest, S.id != but))


def session_of(row: Row) -> Session:
    """A session from its row."""
    return Session(*(getattr(row, name) for name in Session._fields))


def device_of(agent: str) -> str:
    """What a browser says that it is, in short."""
    browser = next((name for name in BROWSERS if f"{name}/" in agent), "")
    system = next((name for name in SYSTEMS if name in agent), "")
    shown = NAMES.get(browser, browser) or "A browser"
    return f"{shown} on {CALLED.get(system, system)}" if system else shown
