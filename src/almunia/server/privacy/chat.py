"""Personal data of the chat: messages, mutes and reports."""

from typing import Any

from sqlalchemy import ColumnElement, Table, delete, select, update

from ..storage import schema
from ..storage.database import read_connection
from .personal_data import ANONYMIZED_NAME, PersonalData, Sources

M, MUTE, R = schema.message.c, schema.mute.c, schema.report.c


def export_rows(sources: Sources, table: Table, condition: ColumnElement[bool], *names: str) -> list[dict[str, Any]]:
    """Return columns of the rows that fulfil a condition."""
    wanted = select(*(table.c[name] for name in names)).where(condition)
    with read_connection(sources.tables.store.engine) as db:
        return [dict(row) for row in db.execute(wanted).mappings()]


def export_chat(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the messages of a guest."""
    return export_rows(sources, schema.message, M.guest == guest, "room", "name", "words", "said")


def merge_chat(sources: Sources, old: str, new: str) -> None:
    """Move the messages to another guest."""
    with sources.tables.store.engine.begin() as db:
        db.execute(update(schema.message).where(M.guest == old).values(guest=new))


def erase_chat(sources: Sources, guest: str) -> None:
    """Delete text and author of the messages. The messages stay, so that replies to them make sense."""
    with sources.tables.store.engine.begin() as db:
        db.execute(
            update(schema.message).where(M.guest == guest).values(guest="", name=ANONYMIZED_NAME, words="(deleted)")
        )


def export_mutes(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the names that a guest has muted."""
    return export_rows(sources, schema.mute, MUTE.guest == guest, "name")


def merge_mutes(sources: Sources, old: str, new: str) -> None:
    """Move the mutes of a guest, and the mutes against the guest, to another guest."""
    with sources.tables.store.engine.begin() as db:
        theirs = set(db.execute(select(MUTE.other).where(MUTE.guest == new)).scalars()) | {new}
        db.execute(delete(schema.mute).where(MUTE.guest == old, MUTE.other.in_(theirs)))
        db.execute(update(schema.mute).where(MUTE.guest == old).values(guest=new))
        others = set(db.execute(select(MUTE.guest).where(MUTE.other == new)).scalars()) | {new}
        db.execute(delete(schema.mute).where(MUTE.other == old, MUTE.guest.in_(others)))
        db.execute(update(schema.mute).where(MUTE.other == old).values(other=new))


def erase_mutes(sources: Sources, guest: str) -> None:
    """Delete the mutes of a guest, and the mutes against the guest."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.mute).where((MUTE.guest == guest) | (MUTE.other == guest)))


def export_reports(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the messages that a guest has reported."""
    return export_rows(sources, schema.report, R.guest == guest, "room", "name", "words", "said", "reported")


def merge_reports(sources: Sources, old: str, new: str) -> None:
    """Move the reports to another guest. A message that both have reported counts once."""
    with sources.tables.store.engine.begin() as db:
        both = select(R.room, R.number).where(R.guest == new)
        for room, number in db.execute(both).all():
            db.execute(delete(schema.report).where(R.guest == old, R.room == room, R.number == number))
        db.execute(update(schema.report).where(R.guest == old).values(guest=new))
        db.execute(update(schema.report).where(R.author == old).values(author=new))


def erase_reports(sources: Sources, guest: str) -> None:
    """Delete the reports of a guest, and the guest's name in reports of others."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.report).where(R.guest == guest))
        db.execute(update(schema.report).where(R.author == guest).values(author="", name=ANONYMIZED_NAME))


CHAT = PersonalData("chat", ("message",), export_chat, merge_chat, erase_chat)
MUTES = PersonalData("muted", ("mute",), export_mutes, merge_mutes, erase_mutes)
REPORTS = PersonalData("reports", ("report",), export_reports, merge_reports, erase_reports)
