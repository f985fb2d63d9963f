"""Personal data of players: results, profiles, daily deals, notes, notifications, moderation and presence."""

from typing import Any, Protocol

from sqlalchemy import Connection, delete, select, update

from ..daily import service
from ..ratings import game_results
from ..storage import schema
from ..storage.database import read_connection
from ..users import my_games, profiles
from .chat import export_rows
from .personal_data import PersonalData, Sources

S, W, Q, D = schema.silence.c, schema.presence.c, schema.question.c, schema.moderated.c


class PlayerData(Protocol):
    """A module that stores personal data of guests."""

    def export(self, db: Connection, guest: str, /) -> dict[str, Any]:
        """Return the data that the guest may know."""

    def merge(self, db: Connection, old: str, new: str, /) -> None:
        """Move the data to another guest, who is the same person."""

    def erase(self, db: Connection, guest: str, /) -> None:
        """Erase everything that identifies the guest."""


def personal_data_of(name: str, tables: tuple[str, ...], keeper: PlayerData) -> PersonalData:
    """Return the personal data of a module."""

    def export(sources: Sources, guest: str) -> dict[str, Any]:
        with read_connection(sources.tables.store.engine) as db:
            return keeper.export(db, guest)

    def move(sources: Sources, old: str, new: str) -> None:
        with sources.tables.store.engine.begin() as db:
            keeper.merge(db, old, new)

    def forget(sources: Sources, guest: str) -> None:
        with sources.tables.store.engine.begin() as db:
            keeper.erase(db, guest)

    return PersonalData(name, tables, export, move, forget)


def export_silence(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the time until which a guest may not write."""
    return export_rows(sources, schema.silence, S.guest == guest, "until")


def merge_silence(sources: Sources, old: str, new: str) -> None:
    """Keep the longer of two silences, so that signing in does not end one."""
    with sources.tables.store.engine.begin() as db:
        until = {row.guest: row.until for row in db.execute(select(S.guest, S.until).where(S.guest.in_((old, new))))}
        if old not in until:
            return
        db.execute(delete(schema.silence).where(S.guest == new))
        db.execute(update(schema.silence).where(S.guest == old).values(guest=new, until=max(until.values())))


def erase_silence(sources: Sources, guest: str) -> None:
    """Delete the row: a guest who returns is a new one."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.silence).where(S.guest == guest))


def export_moderated(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the name that the administrator gave to a guest, and whether the account is banned."""
    return export_rows(sources, schema.moderated, D.guest == guest, "name", "out")


def merge_moderated(sources: Sources, old: str, new: str) -> None:
    """Move the row to another guest, unless that guest has one."""
    with sources.tables.store.engine.begin() as db:
        if db.execute(select(D.guest).where(D.guest == new)).first():
            db.execute(delete(schema.moderated).where(D.guest == old))
        else:
            db.execute(update(schema.moderated).where(D.guest == old).values(guest=new))


def erase_moderated(sources: Sources, guest: str) -> None:
    """Delete the row: a guest who returns is a new one."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.moderated).where(D.guest == guest))


def export_channels(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the notification channels of a guest."""
    return sources.channels.export(guest)


def remove_channels(sources: Sources, guest: str, _new: str = "") -> None:
    """Remove the channels of a guest: another person may have used the browser before."""
    sources.channels.remove_all(guest)


CHANNELS = PersonalData("alerts", ("alert_way", "alert_told"), export_channels, remove_channels, remove_channels)


def export_activity(sources: Sources, guest: str) -> dict[str, Any]:
    """Return what processes share for a short time: open pages of a guest, and hints that are being computed."""
    return {
        "at": export_rows(sources, schema.presence, W.guest == guest, "place"),
        "hints": export_rows(sources, schema.question, Q.guest == guest, "table", "asked"),
    }


def erase_activity(sources: Sources, guest: str, _new: str = "") -> None:
    """Delete presence and hint requests. Pages that are still open write them again."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.presence).where(W.guest == guest))
        db.execute(delete(schema.question).where(Q.guest == guest))


ACTIVITY = PersonalData("moment", ("presence", "question"), export_activity, erase_activity, erase_activity)
RESULTS = personal_data_of("results", ("result", "rating"), game_results)
PROFILE = personal_data_of("profile", ("profile",), profiles)
DAILY = personal_data_of("daily", ("daily_try",), service)
NOTES = personal_data_of("notes", ("game_note",), my_games)
MODERATED = PersonalData("moderation", ("moderated",), export_moderated, merge_moderated, erase_moderated)
SILENCE = PersonalData("silence", ("silence",), export_silence, merge_silence, erase_silence)
