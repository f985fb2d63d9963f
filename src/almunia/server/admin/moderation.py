"""Moderation of people and tables by the administrator: rename people, ban accounts, end games."""

import re
from typing import NamedTuple

from sqlalchemy import Connection, Engine, delete, insert, or_, select, update

from ...errors import AlmuniaError, RecordError, SetupError
from ..auth.accounts import normalize_email
from ..auth.sessions import end_sessions, session_topic
from ..broker import Broker
from ..chat.moderation import MESSAGE_PATTERN, ChatModeration, MessageRef
from ..clock import Clock
from ..friends.repository import FriendRepository
from ..privacy.tables import former_names, is_seat_of, rewrite_table, tables_of
from ..settings import Settings
from ..storage import schema
from ..storage.bus import publish
from ..storage.database import read_connection
from ..storage.rate_limits import make_limiter
from ..tables.builds import GameBuilds
from ..tables.model import PERSON, Table
from ..tables.presence import Presence
from ..tables.repository import TableRepository
from ..tables.seats import SeatService, distinct_name
from ..tables.service import TableService
from ..tables.table_limits import TableLimits
from ..text_validation import confusable_skeleton
from ..users.visitors import validate_name

A, M, F = schema.account.c, schema.moderation.c, schema.former_player.c
SEAT_PATTERN = re.compile(r"([\w-]{1,64})#([1-9][0-9]?)", re.ASCII)
NO_PERSON = (
    "There is no player {!r} here. Name a person by a message (lobby/17), a seat (TABLE#2), the email address of their "
    "account, or the id that the list shows."
)


class ModeratedPlayer(NamedTuple):
    guest: str
    name: str  # empty if unknown
    mail: str = ""  # of the account
    account: bool = False
    is_banned: bool = False


class AdminModeration:
    """Moderates players and tables in the database of a site, which may be running."""

    def __init__(self, engine: Engine, clock: Clock, settings: Settings) -> None:
        self._engine, self._clock = engine, clock
        store, broker = TableRepository(engine, clock), Broker()
        openings = TableLimits(store, make_limiter(engine, "", clock), settings.bot_tables, int(settings.tables))
        # Changes tables, and never opens any
        self._tables = TableService(store, GameBuilds(), broker, clock, openings)
        self._seats = SeatService(
            self._tables, Presence(store, broker, clock), clock, FriendRepository(engine, clock).may_meet
        )

    # --- players ----------------------------------------------------------------------------

    def find_person(self, text: str) -> ModeratedPlayer:
        """Return the player of a message, a seat, an email address or an id; raise AlmuniaError if none is found."""
        if MESSAGE_PATTERN.fullmatch(text):
            return self._person(ChatModeration(self._engine).get(MessageRef.parse(text), self._clock.now()).author)
        if found := SEAT_PATTERN.fullmatch(text):
            return self._person(self._occupant(found[1], int(found[2]) - 1))
        with read_connection(self._engine) as db:
            guest = db.execute(select(A.guest).where(or_(A.guest == text, A.mail == normalize_email(text)))).scalar()
        person = self._person(guest or text)
        if not (person.account or person.name):
            raise SetupError(NO_PERSON.format(text[:60]))
        return person

    def banned_players(self) -> list[ModeratedPlayer]:
        with read_connection(self._engine) as db:
            guests = list(db.execute(select(M.guest).where(M.is_banned.is_(True)).order_by(M.guest)).scalars())
        return [self._person(guest) for guest in guests]

    def _occupant(self, table_id: str, seat: int) -> str:
        table = self._get_table(table_id)
        if seat >= len(table.seats) or table.seats[seat].kind != PERSON:
            raise SetupError(f"No person sits in seat {seat + 1} of the game {table_id}.")
        return table.seats[seat].player

    def _get_table(self, table_id: str) -> Table:
        table = self._tables.store.find(table_id)
        if table is None:
            raise SetupError(f"There is no game {table_id[:60]!r}. Its id is the last part of its address.")
        return table

    def _person(self, guest: str) -> ModeratedPlayer:
        with read_connection(self._engine) as db:
            account = db.execute(select(schema.account).where(A.guest == guest)).first()
            is_banned = db.execute(select(M.is_banned).where(M.guest == guest)).scalar() or False
            chat = schema.message.c
            said = db.execute(
                select(chat.name).where(chat.guest == guest).order_by(chat.sent_at.desc()).limit(1)
            ).scalar()
        tables = self._tables.store.for_guest(guest)
        seats = (table.seats[table.seats_of(guest)[0]].name for table in tables)
        name = account.name if account else next(seats, "") or said or ""
        return ModeratedPlayer(guest, name, (account.mail or "") if account else "", account is not None, is_banned)

    # --- changes ------------------------------------------------------------------------------

    def rename(self, person: ModeratedPlayer, name: str) -> int:
        """Rename a player, and return the number of tables that name the player."""
        name = validate_name(name)
        with self._engine.begin() as db:
            self._record_name(db, person, name)
            for part in (schema.account, schema.profile, schema.message):
                db.execute(update(part).where(part.c.guest == person.guest).values(name=name))
            follow = schema.follow.c
            db.execute(update(schema.follow).where(follow.guest == person.guest).values(guest_name=name))
            db.execute(update(schema.follow).where(follow.other == person.guest).values(other_name=name))
            db.execute(update(schema.mute).where(schema.mute.c.other == person.guest).values(name=name))
            db.execute(
                update(schema.api_token).where(schema.api_token.c.player == person.guest).values(display_name=name)
            )
            db.execute(
                update(schema.notification_channel)
                .where(schema.notification_channel.c.guest == person.guest)
                .values(display_name=name)
            )
        former, tables = former_names(self._engine, person.guest), tables_of(self._tables.store, person.guest)
        for table in tables:
            held = {seat: table.seats[seat].name for seat in table.seats_of(person.guest)}
            called = distinct_name(name, [seat for number, seat in enumerate(table.seats) if number not in held])
            names, is_affected = {**former.get(table.id, {}), **held}, is_seat_of(person.guest)
            rewrite_table(self._tables, self._clock.now(), table.id, is_affected, names, called=called, name=called)
        with self._engine.begin() as db:
            left = db.execute(select(F.table, F.seat).where(F.guest == person.guest).distinct()).all()
            db.execute(delete(schema.former_player).where(F.guest == person.guest))
            if left:
                facts = {"guest": person.guest, "name": name}
                db.execute(insert(schema.former_player), [{"table": one, "seat": seat, **facts} for one, seat in left])
        return len(tables)

    def _record_name(self, db: Connection, person: ModeratedPlayer, name: str) -> None:
        known = db.execute(select(schema.moderation).where(M.guest == person.guest)).first()
        was = (
            known.replaced_skeleton
            if known and known.replaced_skeleton and known.name == person.name
            else confusable_skeleton(person.name)
        )
        self._save(db, person.guest, replaced_skeleton=was, name=name)

    def _save(self, db: Connection, guest: str, **facts: str | bool) -> None:
        if not db.execute(update(schema.moderation).where(M.guest == guest).values(**facts)).rowcount:
            db.execute(
                insert(schema.moderation),
                {"guest": guest, "replaced_skeleton": "", "name": "", "is_banned": False, **facts},
            )

    def set_banned(self, person: ModeratedPlayer, *, out: bool) -> None:
        """Ban an account or lift its ban; raise SetupError for a guest without an account.

        A ban ends the sessions of the account and deletes its tokens and links.
        """
        if not person.account:
            raise SetupError(
                f"{person.name or person.guest} is a guest without an account and could come back as a new guest. "
                "Rename them, or stop their messages with --silence."
            )
        with self._engine.begin() as db:
            self._save(db, person.guest, is_banned=out)
            if out:
                end_sessions(db, person.guest)
                db.execute(delete(schema.api_token).where(schema.api_token.c.player == person.guest))
                db.execute(delete(schema.one_time_link).where(schema.one_time_link.c.guest == person.guest))
                publish(db, session_topic(person.guest))

    def end_game(self, table_id: str) -> None:
        """End a running game without a change of ratings; raise SetupError if that is not possible."""
        if self._get_table(table_id).finished:
            raise SetupError(f"The game {table_id} is already over.")
        try:
            self._seats.close_by_administrator(table_id)
        except RecordError:
            self._tables.store.close_outdated(table_id)
        except AlmuniaError as error:
            raise SetupError(f"The game {table_id} could not be ended: {error}") from None
