"""One-time links. The database stores the kind, guest and payload of a link, and a hash of its secret."""

import re
from secrets import token_hex, token_urlsafe
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, delete, insert, select, update

from ..clock import DAY, MINUTE, Clock
from ..errors import NotFound
from ..storage import schema
from ..storage.database import read_connection
from .api_tokens import find_by_secret, hash_secret

L = schema.one_time_link.c
LINK_PATTERN = re.compile(r"([0-9a-f]{16})-([\w-]{43})", re.ASCII)
# Kinds of links
SIGN_UP, RESET, OLD_MAIL, NEW_MAIL, DEVICE, INVITE = "sign up", "reset", "old mail", "new mail", "device", "invite"
PASSKEY = "passkey"  # a challenge to an authenticator
LIFETIME_SECONDS = {SIGN_UP: DAY, RESET: 60 * MINUTE, OLD_MAIL: DAY, NEW_MAIL: DAY, DEVICE: 10 * MINUTE}
LIFETIME_SECONDS |= {INVITE: 7 * DAY, PASSKEY: 5 * MINUTE}
LINK_EXPIRED = "This link no longer works. It has already been used, is too old, or was cut off when it was copied."


class OneTimeLink(NamedTuple):
    """A stored link without its secret; the payload depends on the kind."""

    id: str
    kind: str
    guest: str
    payload: dict[str, Any]


class OneTimeLinks:
    """Creates, finds and consumes links."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine, self._clock = engine, clock

    def create(self, kind: str, guest: str = "", **payload: Any) -> str:
        """Create a link and return the last part of its address. Prunes old links."""
        number, secret, now = token_hex(8), token_urlsafe(32), self._clock.now()
        row = {
            "id": number,
            "hash": hash_secret(secret),
            "kind": kind,
            "guest": guest,
            "payload": payload,
            "created_at": now,
        }
        with self._engine.begin() as db:
            prune(db, now)
            db.execute(insert(schema.one_time_link), {**row, "expires_at": now + LIFETIME_SECONDS[kind]})
        return f"{number}-{secret}"

    def find(self, written: str, *kinds: str) -> OneTimeLink:
        """Return the link with this text; NotFound if it is invalid, used, expired, or of another kind."""
        parts = LINK_PATTERN.fullmatch(written)
        with read_connection(self._engine) as db:
            row = find_by_secret(db, schema.one_time_link, *parts.groups()) if parts else None
        if row is None or row.kind not in kinds or row.used_at is not None or row.expires_at <= self._clock.now():
            raise NotFound(LINK_EXPIRED)
        return OneTimeLink(row.id, row.kind, row.guest, dict(row.payload))

    def consume(self, written: str, *kinds: str) -> OneTimeLink:
        """Find a link, and mark it as used; NotFound as in `find`."""
        found = self.find(written, *kinds)
        with self._engine.begin() as db:
            consume(db, found, self._clock.now())
        return found


def prune(db: Connection, now: float) -> None:
    """Delete links that expired more than a day ago."""
    db.execute(delete(schema.one_time_link).where(L.expires_at < now - DAY))


def consume(db: Connection, link: OneTimeLink, now: float) -> None:
    """Mark a link as used; NotFound if it was used or has expired meanwhile. Then the caller must roll back."""
    fresh = (L.id == link.id) & L.used_at.is_(None) & (L.expires_at > now)
    if db.execute(update(schema.one_time_link).where(fresh).values(used_at=now)).rowcount != 1:
        raise NotFound(LINK_EXPIRED)


def revoke(db: Connection, guest: str, *kinds: str) -> None:
    db.execute(delete(schema.one_time_link).where(L.guest == guest, L.kind.in_(kinds)))


def is_email_change_confirmed(db: Connection, guest: str) -> bool:
    """Whether a change of email address was confirmed by the new address, and by the old address if it got a link."""
    links = db.execute(select(L.kind, L.used_at).where(L.guest == guest, L.kind.in_((OLD_MAIL, NEW_MAIL)))).all()
    return all(link.used_at is not None for link in links) and any(link.kind == NEW_MAIL for link in links)
