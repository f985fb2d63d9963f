"""What the site keeps of how somebody plays: results, what is shown of them, daily deals, notes; alerts; silence."""

from typing import Any, Protocol

from sqlalchemy import Connection, delete, select, update

from ..daily import service
from ..ratings import game_results
from ..storage import schema
from ..storage.database import read_connection
from ..users import my_games, profiles
from .chat import rows
from .personal_data import PersonalData, Sources

S, W, Q, D = schema.silence.c, schema.presence.c, schema.question.c, schema.moderated.c


class PlayerData(Protocol):
    """A module that keeps something of guests."""

    def export(self, db: Connection, guest: str, /) -> dict[str, Any]:
        """All of it that the guest may know."""

    def move(self, db: Connection, old: str, new: str, /) -> None:
        """Let it belong to another guest, who is the same person."""

    def forget(self, db: Connection, guest: str, /) -> None:
        """Forget whose it was."""


def kept(name: str, tables: tuple[str, ...], keeper: PlayerData) -> PersonalData:
    """What such a module keeps."""

    def export(sources: Sources, guest: str) -> dict[str, Any]:
        with read_connection(sources.tables.store.engine) as db:
            return keeper.export(db, guest)

    def move(sources: Sources, old: str, new: str) -> None:
        with sources.tables.store.engine.begin() as db:
            keeper.move(db, old, new)

    def forget(sources: Sources, guest: str) -> None:
        with sources.tables.store.engine.begin() as db:
            keeper.forget(db, guest)

    return PersonalData(name, tables, export, move, forget)


def export_silence(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return until when a guest may not write."""
    return rows(sources, schema.silence, S.guest == guest, "until")


def move_silence(sources: Sources, old: str, new: str) -> None:
    """Let the longer silence hold, so that signing in does not end one."""
    with sources.tables.store.engine.begin() as db:
        until = {row.guest: row.until for row in db.execute(select(S.guest, S.until).where(S.guest.in_((old, new))))}
        if old not in until:
            return
        db.execute(delete(schema.silence).where(S.guest == new))
        db.execute(update(schema.silence).where(S.guest == old).values(guest=new, until=max(until.values())))


def forget_silence(sources: Sources, guest: str) -> None:
    """Delete it: a guest who returns is a new one."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.silence).where(S.guest == guest))


def export_moderated(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the name that the administrator has given to a guest, and whether the account is kept out."""
    return rows(sources, schema.moderated, D.guest == guest, "name", "out")


def move_moderated(sources: Sources, old: str, new: str) -> None:
    """Give it to another guest who has none."""
    with sources.tables.store.engine.begin() as db:
        if db.execute(select(D.guest).where(D.guest == new)).first():
            db.execute(delete(schema.moderated).where(D.guest == old))
        else:
            db.execute(update(schema.moderated).where(D.guest == old).values(guest=new))


def forget_moderated(sources: Sources, guest: str) -> None:
    """Delete it: a guest who returns is a new one."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.moderated).where(D.guest == guest))


def export_alerts(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return how a guest is notified of a turn."""
    return sources.ways.export(guest)


def forget_alerts(sources: Sources, guest: str, _new: str = "") -> None:
    """Remove the notifications: another person may have used the browser before."""
    sources.ways.forget(guest)


ALERTS = PersonalData("alerts", ("alert_way", "alert_told"), export_alerts, forget_alerts, forget_alerts)


def export_moment(sources: Sources, guest: str) -> dict[str, Any]:
    """Return what processes share for the moment: where a guest is, and which hint is being computed."""
    return {
        "at": rows(sources, schema.presence, W.guest == guest, "place"),
        "hints": rows(sources, schema.question, Q.guest == guest, "table", "asked"),
    }


def forget_moment(sources: Sources, guest: str, _new: str = "") -> None:
    """Delete it. Pages that are still open write it again."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.presence).where(W.guest == guest))
        db.execute(delete(schema.question).where(Q.guest == guest))


MOMENT = PersonalData("moment", ("presence", "question"), export_moment, forget_moment, forget_moment)
RESULTS = kept("results", ("result", "rating"), game_results)
PROFILE = kept("profile", ("profile",), profiles)
DAILY = kept("daily", ("daily_try",), service)
NOTES = kept("notes", ("game_note",), my_games)
MODERATED = PersonalData("moderation", ("moderated",), export_moderated, move_moderated, forget_moderated)
SILENCE = PersonalData("silence", ("silence",), export_silence, move_silence, forget_silence)
