"""What somebody has said, whom they have muted and what they have reported."""

from typing import Any

from sqlalchemy import ColumnElement, Table, delete, select, update

from ..storage import schema
from ..storage.database import read_connection
from .personal_data import SOMEBODY, PersonalData, Sources

M, MUTE, R = schema.message.c, schema.mute.c, schema.report.c


def rows(sources: Sources, table: Table, condition: ColumnElement[bool], *names: str) -> list[dict[str, Any]]:
    """Return some columns of the rows that fulfil a condition."""
    wanted = select(*(table.c[name] for name in names)).where(condition)
    with read_connection(sources.tables.store.engine) as db:
        return [dict(row) for row in db.execute(wanted).mappings()]


def export_chat(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the messages of a guest."""
    return rows(sources, schema.message, M.guest == guest, "room", "name", "words", "said")


def move_chat(sources: Sources, old: str, new: str) -> None:
    """Give them to another guest."""
    with sources.tables.store.engine.begin() as db:
        db.execute(update(schema.message).where(M.guest == old).values(guest=new))


def forget_chat(sources: Sources, guest: str) -> None:
    """Delete the text. The messages stay, so that the answers to them can be understood."""
    with sources.tables.store.engine.begin() as db:
        db.execute(update(schema.message).where(M.guest == guest).values(guest="", name=SOMEBODY, words="(deleted)"))


def export_muted(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the names that a guest has muted."""
    return rows(sources, schema.mute, MUTE.guest == guest, "name")


def move_muted(sources: Sources, old: str, new: str) -> None:
    """Give what a guest has muted to another one, who is muted by the same guests."""
    with sources.tables.store.engine.begin() as db:
        theirs = set(db.execute(select(MUTE.other).where(MUTE.guest == new)).scalars()) | {new}
        db.execute(delete(schema.mute).where(MUTE.guest == old, MUTE.other.in_(theirs)))
        db.execute(update(schema.mute).where(MUTE.guest == old).values(guest=new))
        others = set(db.execute(select(MUTE.guest).where(MUTE.other == new)).scalars()) | {new}
        db.execute(delete(schema.mute).where(MUTE.other == old, MUTE.guest.in_(others)))
        db.execute(update(schema.mute).where(MUTE.other == old).values(other=new))


def forget_muted(sources: Sources, guest: str) -> None:
    """Delete what a guest has muted, and where the guest is muted."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.mute).where((MUTE.guest == guest) | (MUTE.other == guest)))


def export_reports(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the messages that a guest has reported."""
    return rows(sources, schema.report, R.guest == guest, "room", "name", "words", "said", "reported")


def move_reports(sources: Sources, old: str, new: str) -> None:
    """Give the reports to another guest. What both have reported counts once."""
    with sources.tables.store.engine.begin() as db:
        both = select(R.room, R.number).where(R.guest == new)
        for room, number in db.execute(both).all():
            db.execute(delete(schema.report).where(R.guest == old, R.room == room, R.number == number))
        db.execute(update(schema.report).where(R.guest == old).values(guest=new))
        db.execute(update(schema.report).where(R.author == old).values(author=new))


def forget_reports(sources: Sources, guest: str) -> None:
    """Delete the reports of a guest, and the guest's name from reports of others."""
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.report).where(R.guest == guest))
        db.execute(update(schema.report).where(R.author == guest).values(author="", name=SOMEBODY))


CHAT = PersonalData("chat", ("message",), export_chat, move_chat, forget_chat)
MUTED = PersonalData("muted", ("mute",), export_muted, move_muted, forget_muted)
REPORTS = PersonalData("reports", ("report",), export_reports, move_reports, forget_reports)
