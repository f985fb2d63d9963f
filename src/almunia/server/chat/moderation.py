"""Moderation of the chat by the administrator: hide messages, silence authors, resolve reports."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Engine, Row, delete, insert, select, update

from ...errors import SetupError
from ..storage import schema
from ..storage.database import read_connection
from ..tokens import TOKEN_PATTERN
from .service import LOBBY_ROOM

M, R, S = schema.message.c, schema.report.c, schema.chat_suspension.c
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
            raise SetupError(f"{text[:60]!r} is not a message. Write it as in the list of reports, such as lobby/17.")
        return cls(found[1], int(found[2]))

    def __str__(self) -> str:
        return f"{'' if self.room == LOBBY_ROOM else 'table/'}{self.room}/{self.number}"


class ReportedMessage(NamedTuple):
    """A message with its reports and restrictions."""

    ref: MessageRef
    author: str  # id of the guest
    name: str
    text: str
    sent_at: float
    reports: int  # open ones
    hidden: bool
    suspended_until: float | None  # time from which its author may write again; None if now


class ChatModeration:
    """Moderates the chat in the database of a site, which may be running."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def with_open_reports(self, now: float) -> list[ReportedMessage]:
        """Return the messages with open reports, in the order of their first reports."""
        wanted = select(R.room, R.number).where(R.resolved_at.is_(None)).order_by(R.reported_at)
        with read_connection(self._engine) as db:
            found = dict.fromkeys(MessageRef(*row) for row in db.execute(wanted))
        return [self.get(ref, now) for ref in found]

    def get(self, ref: MessageRef, now: float) -> ReportedMessage:
        """Return a message, from the chat or from its reports; SetupError if there is no such message."""
        with read_connection(self._engine) as db:
            kept = db.execute(select(schema.message).where(M.room == ref.room, M.number == ref.number)).first()
            reports = db.execute(select(schema.report).where(R.room == ref.room, R.number == ref.number)).all()
            if kept is None and not reports:
                raise SetupError(f"There is no message {ref}. Lobby messages are deleted after a day.")
            author = kept.guest if kept else reports[0].author
            until = db.execute(select(S.expires_at).where(S.guest == author, S.expires_at > now)).scalar()
        said, hidden = kept or reports[0], kept is not None and kept.hidden
        unresolved = sum(report.resolved_at is None for report in reports)
        return ReportedMessage(ref, author, said.name, said.text, said.sent_at, unresolved, hidden, until)

    def hide(self, ref: MessageRef, *, hidden: bool) -> None:
        """Hide a message, or show it again; SetupError if the chat has no such message."""
        ours = update(schema.message).where(M.room == ref.room, M.number == ref.number)
        with self._engine.begin() as db:
            if not db.execute(ours.values(hidden=hidden)).rowcount:
                raise SetupError(f"The message {ref} has been deleted already.")

    def silence(self, guest: str, until: float, now: float) -> None:
        """Silence a guest until a time; end the silence if the time is not later than now."""
        with self._engine.begin() as db:
            db.execute(delete(schema.chat_suspension).where((S.guest == guest) | (S.expires_at <= now)))
            if until > now:
                db.execute(insert(schema.chat_suspension), {"guest": guest, "expires_at": until})

    def resolve(self, ref: MessageRef, now: float) -> None:
        unresolved = (R.room == ref.room) & (R.number == ref.number) & R.resolved_at.is_(None)
        with self._engine.begin() as db:
            db.execute(update(schema.report).where(unresolved).values(resolved_at=now))


def read_reports(engine: Engine) -> Sequence[Row[Any]]:
    """Return all reports, latest first."""
    with read_connection(engine) as db:
        return db.execute(select(schema.report).order_by(R.reported_at.desc())).all()
