"""Tokens: by which programs act as the guest who made them. Only hashes are kept, so nobody can read one off later."""

import re
from hashlib import sha256
from hmac import compare_digest
from secrets import token_hex, token_urlsafe
from threading import Lock
from typing import NamedTuple

from sqlalchemy import Engine, Row, delete, func, insert, select, update

from ..clock import Clock
from ..errors import Conflict, NotFound
from ..storage import schema
from ..storage.database import locked_transaction, read_connection

MOST = 10  # tokens that a guest may have
OFTEN = 60.0  # seconds between two times at which it is written down that a token is used
NUMBER = re.compile(r"[0-9a-f]{16}")
WRITTEN = re.compile(r"alm_([0-9a-f]{16})_([\w-]{43})", re.ASCII)
NOTHING = sha256(b"").hexdigest()  # which no secret has, compared with where there is no such token


class ApiToken(NamedTuple):
    """What is known of a token; not the token itself."""

    id: str
    player: str  # the guest
    called: str  # what the guest was called when it was made
    label: str  # by which the guest tells it from others
    made: float
    used: float | None  # when it was last used, to the minute


class ApiTokens:
    """All tokens of the site."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine, self._clock, self._making = engine, clock, Lock()

    def make(self, guest: str, called: str, label: str) -> str:
        """A new token, as it is shown this once; Conflict if the guest has too many."""
        number, secret = token_hex(8), token_urlsafe(32)
        row = {"id": number, "hash": hashed(secret), "player": guest, "called": called, "label": label}
        t = schema.token.c
        with self._making, locked_transaction(self._engine, f"tokens {guest}") as db:
            if db.execute(select(func.count()).where(t.player == guest)).scalar_one() >= MOST:
                raise Conflict(f"You have {MOST} tokens, and there can be no more. Revoke one that you do not use.")
            db.execute(insert(schema.token), {**row, "made": self._clock.now()})
        return f"alm_{number}_{secret}"

    def of(self, guest: str) -> list[ApiToken]:
        """The tokens of a guest, the oldest first."""
        t = schema.token.c
        wanted = select(schema.token).where(t.player == guest).order_by(t.made, t.id)
        with read_connection(self._engine) as db:
            return [token_of(row) for row in db.execute(wanted)]

    def find(self, written: str) -> ApiToken | None:
        """What is known of a token that was sent; None if it is none of ours. It counts as used now."""
        parts = WRITTEN.fullmatch(written)
        if parts is None:
            return None
        row = self._row(parts[1])
        alike = compare_digest(row.hash if row else NOTHING, hashed(parts[2]))
        if row is None or not alike:
            return None
        self._note_use(row)
        return token_of(row)

    def stands(self, number: str) -> bool:
        """Is there still a token with this id?"""
        return self._row(number) is not None

    def revoke(self, guest: str, number: str) -> None:
        """Let a token hold no longer; NotFound if the guest has none with this id."""
        if not self._delete(guest, number):
            raise NotFound("You have no such token. It may have been revoked already.")

    def _delete(self, guest: str, number: str) -> bool:
        if not NUMBER.fullmatch(number):
            return False
        t = schema.token.c
        with self._engine.begin() as db:
            return db.execute(delete(schema.token).where(t.id == number, t.player == guest)).rowcount > 0

    def _row(self, number: str) -> Row | None:
        with read_connection(self._engine) as db:
            return db.execute(select(schema.token).where(schema.token.c.id == number)).first()

    def _note_use(self, row: Row) -> None:
        now = self._clock.now()
        if row.used is None or now - row.used >= OFTEN:
            with self._engine.begin() as db:
                db.execute(update(schema.token).where(schema.token.c.id == row.id).values(used=now))


def hashed(secret: str) -> str:
    """What is kept of a secret. It is drawn from so many that nobody finds it by trying, so one round will do."""
    return sha256(secret.encode()).hexdigest()


def token_of(row: Row) -> ApiToken:
    """What is known of a token, from its row."""
    return ApiToken(*(getattr(row, name) for name in ApiToken._fields))
