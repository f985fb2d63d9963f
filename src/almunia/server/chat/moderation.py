"""Moderation of the chat by the administrator: hide messages, silence authors, resolve reports."""

import re
from typing import NamedTuple

from sqlalchemy import Engine, Row, delete, insert, select, update

from ...errors import SetupError
from ..storage import schema
from ..storage.database import read_connection
from ..tokens import TOKEN_PATTERN
from .service import LOBBY_ROOM

M, R, S = schema.message.c, schema.report.c, schema.silence.c
MESSAGE_PATTERN = re.compile(r"(?:table/)?([^/]+)/([0-9]{1,9})")


class MessageRef(NamedTuple):
    """The room and number of a message: `lobby/17`, or `table/ID/3`."""

    room: str
    number: int

    @classmethod
    def parse(cls, text: str) -> "MessageRef":
        """Return the reference in a text such as `lobby/17`; SetupError if it is invalid."""
        found = MESSAGE_PATTERN.fullmatch(text)
        if not found or not TOKEN_PATTERN.fullmatch(found[1]):
            raise SetupError(f"{text[:60]!r} is no message. Write it as the list of reports does, such as lobby/17.")
        return cls(found[1], int(found[2]))

    def __str__(self) -> str:
        """Return the reference as text."""
        return f"{'' if self.room == LOBBY_ROOM else 'table/'}{self.room}/{self.number}"


class ReportedMessage(NamedTuple):
    """A message with its reports and restrictions."""

    ref: MessageRef
    author: str  # id of the guest
    name: str
    words: str
    said: float
    reports: int  # open ones
    hidden: bool
    until: float | None  # time from which its author may write again; None if now


class ChatModeration:
    """Moderates the chat in the database of a site, which may be running."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    # --- reading --------------------------------------------------------------------------

    def with_open_reports(self, now: float) -> list[ReportedMessage]:
        """Return the messages with open reports, in the order of their first reports."""
        wanted = select(R.room, R.number).where(R.resolved.is_(None)).order_by(R.reported)
        with read_connection(self._engine) as db:
            found = dict.fromkeys(MessageRef(*row) for row in db.execute(wanted))
        return [self.get(address, now) for address in found]

    def get(self, address: MessageRef, now: float) -> ReportedMessage:
        """Return a message, from the chat or from its reports; SetupError if there is none."""
        room, number = address
        reports = select(schema.report).where(R.room == room, R.number == number)
        with read_connection(self._engine) as db:
            kept = db.execute(select(schema.message).where(M.room == room, M.number == number)).first()
            found = list(db.execute(reports))
            if kept is None and not found:
                raise SetupError(f"There is no message {address}. What was said in the lobby is deleted after a day.")
            author = kept.guest if kept else found[0].author
            until = db.execute(select(S.until).where(S.guest == author, S.until > now)).scalar()
        return reported_message(
            address, kept or found[0], author, found, until, hidden=kept is not None and kept.hidden
        )

    # --- changes --------------------------------------------------------------------------

    def hide(self, address: MessageRef, *, hidden: bool) -> None:
        """Hide a message, or show it again; SetupError if it is deleted."""
        ours = update(schema.message).where(M.room == address.room, M.number == address.number)
        with self._engine.begin() as db:
            if not db.execute(ours.values(hidden=hidden)).rowcount:
                raise SetupError(f"The message {address} has been deleted already.")

    def silence(self, guest: str, until: float, now: float) -> None:
        """Silence a guest until a time; end the silence if that is not later than now."""
        with self._engine.begin() as db:
            db.execute(delete(schema.silence).where((S.guest == guest) | (S.until <= now)))
            if until > now:
                db.execute(insert(schema.silence), {"guest": guest, "until": until})

    def resolve(self, address: MessageRef, now: float) -> None:
        """Resolve all open reports of a message."""
        theirs = (R.room == address.room) & (R.number == address.number) & R.resolved.is_(None)
        with self._engine.begin() as db:
            db.execute(update(schema.report).where(theirs).values(resolved=now))


def reported_message(
    address: MessageRef,
    kept: Row[tuple[object, ...]],
    author: str,
    reports: list[Row[tuple[object, ...]]],
    until: float | None,
    *,
    hidden: bool,
) -> ReportedMessage:
    """Return a message from its row in the chat or in a report."""
    still = sum(report.resolved is None for report in reports)
    return ReportedMessage(address, author, kept.name, kept.words, kept.said, still, hidden, until)
