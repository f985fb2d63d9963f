"""What else the site keeps of somebody: programs, vacation, seats that are kept, and the account itself."""

from typing import Any

from sqlalchemy import delete, update

from ..api.followers import Followers
from ..api.tokens import Tokens
from ..storage import schema
from . import people
from .belonging import Belonging, Sources
from .games import forget_kept_seats
from .sessions import end_all
from .words import rows

K, V, L, P = schema.kept_seat.c, schema.vacation.c, schema.link.c, schema.passkey.c


def export_programs(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """The names of a guest's tokens."""
    return [{"label": one.label, "made": one.made, "used": one.used} for one in sources.tokens.of(guest)]


def end_programs(sources: Sources, guest: str, _new: str = "") -> None:
    """Let all tokens of a guest hold no longer: whoever has made them may be somebody else than whoever signs in."""
    revoke_all(sources.tokens, sources.followers, guest)


def revoke_all(tokens: Tokens, followers: Followers, guest: str) -> None:
    """Revoke all tokens of a guest, and end what runs by them."""
    for token in tokens.of(guest):
        tokens.revoke(guest, token.id)
        followers.end_everywhere(token.id, "This token was revoked.")


def export_vacation(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """What a guest has of it."""
    return rows(sources, schema.vacation, V.player == guest, "balance", "at", "since")


def move_vacation(sources: Sources, old: str, new: str) -> None:
    """Let it be another guest's, who has none of their own."""
    sources.vacations.hand_over(old, new)


def forget_vacation(sources: Sources, guest: str) -> None:
    """Delete it."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.vacation).where(V.player == guest))


def export_kept(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """The seats that are kept for a guest, by the table at which they have played before."""
    return rows(sources, schema.kept_seat, K.guest == guest, "after")


def move_kept(sources: Sources, old: str, new: str) -> None:
    """Let them be kept for another guest."""
    with sources.tables.store.engine.begin() as db:
        db.execute(update(schema.kept_seat).where(K.guest == old).values(guest=new))


def export_account(sources: Sources, guest: str) -> dict[str, Any] | None:
    """The account, without what is secret in it."""
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
    """A guest without an account has nothing of it, but for links that are on their way."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.link).where(L.guest == old))


def forget_account(sources: Sources, guest: str) -> None:
    """Delete it, with all that goes with it."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.link).where(L.guest == guest))
        db.execute(delete(schema.passkey).where(P.guest == guest))
        end_all(db, guest)
        people.remove(db, guest)
    sources.accounts.sessions.forget(guest)


PROGRAMS = Belonging("programs", ("token",), export_programs, end_programs, end_programs)
VACATION = Belonging("vacation", ("vacation",), export_vacation, move_vacation, forget_vacation)
KEPT_SEATS = Belonging("kept_seats", ("kept_seat",), export_kept, move_kept, forget_kept_seats)
ACCOUNT = Belonging("account", ("account", "passkey", "session", "link"), export_account, move_account, forget_account)
