"""One-time links. The database stores what a link does, and a hash of its secret."""

import re
from hmac import compare_digest
from secrets import token_hex, token_urlsafe
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Row, delete, insert, select, update

from ..clock import Clock
from ..errors import NotFound
from ..storage import schema
from ..storage.database import read_connection
from .api_tokens import EMPTY_HASH, hash_secret

L = schema.link.c
LINK_PATTERN = re.compile(r"([0-9a-f]{16})-([\w-]{43})", re.ASCII)
MINUTE, DAY = 60, 24 * 3600
# Kinds of links
SIGN_UP, RESET, OLD_MAIL, NEW_MAIL, DEVICE, INVITE = "sign up", "reset", "old mail", "new mail", "device", "invite"
PASSKEY = "passkey"  # a challenge to an authenticator
LIFETIME_SECONDS = {
    SIGN_UP: DAY,
    RESET: 60 * MINUTE,
    OLD_MAIL: DAY,
    NEW_MAIL: DAY,
    DEVICE: 10 * MINUTE,
    INVITE: 7 * DAY,
    PASSKEY: 5 * MINUTE,
}
LINK_EXPIRED = "This link no longer works: it has been used, it is too old, or it was cut off when copied."


class OneTimeLink(NamedTuple):
    """A link that has not been used."""

    id: str
    kind: str
    guest: str
    payload: dict[str, Any]


class OneTimeLinks:
    """Creates, finds and consumes links."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine, self._clock = engine, clock

    def create(self, kind: str, guest: str = "", **facts: Any) -> str:
        """Create a link and return the last part of its address. Prunes old links."""
        with self._engine.begin() as db:
            return create(db, self._clock.now(), kind, guest, **facts)

    def find(self, written: str, *kinds: str) -> OneTimeLink:
        """Return the link with this text; NotFound if it is invalid or of another kind."""
        parts = LINK_PATTERN.fullmatch(written)
        row = self._row(parts[1]) if parts else None
        alike = compare_digest(row.hash if row else EMPTY_HASH, hash_secret(parts[2] if parts else ""))
        if (
            row is None
            or not alike
            or row.kind not in kinds
            or row.used is not None
            or row.expires <= self._clock.now()
        ):
            raise NotFound(LINK_EXPIRED)
        return OneTimeLink(row.id, row.kind, row.guest, dict(row.facts))

    def _row(self, number: str) -> Row | None:
        with read_connection(self._engine) as db:
            return db.execute(select(schema.link).where(L.id == number)).first()

    def consume(self, written: str, *kinds: str) -> OneTimeLink:
        """Find and consume a link in a transaction of its own."""
        found = self.find(written, *kinds)
        with self._engine.begin() as db:
            consume(db, found, self._clock.now())
        return found


def create(db: Connection, now: float, kind: str, guest: str = "", **facts: Any) -> str:
    """Create a link within a transaction, and return the last part of its address."""
    number, secret = token_hex(8), token_urlsafe(32)
    row = {"id": number, "hash": hash_secret(secret), "kind": kind, "guest": guest, "facts": facts, "made": now}
    prune(db, now)
    db.execute(insert(schema.link), {**row, "expires": now + LIFETIME_SECONDS[kind]})
    return f"{number}-{secret}"


def prune(db: Connection, now: float) -> None:
    """Delete links that expired more than a day ago."""
    db.execute(delete(schema.link).where(L.expires < now - DAY))


def consume(db: Connection, link: OneTimeLink, now: float) -> None:
    """Mark a link as used; NotFound if it has been used meanwhile. Then the caller must roll back."""
    fresh = (L.id == link.id) & L.used.is_(None) & (L.expires > now)
    if db.execute(update(schema.link).where(fresh).values(used=now)).rowcount != 1:
        raise NotFound(LINK_EXPIRED)


def revoke(db: Connection, guest: str, *kinds: str) -> None:
    """Delete the links of a guest of these kinds."""
    db.execute(delete(schema.link).where(L.guest == guest, L.kind.in_(kinds)))


def has_unused(db: Connection, guest: str, *kinds: str) -> bool:
    """Whether the guest has an unused link of these kinds."""
    return db.execute(select(L.id).where(L.guest == guest, L.kind.in_(kinds), L.used.is_(None))).first() is not None


def is_new_email_confirmed(db: Connection, guest: str) -> bool:
    """Whether the owner of the new address has confirmed it. The change always needs this."""
    return db.execute(select(L.id).where(L.guest == guest, L.kind == NEW_MAIL, L.used.is_not(None))).first() is not None
