"""The accounts of people. An account has the id of the guest who made it."""

from collections.abc import Mapping
from secrets import token_urlsafe
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from ..errors import Conflict
from ..storage import schema
from ..storage.database import read_connection

A = schema.account.c
TAKEN = "This can't be done: there is an account already. Sign in to it instead."
USED = "Another account has this email address by now. Sign in to that one, or choose another address."


class Account(NamedTuple):
    """What the site knows of somebody with an account."""

    guest: str
    handle: str  # what passkeys call it
    mail: str  # confirmed; empty if there is none
    password: str  # its hash; empty if there is none
    name: str
    preferences: dict[str, str]
    made: float


class AccountRepository:
    """All accounts."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def of(self, guest: str) -> Account | None:
        """The account of a guest, if there is one."""
        return self._find(A.guest == guest) if guest else None

    def with_mail(self, mail: str) -> Account | None:
        """The account with a mail address, if there is one."""
        return self._find(A.mail == plain(mail))

    def with_handle(self, handle: str) -> Account | None:
        """The account that passkeys call so, if there is one."""
        return self._find(A.handle == handle)

    def any(self) -> bool:
        """Has anybody an account?"""
        with read_connection(self.engine) as db:
            return db.execute(select(A.guest).limit(1)).first() is not None

    def any_password(self) -> bool:
        """Can anybody sign in with a password?"""
        with read_connection(self.engine) as db:
            return db.execute(select(A.guest).where(A.password != "").limit(1)).first() is not None

    def _find(self, condition: Any) -> Account | None:
        with read_connection(self.engine) as db:
            row = db.execute(select(schema.account).where(condition)).first()
        return account_of_row(row) if row else None

    def keep(self, guest: str, name: str, preferences: Mapping[str, str]) -> None:
        """Keep what somebody is called, and how they like to play."""
        with self.engine.begin() as db:
            db.execute(update(schema.account).where(A.guest == guest).values(name=name, preferences=dict(preferences)))


def account_of_row(row: Row) -> Account:
    """An account from its row."""
    facts = {name: getattr(row, name) for name in Account._fields}
    return Account(**{**facts, "mail": facts["mail"] or "", "preferences": dict(facts["preferences"])})


def make(
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
    """Make an account of a guest; Conflict if the guest has one, or another one has the address."""
    row = {"guest": guest, "handle": handle or fresh_handle(), "mail": plain(mail) or None, "password": password}
    try:
        db.execute(insert(schema.account), {**row, "name": name, "preferences": dict(preferences), "made": now})
    except IntegrityError:
        raise Conflict(USED if mail else TAKEN) from None


def change(db: Connection, guest: str, **values: str | None) -> None:
    """Change the mail address or the password of an account; Conflict if another one has the address."""
    try:
        db.execute(update(schema.account).where(A.guest == guest).values(**values))
    except IntegrityError:
        raise Conflict(USED) from None


def hold(db: Connection, guest: str) -> None:
    """Let nobody else change an account until this transaction has ended."""
    db.execute(update(schema.account).where(A.guest == guest).values(made=A.made))


def remove(db: Connection, guest: str) -> None:
    """Remove an account."""
    db.execute(delete(schema.account).where(A.guest == guest))


def plain(mail: str) -> str:
    """A mail address as accounts are found by it: small letters, for nobody's mailboxes differ by the others."""
    return mail.strip().lower()


def fresh_handle() -> str:
    """What passkeys call a new account."""
    return token_urlsafe(32)
