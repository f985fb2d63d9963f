"""Accounts of players. An account has the id of the guest who created it."""

from collections.abc import Mapping
from secrets import token_urlsafe
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Row, insert, select, update
from sqlalchemy.exc import IntegrityError

from ..errors import Conflict
from ..storage import schema
from ..storage.database import read_connection

A = schema.account.c
ACCOUNT_EXISTS = "You already have an account. Sign in to it instead."
EMAIL_TAKEN = "Another account now uses this email address. Sign in to that account, or choose another address."


class Account(NamedTuple):
    guest: str
    handle: str  # the user id in passkeys
    mail: str  # confirmed; empty if there is none
    password: str  # its hash; empty if there is none
    name: str
    preferences: dict[str, str]
    created_at: float


class AccountRepository:
    """Reads accounts, and saves their names and preferences."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def get(self, guest: str) -> Account | None:
        return self._find(A.guest == guest) if guest else None

    def find_by_email(self, mail: str) -> Account | None:
        return self._find(A.mail == normalize_email(mail))

    def has_accounts(self) -> bool:
        with read_connection(self.engine) as db:
            return db.execute(select(A.guest).limit(1)).first() is not None

    def has_passwords(self) -> bool:
        with read_connection(self.engine) as db:
            return db.execute(select(A.guest).where(A.password != "").limit(1)).first() is not None

    def _find(self, condition: Any) -> Account | None:
        with read_connection(self.engine) as db:
            row = db.execute(select(schema.account).where(condition)).first()
        return account_from_row(row) if row else None

    def save_profile(self, guest: str, name: str, preferences: Mapping[str, str]) -> None:
        with self.engine.begin() as db:
            db.execute(update(schema.account).where(A.guest == guest).values(name=name, preferences=dict(preferences)))


def account_from_row(row: Row) -> Account:
    account = Account(*(getattr(row, name) for name in Account._fields))
    return account._replace(mail=account.mail or "", preferences=dict(account.preferences))


def create_account(
    db: Connection,
    guest: str,
    name: str,
    preferences: Mapping[str, str],
    mail: str = "",
    password: str = "",
    handle: str = "",
    *,
    now: float,
) -> None:
    """Create the account of a guest; Conflict if the guest has one, or another account has the email address."""
    row = {"guest": guest, "handle": handle or new_handle(), "mail": normalize_email(mail) or None, "created_at": now}
    try:
        db.execute(
            insert(schema.account), {**row, "password": password, "name": name, "preferences": dict(preferences)}
        )
    except IntegrityError:
        raise Conflict(EMAIL_TAKEN if mail else ACCOUNT_EXISTS) from None


def update_account(db: Connection, guest: str, **values: str | None) -> None:
    """Change columns of an account; Conflict if another account has the email address."""
    try:
        db.execute(update(schema.account).where(A.guest == guest).values(**values))
    except IntegrityError:
        raise Conflict(EMAIL_TAKEN) from None


def lock_account(db: Connection, guest: str) -> None:
    """Lock an account against other writers until the transaction ends."""
    db.execute(update(schema.account).where(A.guest == guest).values(created_at=A.created_at))


def normalize_email(mail: str) -> str:
    """Return an email address in lower case and without outer blanks, as accounts store it."""
    return mail.strip().lower()


def new_handle() -> str:
    return token_urlsafe(32)
