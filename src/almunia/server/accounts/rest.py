"""What else the site keeps of somebody: programs, vacation, seats that are kept, and the account itself."""

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, update

from ..storage import schema
from . import people
from .belonging import Belonging
from .games import forget_kept_seats
from .sessions import end_all
from .words import rows

if TYPE_CHECKING:
    from ..context import Site

K, V, L, P = schema.kept_seat.c, schema.vacation.c, schema.link.c, schema.passkey.c


def export_programs(site: "Site", guest: str) -> list[dict[str, Any]]:
    """The names of a guest's tokens."""
    return [{"label": one.label, "made": one.made, "used": one.used} for one in site.tokens.of(guest)]


def end_programs(site: "Site", guest: str, _new: str = "") -> None:
    """Let all tokens of a guest hold no longer: whoever has made them may be somebody else than whoever signs in."""
    for token in site.tokens.of(guest):
        site.tokens.revoke(guest, token.id)
        site.followers.end_everywhere(token.id, "This token was revoked.")


def export_vacation(site: "Site", guest: str) -> list[dict[str, Any]]:
    """What a guest has of it."""
    return rows(site, schema.vacation, V.player == guest, "balance", "at", "since")


def move_vacation(site: "Site", old: str, new: str) -> None:
    """Let it be another guest's, who has none of their own."""
    site.vacations.hand_over(old, new)


def forget_vacation(site: "Site", guest: str) -> None:
    """Delete it."""
    with site.tables.store.engine.begin() as db:
        db.execute(delete(schema.vacation).where(V.player == guest))


def export_kept(site: "Site", guest: str) -> list[dict[str, Any]]:
    """The seats that are kept for a guest, by the table at which they have played before."""
    return rows(site, schema.kept_seat, K.guest == guest, "after")


def move_kept(site: "Site", old: str, new: str) -> None:
    """Let them be kept for another guest."""
    with site.tables.store.engine.begin() as db:
        db.execute(update(schema.kept_seat).where(K.guest == old).values(guest=new))


def export_account(site: "Site", guest: str) -> dict[str, Any] | None:
    """The account, without what is secret in it."""
    account = site.accounts.people.of(guest)
    if account is None:
        return None
    return {
        "name": account.name,
        "mail": account.mail,
        "password": bool(account.password),
        "preferences": account.preferences,
        "made": account.made,
        "passkeys": [one._asdict() for one in site.accounts.passkeys.of(guest)],
        "sessions": [
            {"device": one.device, "made": one.made, "seen": one.seen} for one in site.accounts.sessions.of(guest)
        ],
        "links": rows(site, schema.link, L.guest == guest, "kind", "made", "expires", "used"),
    }


def move_account(site: "Site", old: str, _new: str) -> None:
    """A guest without an account has nothing of it, but for links that are on their way."""
    with site.tables.store.engine.begin() as db:
        db.execute(delete(schema.link).where(L.guest == old))


def forget_account(site: "Site", guest: str) -> None:
    """Delete it, with all that goes with it."""
    with site.tables.store.engine.begin() as db:
        db.execute(delete(schema.link).where(L.guest == guest))
        db.execute(delete(schema.passkey).where(P.guest == guest))
        end_all(db, guest)
        people.remove(db, guest)
    site.accounts.sessions.forget(guest)


PROGRAMS = Belonging("programs", ("token",), export_programs, end_programs, end_programs)
VACATION = Belonging("vacation", ("vacation",), export_vacation, move_vacation, forget_vacation)
KEPT_SEATS = Belonging("kept_seats", ("kept_seat",), export_kept, move_kept, forget_kept_seats)
ACCOUNT = Belonging("account", ("account", "passkey", "session", "link"), export_account, move_account, forget_account)
