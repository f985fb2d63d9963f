"""Personal data in games: seats and names, their merge and erasure."""

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
from .personal_data import ANONYMIZED_NAME, PersonalData, Sources

T, S, E = schema.table.c, schema.seat.c, schema.entry.c
F, K = schema.former_seat.c, schema.kept_seat.c
MAX_ATTEMPTS = 3  # at a table to which another request writes


# --- export -------------------------------------------------------------------------------------------


def export_games(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the games of a guest: records of finished ones, and the logs of running ones as the guest sees them."""
    return [export_table(sources, table, guest) for table in sources.tables.store.for_guest(guest)]


def export_table(sources: Sources, table: Table, guest: str) -> dict[str, Any]:
    """Return one game. It reveals no more than the page of its table."""
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
            sources.daily_deals.check_record(table)
            return {**facts, "record": str(record_of(table, sources.tables.store.events(table)))}
        snapshot = sources.tables.get(table.id)
        diary = snapshot.history(viewer_of(snapshot, guest, None).seat)
        return {**facts, "log": [plain_text(line) for entry in diary.log_entries for line in entry.lines]}
    except AlmuniaError as error:  # the game is not installed, or its daily deal still runs
        return {**facts, "unreadable": str(error)}


# --- merge --------------------------------------------------------------------------------------------


def merge_games(sources: Sources, old: str, new: str) -> None:
    """Move seats to another guest, except at tables where that guest sits already.

    Seats in running rated games stay, too: a player could play as a guest, and sign in only after a win.
    """
    for table in tables_of(sources.tables.store, old):
        if not table.seats_of(new) and not is_at_stake(table, old):
            rewrite_table(
                sources.tables, sources.clock.now(), table.id, partial(with_player, old=old, new=new), {}, old, new
            )
    with sources.tables.store.engine.begin() as db:
        db.execute(update(schema.former_seat).where(F.guest == old).values(guest=new))


def with_player(seat: Seat, old: str, new: str) -> Seat:
    """Return a seat with the other guest as its player."""
    return replace(seat, player=new) if seat.player == old else seat


def is_at_stake(table: Table, guest: str) -> bool:
    """Whether the guest plays a running rated game at this table."""
    return table.is_rated_and_running and bool(table.seats_of(guest))


def count_unmerged(store: TableRepository, old: str, new: str) -> tuple[int, int]:
    """Return how many games a merge leaves: where the other guest sits, too, and running rated games."""
    tables = store.for_guest(old)
    beside = sum(bool(table.seats_of(new)) for table in tables)
    return beside, sum(is_at_stake(table, old) and not table.seats_of(new) for table in tables)


# --- erasure ------------------------------------------------------------------------------------------


def erase_games(sources: Sources, guest: str) -> None:
    """Leave all games of a guest permanently, and remove the guest's name from all records."""
    for table in sources.tables.store.for_guest(guest, running=True):
        for seat in table.seats_of(guest):
            leave_table(sources, table.id, seat, guest)
    names, now = former_names(sources.tables.store.engine, guest), sources.clock.now()
    with sources.tables.store.engine.begin() as db:
        db.execute(update(schema.table).where(T.owner == guest).values(network=""))
    for table in tables_of(sources.tables.store, guest):
        gone = f"{DELETED_PREFIX}{token_urlsafe(9)}"  # differs by table, so that it identifies no player
        mine = {**names.get(table.id, {}), **{seat: table.seats[seat].name for seat in table.seats_of(guest)}}
        rewrite_table(sources.tables, now, table.id, partial(anonymized, guest=guest, gone=gone), mine, guest, gone)
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.former_seat).where(F.guest == guest))


def leave_table(sources: Sources, table_id: str, seat: int, guest: str) -> None:
    """Leave a game permanently, as if the clock had run out: resign, or let a bot take over."""
    for _ in range(MAX_ATTEMPTS):
        try:
            table = sources.tables.get(table_id).table
            if table.finished or seat not in table.seats_of(guest):
                return
            alone = all(one.player == guest for one in table.seats if one.kind == PERSON)
            if table.time_control and TimeControl.parse(table.time_control).on_timeout == CLAIM and not alone:
                sources.seats.resign(table_id, seat, guest, DEFAULT_LEVEL)
            else:
                sources.seats.leave_permanently(table_id, seat, guest, DEFAULT_LEVEL)
        except RecordError:
            sources.tables.store.close_outdated(table_id)
        except AlmuniaError:
            continue  # another request has written meanwhile
        return


def anonymized(seat: Seat, guest: str, gone: str) -> Seat:
    """Return a seat without its player, if that is the guest."""
    return replace(seat, player=gone, name=ANONYMIZED_NAME, hours="") if seat.player == guest else seat


def former_names(engine: Engine, guest: str) -> dict[str, dict[int, str]]:
    """Return the names of a guest in former seats, by table and seat."""
    found: dict[str, dict[int, str]] = {}
    with read_connection(engine) as db:
        for row in db.execute(select(schema.former_seat).where(F.guest == guest)):
            found.setdefault(row.table, {})[row.seat] = row.name
    return found


def tables_of(store: TableRepository, guest: str) -> list[Table]:
    """Return the tables that name a guest: as host, or in a present or former seat."""
    with read_connection(store.engine) as db:
        known = set(db.execute(select(T.id).where(T.owner == guest)).scalars())
        known |= set(db.execute(select(S.table).where(S.player == guest)).scalars())
        known |= set(db.execute(select(F.table).where(F.guest == guest)).scalars())
    return store.get_many(known)


def erase_reservations(sources: Sources, guest: str) -> None:
    """Delete the reservations of a guest, with the guest's name in the open seats."""
    with read_connection(sources.tables.store.engine) as db:
        kept = db.execute(select(K.table, K.seat).where(K.guest == guest)).all()
    for table_id, seat in kept:
        table = sources.tables.store.find(table_id)
        if table and table.seats[seat].kind == OPEN:
            name = table.seats[seat].name
            rewrite_table(
                sources.tables,
                sources.clock.now(),
                table_id,
                partial(without_reservation, name=name),
                {seat: name},
                "",
                "",
            )
    with sources.tables.store.engine.begin() as db:
        db.execute(delete(schema.kept_seat).where(K.guest == guest))


def without_reservation(seat: Seat, name: str) -> Seat:
    """Return an open seat without the name of its reservation, if that is the given name."""
    return replace(seat, name=OPEN_SEAT_NAME) if seat.kind == OPEN and seat.name == name else seat


# --- rewriting ----------------------------------------------------------------------------------------


def rewrite_table(
    tables: TableService,
    now: float,
    table_id: str,
    change: Callable[[Seat], Seat],
    names: Mapping[int, str],
    old: str,
    new: str,
    *,
    called: str = ANONYMIZED_NAME,
) -> None:
    """Change the seats and the host of a table, and replace `names` by `called` in its events.

    Adds an empty event, so that all processes read the table again. Players cannot notice it.
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
    """Return the row of an event without content."""
    facts = {"seat": 0, "kind": REDACTED, "action": None, "words": "", "follows": False}
    return {"table": table_id, "number": number, **facts, "time": now}


GAMES = PersonalData("games", ("table", "seat", "entry", "former_seat"), export_games, merge_games, erase_games)
