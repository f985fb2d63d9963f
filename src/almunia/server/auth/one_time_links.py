"""Links that hold once and not for long: what they do is kept here, with a hash of the secret that is in them."""

import re
from hmac import compare_digest
from secrets import token_hex, token_urlsafe
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Row, delete, insert, select, update

from ..clock import Clock
from ..errors import NotFound
from ..storage import schema
from ..storage.database import read_connection
from .api_tokens import NOTHING, hashed

L = schema.link.c
WRITTEN = re.compile(r"([0-9a-f]{16})-([\w-]{43})", re.ASCII)
MINUTE, DAY = 60, 24 * 3600
# What a link does, and for how many seconds it holds.
SIGN_UP, RESET, OLD_MAIL, NEW_MAIL, DEVICE, INVITE = "sign up", "reset", "old mail", "new mail", "device", "invite"
PASSKEY = "passkey"  # no link, but a challenge to an authenticator
LASTING = {
    SIGN_UP: DAY,
    RESET: 60 * MINUTE,
    OLD_MAIL: DAY,
    NEW_MAIL: DAY,
    DEVICE: 10 * MINUTE,
    INVITE: 7 * DAY,
    PASSKEY: 5 * MINUTE,
}
GONE = "This link no longer works: it has been used, it is too old, or it was cut off when copied."


class OneTimeLink(NamedTuple):
    """What a link does."""

    id: str
    kind: str
    guest: str
    facts: dict[str, Any]


class OneTimeLinks:
    """All links of the site."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine, self._clock = engine, clock

    def make(self, kind: str, guest: str = "", **facts: Any) -> str:
        """A new link, as its address ends. What expired long ago is forgotten meanwhile."""
        with self._engine.begin() as db:
            return make(db, self._clock.now(), kind, guest, **facts)

    def find(self, written: str, *kinds: str) -> OneTimeLink:
        """What a link does; NotFound if it holds no longer, or does something else."""
        parts = WRITTEN.fullmatch(written)
        row = self._row(parts[1]) if parts else None
        alike = compare_digest(row.hash if row else NOTHING, hashed(parts[2] if parts else ""))
        if (
            row is None
            or not alike
            or row.kind not in kinds
            or row.used is not None
            or row.expires <= self._clock.now()
        ):
            raise NotFound(GONE)
        return OneTimeLink(row.id, row.kind, row.guest, dict(row.facts))

    def _row(self, number: str) -> Row | None:
        with read_connection(self._engine) as db:
            return db.execute(select(schema.link).where(L.id == number)).first()

    def take(self, written: str, *kinds: str) -> OneTimeLink:
        """Use a link that needs nothing else to be written with it."""
        found = self.find(written, *kinds)
        with self._engine.begin() as db:
            use(db, found, self._clock.now())
        return found


def make(db: Connection, now: float, kind: str, guest: str = "", **facts: Any) -> str:
    """A new link, within a transaction."""
    number, secret = token_hex(8), token_urlsafe(32)
    row = {"id": number, "hash": hashed(secret), "kind": kind, "guest": guest, "facts": facts, "made": now}
    prune(db, now)
    db.execute(insert(schema.link), {**row, "expires": now + LASTING[kind]})
    return f"{number}-{secret}"


def prune(db: Connection, now: float) -> None:
    """Forget the links that have not held for a day."""
    db.execute(delete(schema.link).where(L.expires < now - DAY))


def use(db: Connection, link: OneTimeLink, now: float) -> None:
    """Use a link up; NotFound if somebody has just done so, and then the transaction must not go on."""
    fresh = (L.id == link.id) & L.used.is_(None) & (L.expires > now)
    if db.execute(update(schema.link).where(fresh).values(used=now)).rowcount != 1:
        raise NotFound(GONE)


def drop(db: Connection, guest: str, *kinds: str) -> None:
    """Let the links of somebody hold no longer."""
    db.execute(delete(schema.link).where(L.guest == guest, L.kind.in_(kinds)))


def waiting(db: Connection, guest: str, *kinds: str) -> bool:
    """Is there a link of these kinds that somebody has not used yet?"""
    return db.execute(select(L.id).where(L.guest == guest, L.kind.in_(kinds), L.used.is_(None))).first() is not None


def agreed(db: Connection, guest: str) -> bool:
    """Has the new address agreed, which must whatever the old one says?"""
    return db.execute(select(L.id).where(L.guest == guest, L.kind == NEW_MAIL, L.used.is_not(None))).first() is not None
