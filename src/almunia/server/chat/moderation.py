"""What whoever runs the site does about what is said: hide a message, let somebody write no more, close a report."""

import re
from typing import NamedTuple

from sqlalchemy import Engine, Row, delete, insert, select, update

from ...errors import SetupError
from ..storage import schema
from ..storage.database import read_connection
from ..tokens import TOKEN_PATTERN
from .service import LOBBY_ROOM

M, R, S = schema.message.c, schema.report.c, schema.silence.c
ADDRESS = re.compile(r"(?:table/)?([^/]+)/([0-9]{1,9})")


class MessageRef(NamedTuple):
    """Where a message stands: `lobby/17`, or `table/ID/3`."""

    room: str
    number: int

    @classmethod
    def read(cls, text: str) -> "MessageRef":
        """An address as people write it; SetupError if it is none."""
        found = ADDRESS.fullmatch(text)
        if not found or not TOKEN_PATTERN.fullmatch(found[1]):
            raise SetupError(f"{text[:60]!r} is no message. Write it as the list of reports does, such as lobby/17.")
        return cls(found[1], int(found[2]))

    def __str__(self) -> str:
        """As people write it."""
        return f"{'' if self.room == LOBBY_ROOM else 'table/'}{self.room}/{self.number}"


class ReportedMessage(NamedTuple):
    """A message, and what was done about it."""

    address: MessageRef
    author: str  # the guest
    name: str
    words: str
    said: float
    reports: int  # that are open
    hidden: bool
    until: float | None  # when its author may write again, if not now


class ChatModeration:
    """All of that in the database of a site, which may be running."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    # --- reading --------------------------------------------------------------------------

    def reported(self, now: float) -> list[ReportedMessage]:
        """The messages with reports that are open, those reported first, first."""
        wanted = select(R.room, R.number).where(R.resolved.is_(None)).order_by(R.reported)
        with read_connection(self._engine) as db:
            found = dict.fromkeys(MessageRef(*row) for row in db.execute(wanted))
        return [self.message(address, now) for address in found]

    def message(self, address: MessageRef, now: float) -> ReportedMessage:
        """A message, or what reports have kept of it; SetupError if nobody has said that."""
        room, number = address
        reports = select(schema.report).where(R.room == room, R.number == number)
        with read_connection(self._engine) as db:
            kept = db.execute(select(schema.message).where(M.room == room, M.number == number)).first()
            found = list(db.execute(reports))
            if kept is None and not found:
                raise SetupError(f"There is no message {address}. What was said in the lobby is deleted after a day.")
            author = kept.guest if kept else found[0].author
            until = db.execute(select(S.until).where(S.guest == author, S.until > now)).scalar()
        return told(address, kept or found[0], author, found, until, hidden=kept is not None and kept.hidden)

    # --- doing ----------------------------------------------------------------------------

    def hide(self, address: MessageRef, *, hidden: bool) -> None:
        """Let nobody read a message any more, or let all read it again; SetupError if it is not kept any more."""
        ours = update(schema.message).where(M.room == address.room, M.number == address.number)
        with self._engine.begin() as db:
            if not db.execute(ours.values(hidden=hidden)).rowcount:
                raise SetupError(f"The message {address} has been deleted already, so nobody reads it.")

    def silence(self, guest: str, until: float, now: float) -> None:
        """Let a guest write nothing until a moment; anything again if that is not later than now."""
        with self._engine.begin() as db:
            db.execute(delete(schema.silence).where((S.guest == guest) | (S.until <= now)))
            if until > now:
                db.execute(insert(schema.silence), {"guest": guest, "until": until})

    def resolve(self, address: MessageRef, now: float) -> None:
        """Close all open reports of a message."""
        theirs = (R.room == address.room) & (R.number == address.number) & R.resolved.is_(None)
        with self._engine.begin() as db:
            db.execute(update(schema.report).where(theirs).values(resolved=now))


def told(
    address: MessageRef,
    kept: Row[tuple[object, ...]],
    author: str,
    reports: list[Row[tuple[object, ...]]],
    until: float | None,
    *,
    hidden: bool,
) -> ReportedMessage:
    """A message from what is kept of it, in its room or in a report."""
    still = sum(report.resolved is None for report in reports)
    return ReportedMessage(address, author, kept.name, kept.words, kept.said, still, hidden, until)
