"""API tokens. An API client acts as the guest who created its token. The database stores only hashes of tokens."""

import re
from hashlib import sha256
from hmac import compare_digest
from secrets import token_hex, token_urlsafe
from threading import Lock
from typing import NamedTuple

from sqlalchemy import Connection, Engine, Row, Table, delete, func, insert, select, update

from ..clock import Clock
from ..errors import Conflict, NotFound
from ..storage import schema
from ..storage.database import locked_transaction, read_connection
from ..tables.event_subscribers import EventSubscribers

T = schema.api_token.c
MAX_TOKENS = 10  # of a guest
USE_UPDATE_SECONDS = 60.0  # least time between two updates of a token's last use
ID_PATTERN = re.compile(r"[0-9a-f]{16}")
TOKEN_PATTERN = re.compile(r"alm_([0-9a-f]{16})_([\w-]{43})", re.ASCII)


class ApiToken(NamedTuple):
    """A stored API token, without its secret."""

    id: str
    player: str  # id of the guest
    display_name: str  # the guest's name when the token was created
    label: str  # the guest's name for the token
    created_at: float
    last_used_at: float | None  # to the minute


class ApiTokens:
    """Creates, finds and revokes tokens."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine, self._clock, self._creation_lock = engine, clock, Lock()

    def create(self, guest: str, display_name: str, label: str) -> str:
        """Create a token and return its text, which is not stored. Conflict if the guest has too many."""
        number, secret = token_hex(8), token_urlsafe(32)
        row = {"id": number, "hash": hash_secret(secret), "player": guest, "display_name": display_name, "label": label}
        with self._creation_lock, locked_transaction(self._engine, f"tokens {guest}") as db:
            if db.execute(select(func.count()).where(T.player == guest)).scalar_one() >= MAX_TOKENS:
                raise Conflict(f"You have {MAX_TOKENS} tokens, which is the limit. Revoke one that you don't use.")
            db.execute(insert(schema.api_token), {**row, "created_at": self._clock.now()})
        return f"alm_{number}_{secret}"

    def for_guest(self, guest: str) -> list[ApiToken]:
        """Return the tokens of a guest, oldest first."""
        wanted = select(schema.api_token).where(T.player == guest).order_by(T.created_at, T.id)
        with read_connection(self._engine) as db:
            return [token_from_row(row) for row in db.execute(wanted)]

    def authenticate(self, written: str) -> ApiToken | None:
        """Return the token with this text; None if the site has no such token.

        The use of a token is recorded at most once a minute.
        """
        parts, now = TOKEN_PATTERN.fullmatch(written), self._clock.now()
        if parts is None:
            return None
        with read_connection(self._engine) as db:
            row = find_by_secret(db, schema.api_token, *parts.groups())
        if row is None:
            return None
        if row.last_used_at is None or now - row.last_used_at >= USE_UPDATE_SECONDS:
            with self._engine.begin() as db:
                db.execute(update(schema.api_token).where(T.id == row.id).values(last_used_at=now))
        return token_from_row(row)

    def is_valid(self, number: str) -> bool:
        with read_connection(self._engine) as db:
            return db.execute(select(T.id).where(T.id == number)).first() is not None

    def revoke(self, guest: str, number: str) -> None:
        """Revoke a token; NotFound if the guest has no token with this id."""
        if not ID_PATTERN.fullmatch(number) or not self._delete(guest, number):
            raise NotFound("You don't have this token. It may already have been revoked.")

    def _delete(self, guest: str, number: str) -> bool:
        with self._engine.begin() as db:
            return bool(db.execute(delete(schema.api_token).where(T.id == number, T.player == guest)).rowcount)


def revoke_all_tokens(tokens: ApiTokens, event_subscribers: EventSubscribers, guest: str) -> None:
    """Revoke all tokens of a guest, and end their streams."""
    for token in tokens.for_guest(guest):
        tokens.revoke(guest, token.id)
        event_subscribers.disconnect_everywhere(token.id, "This token was revoked.")


def hash_secret(secret: str) -> str:
    """Return the hash of a random secret. Its 32 random bytes cannot be guessed, so one round suffices."""
    return sha256(secret.encode()).hexdigest()


def find_by_secret(db: Connection, table: Table, number: str, secret: str) -> Row | None:
    """Return the row with an id and a secret, or None. Compares hashes also without a row, against timing attacks."""
    row = db.execute(select(table).where(table.c.id == number)).first()
    return row if compare_digest(row.hash if row else hash_secret(""), hash_secret(secret)) else None


def token_from_row(row: Row) -> ApiToken:
    return ApiToken(*(getattr(row, name) for name in ApiToken._fields))
