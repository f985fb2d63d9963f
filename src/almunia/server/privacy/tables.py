"""The games of somebody: at which seats they sit, and what becomes of these when they move or go."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from secrets import token_urlsafe
from typing import Any

from sqlalchemy import Engine, delete, insert, select, update

from ...bots.levels import DEFAULT_LEVEL
from ...errors import AlmuniaError, RecordError
from ..storage import schema
from ..storage.database import read_connection
from ..tables.clocks import CLAIM, TimeControl
from ..tables.log import plain_text
from ..tables.model import DELETED_PREFIX, OPEN, OPEN_SEAT_NAME, PERSON, REDACTED, Seat, Table
from ..tables.repository import TableRepository
from ..tables.service import TableService
from ..tables.state import record_of
from ..tables.viewer import viewer_of
from ..tables.viewer_history import NAMING_EVENTS
from .personal_data import SOMEBODY, PersonalData, Sources

T, S, E = schema.table.c, schema.seat.c, schema.entry.c
F, K = schema.former_seat.c, schema.kept_seat.c
AGAIN = 3  # tries at a table at which somebody else is writing


# --- what is kept -------------------------------------------------------------------------------------


def export(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the games of a guest: records of finished ones, and the logs of running ones as the guest sees them."""
    return [exported(sources, table, guest) for table in sources.tables.store.for_guest(guest)]


def exported(sources: Sources, table: Table, guest: str) -> dict[str, Any]:
    """Return one game. It tells no more than the page of its table."""
    held = table.seats_of(guest)
    facts: dict[str, Any] = {
        "id": table.id,
        "game": table.game,
        "options": table.options,
        "opened": table.created_at,
        "status": table.status,
        "players": [seat.name for seat in table.seats],
        "your_seats": [seat + 1 for seat in held],
    }
    try:
        if table.finished:
            sources.dailies.check_record(table)
            return {**facts, "record": str(record_of(table, sources.tables.store.events(table)))}
        snapshot = sources.tables.get(table.id)
        diary = snapshot.history(viewer_of(snapshot, guest, None).seat)
        return {**facts, "log": [plain_text(line) for entry in diary.log_entries for line in entry.lines]}
    except AlmuniaError as error:  # rules that are gone, or a deal that still runs
        return {**facts, "unreadable": str(error)}


# --- moving -------------------------------------------------------------------------------------------


def move(sources: Sources, old: str, new: str) -> None:
    """Let seats belong to another guest, but for those at tables where the other one sits already.

    Nor does a seat move in a rated game that goes on: else somebody would play as a guest, and sign in only if it wins.
    """
    for table in touching(sources.tables.store, old):
        if not table.seats_of(new) and not is_at_stake(table, old):
            rewrite(sources.tables, sources.clock.now(), table.id, partial(handed_over, old=old, new=new), {}, old, new)
    with sources.tables.store.engine.begin() as db:
        db.execute(update(schema.former_seat).where(F.guest == old).values(guest=new))


def handed_over(seat: Seat, old: str, new: str) -> Seat:
    """A seat of one guest as that of another one."""
    return replace(seat, player=new) if seat.player == old else seat


def is_at_stake(table: Table, guest: str) -> bool:
    """Whether a guest plays a rated game here that has been dealt and goes on."""
    return table.is_rated_and_running and bool(table.seats_of(guest))


def left_behind(store: TableRepository, old: str, new: str) -> tuple[int, int]:
    """Count the games that would not move: those where the other guest sits as well, and rated ones that go on."""
    tables = store.for_guest(old)
    beside = sum(bool(table.seats_of(new)) for table in tables)
    return beside, sum(is_at_stake(table, old) and not table.seats_of(new) for table in tables)


# --- leaving ------------------------------------------------------------------------------------------


def forget(sources: Sources, guest: str) -> None:
    """Leave all games for good, and remove the name of a guest from their records."""
    for table in sources.tables.store.for_guest(guest, running=True):
        for seat in table.seats_of(guest):
            leave(sources, table.id, seat, guest)
    names, now = former_names(sources.tables.store.engine, guest), sources.clock.now()
    with sources.tables.store.engine.begin() as db:
        db.execute(update(schema.table).where(T.owner == guest).values(network=""))
    for table in touching(sources.tables.store, guest):
        gone = f"{DELETED_PREFIX}{token_urlsafe(9)}"  # another one at every table, so that nobody is known again by it
        mine = {**names.get(table.id, {}), **{seat: table.seats[seat].name for seat in table.seats_of(guest)}}
        rewrite(sources.tables, now, table.id, partial(anonymous, guest=guest, gone=gone), mine, guest, gone)
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.former_seat).where(F.guest == guest))


def leave(sources: Sources, table_id: str, seat: int, guest: str) -> None:
    """Leave a game for good, as at the end of a clock there: by resigning, or to a bot."""
    for _ in range(AGAIN):
        try:
            table = sources.tables.get(table_id).table
            if table.finished or seat not in table.seats_of(guest):
                return
            alone = all(one.player == guest for one in table.seats if one.kind == PERSON)
            if table.time_control and TimeControl.parse(table.time_control).on_timeout == CLAIM and not alone:
                sources.seating.resign(table_id, seat, guest, DEFAULT_LEVEL)
            else:
                sources.seating.leave_permanently(table_id, seat, guest, DEFAULT_LEVEL)
        except RecordError:
            sources.tables.store.close_outdated(table_id)
        except AlmuniaError:
            continue  # somebody has just written there
        return


def anonymous(seat: Seat, guest: str, gone: str) -> Seat:
    """A seat in which nobody is known by name any more, if a guest sat there."""
    return replace(seat, player=gone, name=SOMEBODY, hours="") if seat.player == guest else seat


def former_names(engine: Engine, guest: str) -> dict[str, dict[int, str]]:
    """What a guest was called in seats that were given up, by table and seat."""
    found: dict[str, dict[int, str]] = {}
    with read_connection(engine) as db:
        for row in db.execute(select(schema.former_seat).where(F.guest == guest)):
            found.setdefault(row.table, {})[row.seat] = row.name
    return found


def touching(store: TableRepository, guest: str) -> list[Table]:
    """The tables that know a guest: as their host, or by a seat, held or given up."""
    with read_connection(store.engine) as db:
        known = set(db.execute(select(T.id).where(T.owner == guest)).scalars())
        known |= set(db.execute(select(S.table).where(S.player == guest)).scalars())
        known |= set(db.execute(select(F.table).where(F.guest == guest)).scalars())
    return store.get_many(known)


def forget_kept_seats(sources: Sources, guest: str) -> None:
    """Remove the name of a guest from seats that are reserved for them."""
    with read_connection(sources.tables.store.engine) as db:
        kept = db.execute(select(K.table, K.seat).where(K.guest == guest)).all()
    for table_id, seat in kept:
        table = sources.tables.store.find(table_id)
        if table and table.seats[seat].kind == OPEN:
            name = table.seats[seat].name
            rewrite(sources.tables, sources.clock.now(), table_id, partial(renamed, name=name), {seat: name}, "", "")
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.kept_seat).where(K.guest == guest))


def renamed(seat: Seat, name: str) -> Seat:
    """An open seat that is meant for nobody in particular any more, if it was meant for this one."""
    return replace(seat, name=OPEN_SEAT_NAME) if seat.kind == OPEN and seat.name == name else seat


# --- writing ------------------------------------------------------------------------------------------


def rewrite(
    tables: TableService,
    now: float,
    table_id: str,
    change: Callable[[Seat], Seat],
    names: Mapping[int, str],
    old: str,
    new: str,
    *,
    called: str = SOMEBODY,
) -> None:
    """Change who sits at a table, what they are `called` in its entries instead of these `names`, and its host.

    No player can tell: the entry that is added, so that nobody goes on with what they have in memory, tells nothing.
    """
    store = tables.store
    with tables.lock(table_id):
        table = store.find(table_id)
        if table is None:
            return
        with store.engine.begin() as db:
            db.execute(update(schema.table).where(T.id == table_id).values(version=T.version + 1))
            number = db.execute(select(T.version).where(T.id == table_id)).scalar_one()
            db.execute(insert(schema.entry), silent(table_id, number, now))
            for at, (was, then) in enumerate(zip(table.seats, map(change, table.seats), strict=True)):
                if was != then:
                    facts = {"player": then.player, "name": then.name, "hours": then.hours}
                    db.execute(update(schema.seat).where(S.table == table_id, S.seat == at).values(**facts))
            for at, name in names.items():
                theirs = (E.table == table_id) & (E.seat == at) & E.kind.in_(NAMING_EVENTS) & (E.words == name)
                db.execute(update(schema.entry).where(theirs).values(words=called))
            if old and table.host == old:
                db.execute(update(schema.table).where(T.id == table_id).values(owner=new))
        tables.evict(table_id)


def silent(table_id: str, number: int, now: float) -> dict[str, Any]:
    """The entry that tells nothing."""
    facts = {"seat": 0, "kind": REDACTED, "action": None, "words": "", "follows": False}
    return {"table": table_id, "number": number, **facts, "time": now}


GAMES = PersonalData("games", ("table", "seat", "entry", "former_seat"), export, move, forget)
