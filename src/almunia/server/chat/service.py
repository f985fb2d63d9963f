"""What people say to each other, at a table or in the lobby.

It knows nothing of games: messages are numbered in each room, and neither their number nor their time follows from
anything that happens in a play.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple
from unicodedata import category

from limits.strategies import RateLimiter
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Row,
    Select,
    String,
    column,
    delete,
    func,
    insert,
    select,
    values,
)
from sqlalchemy.exc import IntegrityError
from starlette.requests import Request

from ..broker import Broker
from ..clock import DAY, Clock, format_duration
from ..errors import Conflict, Forbidden, NotFound
from ..rate_limits import RateLimit
from ..storage import schema
from ..storage.database import read_connection
from ..text_validation import validate_line
from ..tokens import TOKEN_PATTERN, new_table_id

LOBBY_ROOM = "lobby"
NEWS = "chat "  # before a room in what streams listen to
LONGEST = 300  # characters
SHOWN = 100  # messages, the last ones
LOBBY_KEPT = 1.0 * DAY  # seconds after which what was said in the lobby is forgotten
TRIES = 5  # to find the next number, where others speak at the same time
ALSO_SHOWN = "\u200c\u200d"  # joiners, as in Persian words and in pictures of people
UNSEEN = {"Cc", "Cf", "Cs", "Co"}  # kinds of characters that show nothing, or turn words round
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
    """Something that was said."""

    room: str
    number: int
    guest: str
    name: str
    words: str  # empty where whoever runs the site has removed it
    said: float
    hidden: bool = False


class Muted(NamedTuple):
    """Somebody of whom a guest reads nothing."""

    handle: str
    name: str


class Report(NamedTuple):
    """A message that somebody has reported."""

    guest: str
    room: str
    number: int
    author: str
    name: str
    words: str
    said: float
    reported: float
    resolved: float | None = None  # when whoever runs the site was done with it


@dataclass(frozen=True)
class ChatHistory:
    """What a guest reads in a room."""

    messages: tuple[Message, ...] = ()
    muted: tuple[Muted, ...] = ()
    hidden: int = 0  # messages of the room that were removed

    @property
    def latest(self) -> int:
        """The number of the last message that the guest reads; 0 if there is none."""
        return self.messages[-1].number if self.messages else 0

    @property
    def mark(self) -> str:
        """All of that as one word."""
        return mark_of(self.latest, len(self.muted), self.hidden)


class Chat:
    """All that is said."""

    def __init__(self, engine: Engine, notifier: Broker, rate: str, limiter: RateLimiter, clock: Clock) -> None:
        self._engine, self._notifier, self._clock = engine, notifier, clock
        self.rate = RateLimit(rate, "You're writing very fast. Wait a moment, then send it again.", "chat", limiter)

    # --- saying and reading ---------------------------------------------------------------

    def say(self, request: Request, room: str, guest: str, name: str, words: str) -> Message:
        """Post a message in a room; BadRequest if its text is refused, TooManyRequests beyond the rate limit."""
        words = checked_words(words)
        self.check_silence(guest)
        self.rate.hit(request)
        for _ in range(TRIES):
            try:
                return self._write(room, guest, name, words)
            except IntegrityError:
                continue  # somebody else has just taken the number
        raise Conflict("Many people are writing at the same moment. Please send it again.")

    def check_silence(self, guest: str) -> None:
        """Forbidden if whoever runs the site lets a guest write nothing now."""
        s, now = schema.silence.c, self._clock.now()
        with read_connection(self._engine) as db:
            until = db.execute(select(s.until).where(s.guest == guest, s.until > now)).scalar()
        if until:
            left = format_duration(until - now) or "a minute"
            raise Forbidden(f"Whoever runs this site lets you write nothing for now. You can write again in {left}.")

    def _write(self, room: str, guest: str, name: str, words: str) -> Message:
        with self._engine.begin() as db:
            last = db.execute(select(func.max(M.number)).where(M.room == room)).scalar()
            made = Message(room, (last or 0) + 1, guest, name, words, self._clock.now())
            db.execute(insert(schema.message), made._asdict())
        self._notifier.publish(topic_of(room))
        return made

    def talk(self, room: str, guest: str) -> ChatHistory:
        """The last messages in a room, without those of people whom the guest has muted."""
        with read_connection(self._engine) as db:
            messages = [shown(Message._make(row)) for row in self._last_of(db, room, schema.message.columns)]
            hidden = db.execute(hidden_in(room)).scalar() or 0
            muted = {
                row.other: Muted(row.handle, row.name)
                for row in db.execute(select(schema.mute).where(MUTE.guest == guest))
            }
        heard = tuple(one for one in reversed(messages) if one.guest not in muted)
        return ChatHistory(heard, tuple(muted.values()), hidden)

    def mark(self, room: str, guest: str) -> str:
        """The mark of what a guest reads in a room, without its words: a crowd asks for it at the same moment."""
        with read_connection(self._engine) as db:
            muted = set(db.execute(select(MUTE.other).where(MUTE.guest == guest)).scalars())
            last = self._last_of(db, room, [M.number, M.guest, M.said])
            numbers = (row.number for row in last if row.guest not in muted)
            return mark_of(next(numbers, 0), len(muted), db.execute(hidden_in(room)).scalar() or 0)

    def latest(self, rooms: Collection[str]) -> dict[str, tuple[int, int]]:
        """The number of the last message in each of some rooms, whoever reads it, and how many were removed there.

        Reads one entry of an index for each room. Every stream of the lobby asks this whenever it wakes: grouped by
        room, 115,000 messages took 7 seconds.
        """
        if not rooms:
            return {}
        wanted = values(column("room", String), name="wanted").data([(room,) for room in rooms]).cte("wanted")
        last = select(M.number).where(M.room == wanted.c.room).order_by(M.number.desc()).limit(1).scalar_subquery()
        removed = hidden_in(wanted.c.room).scalar_subquery()
        with read_connection(self._engine) as db:
            found = db.execute(select(wanted.c.room, func.coalesce(last, 0), removed))
            return {room: (number, hidden) for room, number, hidden in found}

    def prune(self, now: float) -> None:
        """Forget what was said in the lobby long ago; the last message stays, for numbers go on from it."""
        with self._engine.begin() as db:
            last = db.execute(select(func.max(M.number)).where(M.room == LOBBY_ROOM)).scalar() or 0
            old = (M.room == LOBBY_ROOM) & (M.said < now - LOBBY_KEPT) & (M.number < last)
            db.execute(delete(schema.message).where(old))

    # --- muting and reporting -------------------------------------------------------------

    def mute(self, room: str, number: int, guest: str) -> Muted:
        """Read nothing more of whoever has said this."""
        said = self._message(room, number)
        if said.guest == guest:
            raise Conflict("These are your own words. You can't mute yourself.")
        made = Muted(new_table_id(), said.name)
        row = {"guest": guest, "other": said.guest, "handle": made.handle, "name": made.name}
        with suppress(IntegrityError), self._engine.begin() as db:  # it may have been done before
            db.execute(insert(schema.mute), row)
        self._notifier.publish(topic_of(room))
        return made

    def unmute(self, room: str, handle: str, guest: str) -> None:
        """Read again what somebody says; nothing if nobody is muted by that handle."""
        if TOKEN_PATTERN.fullmatch(handle):
            with self._engine.begin() as db:
                db.execute(delete(schema.mute).where(MUTE.guest == guest, MUTE.handle == handle))
        self._notifier.publish(topic_of(room))

    def report(self, room: str, number: int, guest: str) -> None:
        """Keep a message for whoever runs the site."""
        said = self._message(room, number)
        if said.guest == guest:
            raise Conflict("These are your own words. You can't report yourself.")
        if said.hidden:
            raise Conflict("This message has been removed already.")
        facts = {"author": said.guest, "name": said.name, "words": said.words, "said": said.said}
        row = {"guest": guest, "room": room, "number": number, **facts, "reported": self._clock.now()}
        try:
            with self._engine.begin() as db:
                db.execute(insert(schema.report), row)
        except IntegrityError:
            raise Conflict("You have reported this already.") from None

    def _last_of(self, db: Connection, room: str, columns: Iterable[Column[Any]]) -> list[Row[Any]]:
        """Return the last messages in a room, the latest first; `columns` include when each was said.

        What is too old is left out here: given both, SQLite would read by time all that was said, and sort it.
        """
        last = select(*columns).where(M.room == room).order_by(M.number.desc()).limit(SHOWN)
        since = self._clock.now() - LOBBY_KEPT if room == LOBBY_ROOM else -inf
        return [row for row in db.execute(last) if row.said >= since]

    def _message(self, room: str, number: int) -> Message:
        wanted = select(schema.message).where(M.room == room, M.number == number)
        with read_connection(self._engine) as db:
            row = db.execute(wanted).mappings().first()
        if row is None:
            raise NotFound("There is no such message any more.")
        return Message(**row)


def kept_apart(engine: Engine, guest: str) -> set[str]:
    """The guests whom a guest has muted, and those who have muted this guest."""
    muted = select(MUTE.other).where(MUTE.guest == guest)
    muting = select(MUTE.guest).where(MUTE.other == guest)
    with read_connection(engine) as db:
        return set(db.execute(muted.union(muting)).scalars())


def hidden_in(room: str | ColumnElement[str]) -> Select[Any]:
    """How many messages of a room were removed."""
    return select(func.count()).select_from(schema.message).where(M.room == room, M.hidden.is_(True))


def shown(message: Message) -> Message:
    """A message as everybody reads it: of one that was removed, that it was."""
    return message._replace(words="") if message.hidden else message


def mark_of(latest: int, muted: int, hidden: int) -> str:
    """The last message that somebody reads, how many people are muted and how much was removed, as one word."""
    return f"{latest}.{muted}.{hidden}"


def reports_in(engine: Engine) -> list[Report]:
    """All that has been reported, the latest first."""
    wanted = select(schema.report).order_by(schema.report.c.reported.desc())
    with read_connection(engine) as db:
        return [Report(**row) for row in db.execute(wanted).mappings()]


def topic_of(room: str) -> str:
    """What streams listen to for news of a room."""
    return f"{NEWS}{room}"


def room_of_topic(topic: str) -> str:
    """The room of which a topic tells news; empty if it tells of something else."""
    return topic.removeprefix(NEWS) if topic.startswith(NEWS) else ""


def checked_words(words: str) -> str:
    """Words on one line; BadRequest, with status 422, if they cannot be said."""
    return validate_line(words, "message", LONGEST, "Write something first.", is_shown)


def is_shown(words: str) -> bool:
    """Does every character of a message show something?"""
    return all(category(letter) not in UNSEEN or letter in ALSO_SHOWN for letter in words)
