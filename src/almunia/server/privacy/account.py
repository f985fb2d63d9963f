"""What else the site keeps of somebody: programs, vacation, seats that are kept, and the account itself."""

from typing import Any

from sqlalchemy import delete, update

from ..auth import accounts
from ..auth.api_tokens import ApiTokens
from ..auth.sessions import end_all
from ..storage import schema
from ..tables.event_subscribers import EventSubscribers
from .chat import rows
from .personal_data import PersonalData, Sources
from .tables import forget_kept_seats

K, V, L, P = schema.kept_seat.c, schema.vacation.c, schema.link.c, schema.passkey.c


def export_programs(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the names of a guest's tokens."""
    return [{"label": one.label, "made": one.made, "used": one.used} for one in sources.tokens.of(guest)]


def end_programs(sources: Sources, guest: str, _new: str = "") -> None:
    """Revoke all tokens of a guest: another person may have made them in the same browser."""
    revoke_all(sources.tokens, sources.followers, guest)


def revoke_all(tokens: ApiTokens, followers: EventSubscribers, guest: str) -> None:
    """Revoke all tokens of a guest, and end what runs by them."""
    for token in tokens.of(guest):
        tokens.revoke(guest, token.id)
        followers.disconnect_everywhere(token.id, "This token was revoked.")


def export_vacation(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the vacation of a guest."""
    return rows(sources, schema.vacation, V.player == guest, "balance", "at", "since")


def move_vacation(sources: Sources, old: str, new: str) -> None:
    """Give it to another guest who has none."""
    sources.vacations.transfer(old, new)


def forget_vacation(sources: Sources, guest: str) -> None:
    """Delete the vacation."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.vacation).where(V.player == guest))


def export_kept(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the tables after which seats are reserved for a guest."""
    return rows(sources, schema.kept_seat, K.guest == guest, "after")


def move_kept(sources: Sources, old: str, new: str) -> None:
    """Reserve the seats for another guest."""
    with sources.tables.store.engine.begin() as db:
        db.execute(update(schema.kept_seat).where(K.guest == old).values(guest=new))


def export_account(sources: Sources, guest: str) -> dict[str, Any] | None:
    """Return the account, without its secrets."""
    account = sources.accounts.people.of(guest)
    if account is None:
        return None
    return {
        "name": account.name,
        "mail": account.mail,
        "password": bool(account.password),
        "preferences": account.preferences,
        "made": account.made,
        "passkeys": [one._asdict() for one in sources.accounts.passkeys.of(guest)],
        "sessions": [
            {"device": one.device, "made": one.made, "seen": one.seen} for one in sources.accounts.sessions.of(guest)
        ],
        "links": rows(sources, schema.link, L.guest == guest, "kind", "made", "expires", "used"),
    }


def move_account(sources: Sources, old: str, _new: str) -> None:
    """Delete the links that were sent to a guest. A guest without an account has nothing else of it."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.link).where(L.guest == old))


def forget_account(sources: Sources, guest: str) -> None:
    """Delete the account with its links, passkeys and sessions."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.link).where(L.guest == guest))
        db.execute(delete(schema.passkey).where(P.guest == guest))
        end_all(db, guest)
        accounts.remove(db, guest)
    sources.accounts.sessions.forget(guest)


PROGRAMS = PersonalData("programs", ("token",), export_programs, end_programs, end_programs)
VACATION = PersonalData("vacation", ("vacation",), export_vacation, move_vacation, forget_vacation)
KEPT_SEATS = PersonalData("kept_seats", ("kept_seat",), export_kept, move_kept, forget_kept_seats)
ACCOUNT = PersonalData(
    "account", ("account", "passkey", "session", "link"), export_account, move_account, forget_account
)
