"""Chat at tables and in the lobby.

The chat is independent of games: numbers and times of messages reveal nothing of a position.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple
from unicodedata import category

from sqlalchemy import Connection, Engine, Row, Select, String, column, delete, func, insert, select, values
from sqlalchemy.exc import IntegrityError
from starlette.requests import Request

from ..broker import Broker
from ..clock import DAY, Clock, format_duration
from ..errors import Conflict, Forbidden, NotFound
from ..rate_limits import RateLimit
from ..storage import schema
from ..storage.database import locked_transaction, read_connection
from ..storage.rate_limits import RateLimiter
from ..text_validation import validate_line
from ..tokens import new_table_id

LOBBY_ROOM = "lobby"
TOPIC_PREFIX = "chat "  # before a room's name
MAX_LENGTH = 300  # characters
MAX_SHOWN_MESSAGES = 100  # the most recent ones
LOBBY_KEEP_SECONDS = 1.0 * DAY  # after which messages in the lobby are deleted
MAX_ATTEMPTS = 5  # to take the next number, against concurrent messages
VISIBLE_JOINERS = "\u200c\u200d"  # used in Persian words and in emoji
INVISIBLE_CATEGORIES = {"Cc", "Cf", "Cs", "Co"}  # of Unicode: control, format (text direction), surrogate, private use
PHRASES = (
    "Hello",
    "Good luck",
    "Your move",
    "One moment, please",
    "Nice move",
    "Thanks",
    "Sorry",
    "Good game",
    "Play again?",
    "Goodbye",
)
M, MUTE = schema.message.c, schema.mute.c


class Message(NamedTuple):
    room: str
    number: int
    guest: str
    name: str
    text: str  # empty in a history if the administrator has hidden the message
    sent_at: float
    hidden: bool = False


class Muted(NamedTuple):
    """A guest whom another guest has muted or blocked."""

    handle: str
    name: str
    blocked: bool = False


@dataclass(frozen=True)
class ChatHistory:
    """The recent messages of a room, as a guest reads them."""

    messages: tuple[Message, ...] = ()
    muted: tuple[Muted, ...] = ()
    hidden: int = 0  # number of hidden messages in the room

    @property
    def last_number(self) -> int:
        """The number of the last message here; 0 if there is none."""
        return self.messages[-1].number if self.messages else 0

    @property
    def version(self) -> str:
        return format_version(self.last_number, len(self.muted), self.hidden)


class Chat:
    """Stores and reads messages, mutes and reports."""

    def __init__(self, engine: Engine, broker: Broker, rate: str, limiter: RateLimiter, clock: Clock) -> None:
        self._engine, self._broker, self._clock = engine, broker, clock
        self.rate_limit = RateLimit(
            rate, "You're writing too fast. Wait a moment, then send your message again.", "chat", limiter
        )

    # --- messages -------------------------------------------------------------------------

    def post_message(self, request: Request, room: str, guest: str, name: str, words: str) -> Message:
        """Post a message in a room.

        Raises:
            BadRequest: the text is invalid.
            Forbidden: the administrator has silenced the guest.
            TooManyRequests: the guest or the network writes too fast.
            Conflict: other messages took its number at the same time.
        """
        words = validate_message(words)
        self.check_not_silenced(guest)
        self.rate_limit.consume(request)
        for _ in range(MAX_ATTEMPTS):
            try:
                return self._write(room, guest, name, words)
            except IntegrityError:
                continue  # another message has just taken the number
        raise Conflict("The chat is busy, so your message was not sent. Please send it again.")

    def check_not_silenced(self, guest: str) -> None:
        """Raise Forbidden if the administrator has silenced the guest."""
        s, now = schema.chat_suspension.c, self._clock.now()
        with read_connection(self._engine) as db:
            until = db.execute(select(s.expires_at).where(s.guest == guest, s.expires_at > now)).scalar()
        if until:
            left = format_duration(until - now) or "a minute"
            raise Forbidden(f"The site's administrator has silenced you. You can write again in {left}.")

    def _write(self, room: str, guest: str, name: str, words: str) -> Message:
        with self._engine.begin() as db:
            last = db.execute(select(func.max(M.number)).where(M.room == room)).scalar()
            made = Message(room, (last or 0) + 1, guest, name, words, self._clock.now())
            db.execute(insert(schema.message), made._asdict())
        self._broker.publish(room_topic(room))
        return made

    def history(self, room: str, guest: str) -> ChatHistory:
        """Return the recent messages of a room, without those of guests whom the reader has muted."""
        with read_connection(self._engine) as db:
            messages = map(Message._make, self._recent(db, room, schema.message.columns))
            hidden = db.execute(count_hidden(room)).scalar() or 0
            mutes = db.execute(select(MUTE.other, MUTE.handle, MUTE.name, MUTE.blocked).where(MUTE.guest == guest))
            muted = {other: Muted(*facts) for other, *facts in mutes}
        visible = [one._replace(text="") if one.hidden else one for one in messages if one.guest not in muted]
        return ChatHistory(tuple(reversed(visible)), tuple(muted.values()), hidden)

    def version(self, room: str, guest: str) -> str:
        """Return the version of a room's history for a guest. Reads no texts: many streams ask at the same time."""
        with read_connection(self._engine) as db:
            muted = set(db.execute(select(MUTE.other).where(MUTE.guest == guest)).scalars())
            last = self._recent(db, room, [M.number, M.guest, M.sent_at])
            numbers = (row.number for row in last if row.guest not in muted)
            return format_version(next(numbers, 0), len(muted), db.execute(count_hidden(room)).scalar() or 0)

    def last_numbers(self, rooms: Collection[str]) -> dict[str, tuple[int, int]]:
        """Return the number of the last message and the number of hidden messages in each room.

        Avoids a query that is grouped by room, which took 7 seconds for 115,000 messages.
        """
        if not rooms:
            return {}
        wanted = values(column("room", String), name="wanted").data([(room,) for room in rooms]).cte("wanted")
        last = select(M.number).where(M.room == wanted.c.room).order_by(M.number.desc()).limit(1).scalar_subquery()
        removed = count_hidden(wanted.c.room).scalar_subquery()
        with read_connection(self._engine) as db:
            found = db.execute(select(wanted.c.room, func.coalesce(last, 0), removed))
            return {room: (number, hidden) for room, number, hidden in found}

    def prune(self, now: float) -> None:
        """Delete old messages of the lobby. The last message stays, because its number continues the numbering."""
        with self._engine.begin() as db:
            last = db.execute(select(func.max(M.number)).where(M.room == LOBBY_ROOM)).scalar() or 0
            old = (M.room == LOBBY_ROOM) & (M.sent_at < now - LOBBY_KEEP_SECONDS) & (M.number < last)
            db.execute(delete(schema.message).where(old))

    # --- mutes and reports ----------------------------------------------------------------

    def mute(self, room: str, number: int, guest: str) -> Muted:
        """Mute the author of a message for a guest.

        Raises Conflict for the guest's own message, and NotFound as `author`.
        """
        author, name = self.author(room, number)
        if author == guest:
            raise Conflict("This is your own message. You can't mute yourself.")
        muted = Muted(new_table_id(), name)
        row = {"guest": guest, "other": author, **muted._asdict()}
        with suppress(IntegrityError), locked_transaction(self._engine, mutes_lock(guest)) as db:  # if muted before
            db.execute(insert(schema.mute), row)
        return muted

    def author(self, room: str, number: int) -> tuple[str, str]:
        """Return the guest and the name of the author of a message.

        Raises NotFound if there is no such message, or the author's data are erased.
        """
        message = self._message(room, number)
        if not message.guest:
            raise NotFound("The author of this message has left the site.")
        return message.guest, message.name

    def report(self, room: str, number: int, guest: str) -> None:
        """Report a message to the administrator, with a copy of its text.

        Raises:
            NotFound: there is no such message.
            Conflict: the message is hidden, the guest's own, or reported by the guest already.
        """
        message = self._message(room, number)
        if message.guest == guest:
            raise Conflict("This is your own message. You can't report yourself.")
        if message.hidden:
            raise Conflict("This message has been removed already.")
        facts = {"author": message.guest, "name": message.name, "text": message.text, "sent_at": message.sent_at}
        row = {"guest": guest, "room": room, "number": number, **facts, "reported_at": self._clock.now()}
        try:
            with self._engine.begin() as db:
                db.execute(insert(schema.report), row)
        except IntegrityError:
            raise Conflict("You have already reported this message.") from None

    def _recent(self, db: Connection, room: str, columns: Iterable[Any]) -> list[Row[Any]]:
        """Return `columns`, which must include `sent_at`, of the recent messages of a room, latest first.

        Old messages are filtered here: with both conditions, SQLite would read all messages by time, and sort them.
        """
        last = select(*columns).where(M.room == room).order_by(M.number.desc()).limit(MAX_SHOWN_MESSAGES)
        since = self._clock.now() - LOBBY_KEEP_SECONDS if room == LOBBY_ROOM else -inf
        return [row for row in db.execute(last) if row.sent_at >= since]

    def _message(self, room: str, number: int) -> Message:
        wanted = select(schema.message).where(M.room == room, M.number == number)
        with read_connection(self._engine) as db:
            row = db.execute(wanted).mappings().first()
        if row is None:
            raise NotFound("This message no longer exists.")
        return Message(**row)


def muted_pairs(engine: Engine, guest: str) -> set[str]:
    """Return the guests whom a guest has muted, and those who have muted this guest."""
    muted = select(MUTE.other).where(MUTE.guest == guest)
    muting = select(MUTE.guest).where(MUTE.other == guest)
    with read_connection(engine) as db:
        return set(db.execute(muted.union(muting)).scalars())


def mutes_lock(guest: str) -> str:
    """Return the name of the lock of a guest's mutes, blocks and follows."""
    return f"mutes {guest}"


def count_hidden(room: Any) -> Select[Any]:
    return select(func.count()).select_from(schema.message).where(M.room == room, M.hidden.is_(True))


def format_version(latest: int, muted: int, hidden: int) -> str:
    return f"{latest}.{muted}.{hidden}"


def room_topic(room: str) -> str:
    return f"{TOPIC_PREFIX}{room}"


def room_of_topic(topic: str) -> str:
    """Return the room of a topic of `room_topic`; empty for other topics."""
    return topic.removeprefix(TOPIC_PREFIX) if topic.startswith(TOPIC_PREFIX) else ""


def validate_message(words: str) -> str:
    """Return the text of a message on one line; BadRequest, with status 422, if it is invalid."""
    return validate_line(words, "message", MAX_LENGTH, "Write something first.", is_visible)


def is_visible(words: str) -> bool:
    return all(category(letter) not in INVISIBLE_CATEGORIES or letter in VISIBLE_JOINERS for letter in words)
