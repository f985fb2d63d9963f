"""The ways by which guests are told that it's their turn."""

from collections.abc import Collection
from itertools import islice
from math import inf
from secrets import token_hex
from threading import Lock
from typing import Any, NamedTuple

from sqlalchemy import Engine, Row, and_, delete, exists, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from ..clock import Clock
from ..errors import Conflict, NotFound
from ..storage import schema
from ..storage.database import read_connection
from ..tables.clocks import REALTIME, PlayingHours
from ..tables.model import BOT, PERSON, RUNNING

PUSH, MAIL, WEBHOOK = "push", "mail", "webhook"
MOST = 10  # ways of one guest
PATIENCE = {"live": 30.0, "slow": 120.0}  # seconds for which a turn waits before it's told
REST = {PUSH: 0.0, MAIL: 3600.0, WEBHOOK: 0.0}  # seconds between two messages: mails collect what comes in between
PAUSES = (60.0, 300.0, 1800.0, 7200.0, 21600.0, 86400.0)  # seconds after the first failure in a row, the second, ...
GIVEN_UP = len(PAUSES)  # failures in a row after which a way isn't tried again
KEPT = 90 * 86400.0  # seconds for which it is known that something was told
TOO_MANY = f"You have {MOST} alerts, and there can be no more. Remove one that you don't need."
GONE = "You have no such alert. It may have been removed already."


class Channel(NamedTuple):
    """A way by which a guest is told."""

    id: str
    guest: str
    called: str  # what the guest is called
    kind: str  # PUSH, MAIL or WEBHOOK
    target: str  # an address of the web, or of a mailbox
    keys: dict[str, str]  # by which messages are enciphered or signed
    label: str  # by which the guest tells it from others
    live: bool  # are turns of live games told?
    slow: bool  # and those of slow games, and of those without clocks?
    confirmed: bool  # does its owner want it? Somebody else's mailbox could be named
    failures: int  # in a row
    again: float  # when the next message may be sent
    hours: str = ""  # when its guest wants to be told, as `clocks.Hours` reads it; empty at any time

    @property
    def given_up(self) -> bool:
        """Has it failed too often?"""
        return self.failures >= GIVEN_UP


class PendingTurn(NamedTuple):
    """A turn that waits for somebody."""

    table: str
    game: str
    seat: int
    noticed: float  # when this seat could last notice anything


class ChannelRepository:
    """All ways of the site."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine, self._clock, self._making = engine, clock, Lock()

    # --- chosen by their owners -------------------------------------------------------------

    def add(
        self, guest: str, called: str, kind: str, target: str, keys: dict[str, str], label: str, confirmed: bool = True
    ) -> Channel:
        """A new way, which replaces one with the same target; Conflict if the guest has too many."""
        w = schema.alert_way.c
        way = Channel(token_hex(8), guest, called, kind, target, keys, label, True, True, confirmed, 0, 0.0)
        # A browser belongs to whoever uses it now; a mailbox or a hook may serve several.
        same = and_(w.kind == kind, w.target == target, or_(w.guest == guest, w.kind == PUSH))
        with self._making, self._engine.begin() as db:
            hours = db.execute(select(w.hours).where(w.guest == guest)).scalars().first()  # the same for all
            self._forget_where(db, same)
            if db.execute(select(func.count()).where(w.guest == guest)).scalar_one() >= MOST:
                raise Conflict(TOO_MANY)
            way = way._replace(hours=hours or "")
            db.execute(insert(schema.alert_way), {**way._asdict(), "made": self._clock.now()})
        return way

    def of(self, guest: str) -> list[Channel]:
        """The ways of a guest, the oldest first."""
        w = schema.alert_way.c
        return self._read(select(schema.alert_way).where(w.guest == guest).order_by(w.made, w.id))

    def own(self, guest: str, way_id: str) -> Channel:
        """One of a guest's ways; NotFound if the guest has none with this id."""
        found = next((way for way in self.of(guest) if way.id == way_id), None)
        if found is None:
            raise NotFound(GONE)
        return found

    def find(self, way_id: str) -> Channel | None:
        """A way by its id, if there is still one."""
        return next(iter(self._read(select(schema.alert_way).where(schema.alert_way.c.id == way_id))), None)

    def choose(self, guest: str, way_id: str, live: bool, slow: bool) -> None:
        """Say of which games a way tells; one that was given up is tried again. Missing if the guest has none such."""
        self.own(guest, way_id)
        self._set(way_id, live=live, slow=slow, failures=0, again=0.0)

    def renamed(self, guest: str, name: str) -> None:
        """Call a guest by another name in what is sent from now on."""
        w = schema.alert_way.c
        with self._engine.begin() as db:
            db.execute(update(schema.alert_way).where(w.guest == guest).values(called=name))

    def rest(self, guest: str, hours: PlayingHours) -> None:
        """Tell a guest only at these hours, whatever the way."""
        w = schema.alert_way.c
        with self._engine.begin() as db:
            db.execute(update(schema.alert_way).where(w.guest == guest).values(hours=str(hours)))

    def confirm(self, way_id: str) -> None:
        """Its owner wants it."""
        self._set(way_id, confirmed=True)

    def remove(self, way_id: str) -> None:
        """Forget a way, and what it has told."""
        with self._engine.begin() as db:
            self._forget_where(db, schema.alert_way.c.id == way_id)

    # --- used by the herald -----------------------------------------------------------------

    def waiting(self, now: float, most: int, busy: Collection[str] = ()) -> list[tuple[Channel, list[PendingTurn]]]:
        """Turns that are to be told, by the ways that may tell them now and are not `busy`, at most so many.

        First the turn of each guest that has waited longest, then the next one of each: nobody's turns take all places.
        Where nobody else plays, and no clock runs, nobody waits but bots, and nothing is told.
        """
        w, s, t, a = schema.alert_way.c, schema.seat.c, schema.table.c, schema.alert_told.c
        v = schema.vacation.c
        live = t.time_control.like(f"{REALTIME} %")
        other = schema.seat.alias("other")
        company = exists().where(other.c.table == s.table, other.c.kind != BOT, other.c.player != w.guest)
        wanted = (
            select(schema.alert_way, s.table, t.game, s.seat, s.noticed, s.hours.label("playing"), v.since)
            .add_columns(live.label("is_live"))
            .join(schema.seat, and_(s.player == w.guest, s.kind == PERSON, s.stand_in == ""))
            .join(schema.table, and_(t.id == s.table, t.status == RUNNING, t.turn == s.seat, ~t.lesson))
            .outerjoin(schema.vacation, v.player == w.guest)
            .outerjoin(schema.alert_told, and_(a.way == w.id, a.table == s.table, a.seat == s.seat))
            .where(or_(company, t.time_control != ""))
            .where(w.confirmed, w.failures < GIVEN_UP, w.again <= now, or_(a.noticed.is_(None), a.noticed < s.noticed))
            .where(
                or_(
                    and_(live, w.live, s.noticed <= now - PATIENCE["live"]),
                    and_(~live, w.slow, s.noticed <= now - PATIENCE["slow"]),
                )
            )
            .order_by(func.row_number().over(partition_by=w.guest, order_by=s.noticed), s.noticed)
        )
        found: dict[str, tuple[Channel, list[PendingTurn]]] = {}
        with read_connection(self._engine) as db:
            due = (row for row in db.execute(wanted) if row.id not in busy and not rests(row, now))
            for row in islice(due, most):
                _, turns = found.setdefault(row.id, (way_of(row), []))
                turns.append(PendingTurn(row.table, row.game, row.seat, row.noticed))
        return [*found.values()]

    def take(self, way: Channel, turn: PendingTurn) -> bool:
        """Write down that a turn is told; False if somebody else has done so meanwhile."""
        a = schema.alert_told.c
        mine = and_(a.way == way.id, a.table == turn.table, a.seat == turn.seat)
        row = {
            "way": way.id,
            "table": turn.table,
            "seat": turn.seat,
            "noticed": turn.noticed,
            "told": self._clock.now(),
        }
        try:
            with self._engine.begin() as db:
                db.execute(delete(schema.alert_told).where(mine, a.noticed < turn.noticed))
                db.execute(insert(schema.alert_told), row)
        except IntegrityError:  # told elsewhere, or the way is gone
            return False
        return True

    def give_back(self, way: Channel, turns: list[PendingTurn]) -> None:
        """Write down that turns could not be told after all."""
        a = schema.alert_told.c
        with self._engine.begin() as db:
            for turn in turns:
                db.execute(delete(schema.alert_told).where(a.way == way.id, a.table == turn.table, a.seat == turn.seat))

    def worked(self, way: Channel) -> None:
        """A message has got through."""
        self._set(way.id, failures=0, again=self._clock.now() + REST[way.kind])

    def failed(self, way: Channel) -> None:
        """A message has not got through: the next try comes later each time."""
        self._set(way.id, failures=way.failures + 1, again=self._clock.now() + PAUSES[min(way.failures, GIVEN_UP - 1)])

    def prune(self, now: float) -> None:
        """Forget what was told long ago."""
        with self._engine.begin() as db:
            db.execute(delete(schema.alert_told).where(schema.alert_told.c.told < now - KEPT))

    # --- what is kept about a guest ---------------------------------------------------------

    def export(self, guest: str) -> list[dict[str, Any]]:
        """What is kept about a guest, without the keys."""
        shown = ("kind", "target", "label", "live", "slow", "confirmed", "hours")
        return [{name: getattr(way, name) for name in shown} for way in self.of(guest)]

    def forget(self, guest: str) -> None:
        """Forget all ways of a guest."""
        with self._engine.begin() as db:
            self._forget_where(db, schema.alert_way.c.guest == guest)

    def _forget_where(self, db: Any, which: Any) -> None:
        ids = select(schema.alert_way.c.id).where(which)
        db.execute(delete(schema.alert_told).where(schema.alert_told.c.way.in_(ids)))
        db.execute(delete(schema.alert_way).where(which))

    def _set(self, way_id: str, **values: object) -> None:
        with self._engine.begin() as db:
            db.execute(update(schema.alert_way).where(schema.alert_way.c.id == way_id).values(**values))

    def _read(self, wanted: Any) -> list[Channel]:
        with read_connection(self._engine) as db:
            return [way_of(row) for row in db.execute(wanted)]


def rests(row: Row, now: float) -> bool:
    """Is somebody left alone now: at quiet hours, or in slow games on vacation or outside the hours to play in?"""
    playing = row.is_live or (row.since is None and is_in(row.playing, now))
    return not (playing and is_in(row.hours, now))


def is_in(hours: str, now: float) -> bool:
    """Is a moment within hours as they are kept?"""
    return next(PlayingHours.parse(hours).windows(now), (inf,))[0] <= now


def way_of(row: Row) -> Channel:
    """A way from its row."""
    return Channel(*(getattr(row, name) for name in Channel._fields))
