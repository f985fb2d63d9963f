"""Notification channels of guests, and the turns that each channel has still to announce."""

from collections.abc import Collection
from itertools import chain, islice
from math import inf
from secrets import token_hex
from threading import Lock
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    Engine,
    FromClause,
    Row,
    Select,
    and_,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from ..clock import Clock
from ..errors import Conflict, NotFound
from ..storage import schema
from ..storage.database import read_connection
from ..tables.clocks import CORRESPONDENCE, REALTIME, TIME_CONTROLS, PlayingHours
from ..tables.model import BOT, OPEN, PERSON, RUNNING

W, A = schema.notification_channel.c, schema.notification_sent.c
PUSH, MAIL, WEBHOOK = "push", "mail", "webhook"
MAX_CHANNELS = 10  # of a guest
NOTIFY_AFTER_SECONDS = {"live": 30.0, "slow": 120.0}  # for which a turn waits first
MIN_INTERVAL_SECONDS = {PUSH: 0.0, MAIL: 3600.0, WEBHOOK: 0.0}  # between messages; an email collects turns
RETRY_SECONDS = (60.0, 300.0, 1800.0, 7200.0, 21600.0, 86400.0)  # after each failure in a row
MAX_FAILURES = len(RETRY_SECONDS)  # in a row, after which the channel is disabled
REMINDER_SHARE = 0.25  # of the time for a turn that is left when a reminder is due
KEEP_SENT_SECONDS = 90 * 86400.0  # for which the database remembers what was sent
SLOW_CONTROLS = [control for _, control in TIME_CONTROLS.values() if control.kind == CORRESPONDENCE]
TURN_SECONDS = case(  # of a game with a slow clock, else 0
    *(
        (schema.game_table.c.time_control.like(f"{CORRESPONDENCE} {one.initial} %"), one.initial)
        for one in SLOW_CONTROLS
    ),
    else_=0,
)
TOO_MANY_CHANNELS = f"You have {MAX_CHANNELS} alerts, which is the limit. Remove one that you don't need."
NO_CHANNEL = "You don't have this alert. It may have been removed already."


class Channel(NamedTuple):
    """A notification channel of a guest."""

    id: str
    guest: str
    display_name: str  # the guest's name
    kind: str  # PUSH, MAIL or WEBHOOK
    target: str  # URL or email address
    keys: dict[str, str]  # that encrypt or sign messages
    label: str  # the guest's name for the channel
    live: bool  # whether it announces turns of live games
    slow: bool  # whether it announces turns of slow games and of games without clocks
    confirmed: bool  # whether the owner of the mailbox has agreed; a guest could name another person's
    failures: int  # in a row
    retry_at: float  # time of the next message at the earliest
    hours: str = ""  # of notifications, as `PlayingHours` reads them; empty for all hours
    reminders: bool = True  # whether it reminds of slow clocks that are about to expire

    @property
    def is_disabled(self) -> bool:
        return self.failures >= MAX_FAILURES


class PendingTurn(NamedTuple):
    """A turn that waits for a player, or an invitation to an open seat."""

    table: str
    game: str
    seat: int
    last_visible_change: float  # time of the last change that this seat could notice
    is_invitation: bool = False
    expires_at: float | None = None  # when the seat's slow clock expires, if this is a reminder
    turn_seconds: int = 0  # of a reminder: the time for a turn


class ChannelRepository:
    """Stores channels and the turns that they have announced."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine, self._clock, self._add_lock = engine, clock, Lock()

    # --- channels of guests -----------------------------------------------------------------

    def add(
        self, guest: str, called: str, kind: str, target: str, keys: dict[str, str], label: str, confirmed: bool = True
    ) -> Channel:
        """Add a channel, and return it; Conflict if the guest has too many.

        The channel replaces the guest's channel with the same target, and a browser's channel of another guest.
        """
        channel = Channel(token_hex(8), guest, called, kind, target, keys, label, True, True, confirmed, 0, 0.0)
        # A browser belongs to its present user. A mailbox or a webhook may serve several guests.
        same = and_(W.kind == kind, W.target == target, or_(W.guest == guest, W.kind == PUSH))
        with self._add_lock, self._engine.begin() as db:
            hours = db.execute(select(W.hours).where(W.guest == guest)).scalars().first()  # the same for all
            delete_channels(db, same)
            if db.execute(select(func.count()).where(W.guest == guest)).scalar_one() >= MAX_CHANNELS:
                raise Conflict(TOO_MANY_CHANNELS)
            channel = channel._replace(hours=hours or "")
            db.execute(insert(schema.notification_channel), {**channel._asdict(), "created_at": self._clock.now()})
        return channel

    def for_guest(self, guest: str) -> list[Channel]:
        """Return the channels of a guest, oldest first."""
        return self._read(W.guest == guest)

    def get(self, guest: str, channel_id: str) -> Channel:
        """Return a channel of a guest; NotFound if the guest has no channel with this id."""
        for channel in self._read(and_(W.guest == guest, W.id == channel_id)):
            return channel
        raise NotFound(NO_CHANNEL)

    def find(self, channel_id: str) -> Channel | None:
        return next(iter(self._read(W.id == channel_id)), None)

    def set_games(self, guest: str, channel_id: str, live: bool, slow: bool, reminders: bool) -> None:
        """Set which games a channel announces, and enable the channel again; NotFound as in `get`."""
        chosen = self.get(guest, channel_id).id
        self._update(W.id == chosen, live=live, slow=slow, reminders=reminders, failures=0, retry_at=0.0)

    def rename(self, guest: str, name: str) -> None:
        """Set the name of a guest in later messages."""
        self._update(W.guest == guest, display_name=name)

    def set_hours(self, guest: str, hours: PlayingHours) -> None:
        self._update(W.guest == guest, hours=str(hours))

    def confirm(self, channel_id: str) -> None:
        self._update(W.id == channel_id, confirmed=True)

    def remove(self, channel_id: str) -> None:
        """Delete a channel and the records of its announcements."""
        with self._engine.begin() as db:
            delete_channels(db, W.id == channel_id)

    def remove_all(self, guest: str) -> None:
        with self._engine.begin() as db:
            delete_channels(db, W.guest == guest)

    def _read(self, which: Any) -> list[Channel]:
        with read_connection(self._engine) as db:
            rows = db.execute(select(schema.notification_channel).where(which).order_by(W.created_at, W.id))
            return [channel_from_row(row) for row in rows]

    def _update(self, which: Any, **values: object) -> None:
        with self._engine.begin() as db:
            db.execute(update(schema.notification_channel).where(which).values(**values))

    # --- turns to announce ------------------------------------------------------------------

    def pending_turns(
        self, now: float, most: int, busy: Collection[str] = ()
    ) -> list[tuple[Channel, list[PendingTurn]]]:
        """Return at most `most` turns, reminders and invitations to send, by channel, without `busy` channels.

        Turns come first: the oldest of each guest, then the second oldest, and so on. Games without clocks against bots
        are left out. A reminder of a slow clock is due when at most REMINDER_SHARE of the time for a turn is left.
        """
        s, t, other, r = schema.seat.c, schema.game_table.c, schema.seat.alias("other").c, schema.seat_reservation.c
        company = exists().where(other.table == s.table, other.kind != BOT, other.player != W.guest)
        seated = schema.notification_channel.join(
            schema.seat, and_(s.player == W.guest, s.kind == PERSON, s.substitute_bot == "")
        ).join(schema.game_table, and_(t.id == s.table, t.status == RUNNING, t.turn == s.seat, ~t.lesson))
        invited = (
            schema.notification_channel.join(schema.seat_reservation, r.guest == W.guest)
            .join(schema.seat, and_(s.table == r.table, s.seat == r.seat, s.kind == OPEN))
            .join(schema.game_table, and_(t.id == s.table, t.status == RUNNING))
        )
        is_unannounced = or_(A.last_visible_change.is_(None), A.last_visible_change < s.last_visible_change)
        turns = select_due(seated, now).where(or_(company, t.time_control != ""), is_unannounced)
        # The clock expires at least `TURN_SECONDS` after its turn began, so an earlier reminder was for another turn.
        is_new = or_(A.reminded_at.is_(None), A.reminded_at < t.expires_at - TURN_SECONDS)
        begins_at = t.expires_at - REMINDER_SHARE * TURN_SECONDS
        reminders = (
            select_due(seated, now)
            .add_columns(t.expires_at, TURN_SECONDS.label("turn_seconds"))
            .where(W.reminders, TURN_SECONDS > 0, ~is_unannounced, is_new, begins_at <= now, now < t.expires_at)
        )
        # A guest who declines and is invited again, perhaps to another seat, is told once.
        sent = schema.notification_sent.alias("sent").c
        invitations = select_due(invited, now, is_invitation=True).where(
            is_unannounced, ~exists().where(sent.channel == W.id, sent.table == s.table)
        )
        found: dict[str, tuple[Channel, list[PendingTurn]]] = {}
        with read_connection(self._engine) as db:
            rows = chain(*map(db.execute, (turns, reminders, invitations)))
            due = (row for row in rows if row.id not in busy and not is_quiet_time(row, now))
            for row in islice(due, most):
                _, pending = found.setdefault(row.id, (channel_from_row(row), []))
                facts = zip(row._fields, row, strict=True)
                pending.append(PendingTurn(**{name: fact for name, fact in facts if name in PendingTurn._fields}))
        return [*found.values()]

    def claim(self, channel: Channel, turn: PendingTurn) -> bool:
        """Record that a channel announces a turn; False if it was recorded before or the channel is deleted."""
        now, record = self._clock.now(), update(schema.notification_sent).where(is_record_of(channel, turn))
        facts = {"last_visible_change": turn.last_visible_change, "sent_at": now}
        try:
            with self._engine.begin() as db:
                if turn.expires_at is not None:
                    is_due = or_(A.reminded_at.is_(None), A.reminded_at < turn.expires_at - turn.turn_seconds)
                    return db.execute(record.where(is_due).values(reminded_at=now)).rowcount == 1
                if not db.execute(
                    record.where(A.last_visible_change < turn.last_visible_change).values(facts)
                ).rowcount:
                    row = {"channel": channel.id, "table": turn.table, "seat": turn.seat, **facts}
                    db.execute(insert(schema.notification_sent), row)
        except IntegrityError:  # announced elsewhere, or the channel was deleted
            return False
        return True

    def release(self, channel: Channel, turns: list[PendingTurn]) -> None:
        """Delete the records of claimed turns, so that they can be claimed again."""
        with self._engine.begin() as db:
            for turn in turns:
                is_sent = is_record_of(channel, turn)
                if turn.expires_at is None:
                    db.execute(delete(schema.notification_sent).where(is_sent))
                else:
                    db.execute(update(schema.notification_sent).where(is_sent).values(reminded_at=None))

    def record_success(self, channel: Channel) -> None:
        """Record a sent message, and set the earliest time of the next message."""
        self._update(W.id == channel.id, failures=0, retry_at=self._clock.now() + MIN_INTERVAL_SECONDS[channel.kind])

    def record_failure(self, channel: Channel) -> None:
        """Record a failed message. Each failure in a row delays the next attempt for longer."""
        pause = RETRY_SECONDS[min(channel.failures, MAX_FAILURES - 1)]
        self._update(W.id == channel.id, failures=channel.failures + 1, retry_at=self._clock.now() + pause)

    def prune(self, now: float) -> None:
        with self._engine.begin() as db:
            db.execute(delete(schema.notification_sent).where(A.sent_at < now - KEEP_SENT_SECONDS))


def select_due(joined: FromClause, now: float, *, is_invitation: bool = False) -> Select[Any]:
    """Return the statement for the seats in `joined` that have waited enough, with channels and their records.

    Leaves out games whose alerts the guest has turned off.
    """
    s, t, v, u = schema.seat.c, schema.game_table.c, schema.vacation.c, schema.user_game.c
    live = t.time_control.like(f"{REALTIME} %")
    playing = literal("") if is_invitation else s.hours
    facts = s.table, t.game, s.seat, s.last_visible_change, playing.label("playing"), v.started_at
    return (
        select(schema.notification_channel, *facts, live.label("is_live"))
        .add_columns(literal(is_invitation).label("is_invitation"))
        .select_from(joined)
        .outerjoin(schema.vacation, v.player == W.guest)
        .outerjoin(schema.notification_sent, and_(A.channel == W.id, A.table == s.table, A.seat == s.seat))
        .where(W.confirmed, W.failures < MAX_FAILURES, W.retry_at <= now)
        .where(~exists().where(u.table == s.table, u.guest == W.guest, u.alerts_muted))
        .where(
            or_(
                and_(live, W.live, s.last_visible_change <= now - NOTIFY_AFTER_SECONDS["live"]),
                and_(~live, W.slow, s.last_visible_change <= now - NOTIFY_AFTER_SECONDS["slow"]),
            )
        )
        .order_by(func.row_number().over(partition_by=W.guest, order_by=s.last_visible_change), s.last_visible_change)
    )


def delete_channels(db: Connection, which: Any) -> None:
    db.execute(delete(schema.notification_sent).where(A.channel.in_(select(W.id).where(which))))
    db.execute(delete(schema.notification_channel).where(which))


def is_record_of(channel: Channel, turn: PendingTurn) -> Any:
    return and_(A.channel == channel.id, A.table == turn.table, A.seat == turn.seat)


def is_quiet_time(row: Row, now: float) -> bool:
    """Whether the guest's hours or vacation forbid to announce a turn now."""
    playing = row.is_live or (row.started_at is None and is_within(row.playing, now))
    return not (playing and is_within(row.hours, now))


def is_within(hours: str, now: float) -> bool:
    return next(PlayingHours.parse(hours).windows(now), (inf,))[0] <= now


def channel_from_row(row: Row) -> Channel:
    return Channel(*(getattr(row, name) for name in Channel._fields))
