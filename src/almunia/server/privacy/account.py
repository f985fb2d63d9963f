"""Personal data of accounts: API tokens, vacation, reserved seats, and the account itself."""

from typing import Any

from sqlalchemy import delete, update

from ..auth.accounts import delete_account
from ..auth.api_tokens import ApiTokens
from ..auth.sessions import end_sessions
from ..storage import schema
from ..tables.event_subscribers import EventSubscribers
from .chat import export_rows
from .personal_data import PersonalData, Sources
from .tables import erase_reservations

K, V, L, P = schema.kept_seat.c, schema.vacation.c, schema.link.c, schema.passkey.c


def export_tokens(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the labels and times of a guest's tokens."""
    return [{"label": one.label, "made": one.made, "used": one.used} for one in sources.tokens.for_guest(guest)]


def revoke_tokens(sources: Sources, guest: str, _new: str = "") -> None:
    """Revoke all tokens of a guest: another person may have made them in the same browser."""
    revoke_all_tokens(sources.tokens, sources.event_subscribers, guest)


def revoke_all_tokens(tokens: ApiTokens, event_subscribers: EventSubscribers, guest: str) -> None:
    """Revoke all tokens of a guest, and end their streams."""
    for token in tokens.for_guest(guest):
        tokens.revoke(guest, token.id)
        event_subscribers.disconnect_everywhere(token.id, "This token was revoked.")


def export_vacation(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the vacation of a guest."""
    return export_rows(sources, schema.vacation, V.player == guest, "balance", "at", "since")


def merge_vacation(sources: Sources, old: str, new: str) -> None:
    """Move the vacation to another guest, unless that guest has one."""
    sources.vacations.transfer(old, new)


def erase_vacation(sources: Sources, guest: str) -> None:
    """Delete the vacation."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.vacation).where(V.player == guest))


def export_reservations(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the finished tables after which seats are reserved for a guest."""
    return export_rows(sources, schema.kept_seat, K.guest == guest, "after")


def merge_reservations(sources: Sources, old: str, new: str) -> None:
    """Move the reservations to another guest."""
    with sources.tables.store.engine.begin() as db:
        db.execute(update(schema.kept_seat).where(K.guest == old).values(guest=new))


def export_account(sources: Sources, guest: str) -> dict[str, Any] | None:
    """Return the account, without its secrets."""
    account = sources.accounts.repository.get(guest)
    if account is None:
        return None
    return {
        "name": account.name,
        "mail": account.mail,
        "password": bool(account.password),
        "preferences": account.preferences,
        "made": account.made,
        "passkeys": [one._asdict() for one in sources.accounts.passkeys.for_guest(guest)],
        "sessions": [
            {"device": one.device, "made": one.made, "seen": one.seen}
            for one in sources.accounts.sessions.for_guest(guest)
        ],
        "links": export_rows(sources, schema.link, L.guest == guest, "kind", "made", "expires", "used"),
    }


def merge_account(sources: Sources, old: str, _new: str) -> None:
    """Delete the links that were sent to a guest, who has no account."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.link).where(L.guest == old))


def erase_account(sources: Sources, guest: str) -> None:
    """Delete an account with its links, passkeys and sessions."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.link).where(L.guest == guest))
        db.execute(delete(schema.passkey).where(P.guest == guest))
        end_sessions(db, guest)
        delete_account(db, guest)
    sources.accounts.sessions.invalidate(guest)


TOKENS = PersonalData("programs", ("token",), export_tokens, revoke_tokens, revoke_tokens)
VACATION = PersonalData("vacation", ("vacation",), export_vacation, merge_vacation, erase_vacation)
RESERVATIONS = PersonalData("kept_seats", ("kept_seat",), export_reservations, merge_reservations, erase_reservations)
ACCOUNT = PersonalData(
    "account", ("account", "passkey", "session", "link"), export_account, merge_account, erase_account
)
