"""Personal data in games, such as seats and names: export, merge and erasure."""

from collections.abc import Callable, Mapping
from secrets import token_urlsafe
from typing import Any

from sqlalchemy import Engine, insert, select, union, update

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
from .personal_data import PersonalData, Sources, delete_rows, move_rows

T, S, E = schema.game_table.c, schema.seat.c, schema.table_event.c
F, K, A = schema.former_player.c, schema.seat_reservation.c, schema.analysis.c
MAX_ATTEMPTS = 3  # at a table to which another request writes
ANONYMIZED_NAME = "Deleted player"  # replaces the name of an erased guest


# --- export -------------------------------------------------------------------------------------------


def export_games(sources: Sources, guest: str) -> list[dict[str, Any]]:
    """Return the games of a guest: records of finished games, and logs of running games as the guest sees them.

    A game that cannot be read, or whose daily deal still runs, has the reason instead.
    """
    return [export_table(sources, table, guest) for table in sources.tables.store.for_guest(guest)]


def export_table(sources: Sources, table: Table, guest: str) -> dict[str, Any]:
    """Return one game with its record or its log; if it cannot be read, with the reason."""
    facts: dict[str, Any] = {
        "id": table.id,
        "game": table.game,
        "options": table.options,
        "opened": table.created_at,
        "status": table.status,
        "players": [seat.name for seat in table.seats],
        "your_seats": [seat + 1 for seat in table.seats_of(guest)],
    }
    try:
        if table.finished:
            sources.daily_deals.check_record(table)
            record = str(record_of(table, sources.tables.store.events(table)))
            with read_connection(sources.engine) as db:
                analysis = db.execute(select(A.result).where(A.table == table.id)).scalar()
            return {**facts, "record": record, "analysis": analysis}
        state = sources.tables.get(table.id)
        history = state.history(viewer_of(state, guest, None).seat)
        return {**facts, "log": [plain_text(line) for entry in history.log_entries for line in entry.lines]}
    except AlmuniaError as error:  # the game is not installed, or its daily deal still runs
        return {**facts, "unreadable": str(error)}


# --- merge --------------------------------------------------------------------------------------------


def merge_games(sources: Sources, old: str, new: str) -> None:
    """Move seats to another guest, except at tables where that guest sits already.

    Seats in running rated games stay, too: a player could play as a guest, and sign in only after a win.
    """
    for table in tables_of(sources.tables.store, old):
        if not table.seats_of(new) and not is_at_stake(table, old):
            rewrite_table(sources.tables, sources.clock.now(), table.id, is_seat_of(old), {}, old, new, player=new)
    with sources.engine.begin() as db:
        move_rows(F.guest)(db, old, new)


def is_seat_of(guest: str) -> Callable[[Seat], bool]:
    return lambda seat: seat.player == guest


def is_at_stake(table: Table, guest: str) -> bool:
    return table.is_rated_and_running and bool(table.seats_of(guest))


def count_unmerged(store: TableRepository, old: str, new: str) -> tuple[int, int]:
    """Return how many games a merge leaves: games with a seat of both guests, and other running rated games."""
    tables = store.for_guest(old)
    shared = sum(bool(table.seats_of(new)) for table in tables)
    return shared, sum(is_at_stake(table, old) and not table.seats_of(new) for table in tables)


# --- erasure ------------------------------------------------------------------------------------------


def erase_games(sources: Sources, guest: str) -> None:
    """Leave all running games of a guest permanently, and replace the guest's name in all games."""
    for table in sources.tables.store.for_guest(guest, running=True):
        for seat in table.seats_of(guest):
            leave_table(sources, table.id, seat, guest)
    names, now = former_names(sources.engine, guest), sources.clock.now()
    with sources.engine.begin() as db:
        db.execute(update(schema.game_table).where(T.host == guest).values(network=""))
    for table in tables_of(sources.tables.store, guest):
        gone = f"{DELETED_PREFIX}{token_urlsafe(9)}"  # differs by table, so that it identifies no player
        own_names = {**names.get(table.id, {}), **{seat: table.seats[seat].name for seat in table.seats_of(guest)}}
        facts = {"player": gone, "name": ANONYMIZED_NAME, "hours": ""}
        rewrite_table(sources.tables, now, table.id, is_seat_of(guest), own_names, guest, gone, **facts)
    with sources.engine.begin() as db:
        delete_rows(F.guest)(db, guest)


def leave_table(sources: Sources, table_id: str, seat: int, guest: str) -> None:
    """Leave a game permanently, by `resign` or `leave_permanently`; close a game whose record does not replay.

    After MAX_ATTEMPTS errors, such as a game that is not installed, the guest keeps the seat. No error is raised.
    """
    for _ in range(MAX_ATTEMPTS):
        try:
            table = sources.tables.get(table_id).table
            if table.finished or seat not in table.seats_of(guest):
                return
            alone = all(one.player == guest for one in table.seats if one.kind == PERSON)
            if table.time_control and TimeControl.parse(table.time_control).on_timeout == CLAIM and not alone:
                sources.seats.resign(table_id, seat, guest, DEFAULT_LEVEL, limited=False)
            else:
                sources.seats.leave_permanently(table_id, seat, guest, DEFAULT_LEVEL)
        except RecordError:
            sources.tables.store.close_outdated(table_id)
        except AlmuniaError:
            continue  # another request has written meanwhile
        return


def former_names(engine: Engine, guest: str) -> dict[str, dict[int, str]]:
    """Return the names of a guest in former seats, by table and seat."""
    found: dict[str, dict[int, str]] = {}
    with read_connection(engine) as db:
        for row in db.execute(select(schema.former_player).where(F.guest == guest)):
            found.setdefault(row.table, {})[row.seat] = row.name
    return found


def tables_of(store: TableRepository, guest: str) -> list[Table]:
    """Return the tables that name a guest: as host, or in a present or former seat."""
    named = (T.id, T.host), (S.table, S.player), (F.table, F.guest)
    with read_connection(store.engine) as db:
        known = db.execute(union(*(select(table).where(name == guest) for table, name in named))).scalars().all()
    return store.get_many(known)


def erase_reservations(sources: Sources, guest: str) -> None:
    """Delete a guest's reservations, and remove the guest's name from open seats."""
    with read_connection(sources.engine) as db:
        reserved = db.execute(select(K.table, K.seat).where(K.guest == guest)).all()
    for table_id, seat in reserved:
        table = sources.tables.store.find(table_id)
        if table and table.seats[seat].kind == OPEN:
            name, now = table.seats[seat].name, sources.clock.now()
            rewrite_table(sources.tables, now, table_id, is_open_for(name), {seat: name}, name=OPEN_SEAT_NAME)
    with sources.engine.begin() as db:
        delete_rows(K.guest)(db, guest)


def is_open_for(name: str) -> Callable[[Seat], bool]:
    return lambda seat: seat.kind == OPEN and seat.name == name


# --- rewriting ----------------------------------------------------------------------------------------


def rewrite_table(
    tables: TableService,
    now: float,
    table_id: str,
    is_affected: Callable[[Seat], bool],
    names: Mapping[int, str],
    old_host: str = "",
    new_host: str = "",
    *,
    called: str = ANONYMIZED_NAME,
    **facts: str,
) -> None:
    """Set `facts` of the affected seats, replace the host, and replace `names` by `called` in the table's events.

    Adds an event that no player can notice, so that all processes read the table again. Ignores an unknown table.
    """
    store = tables.store
    with tables.lock(table_id):
        table = store.find(table_id)
        if table is None:
            return
        with store.engine.begin() as db:
            db.execute(update(schema.game_table).where(T.id == table_id).values(version=T.version + 1))
            number = db.execute(select(T.version).where(T.id == table_id)).scalar_one()
            silent = {"seat": 0, "kind": REDACTED, "action": None, "text": "", "same_choice": False}
            db.execute(insert(schema.table_event), {"table": table_id, "number": number, **silent, "created_at": now})
            seats = [at for at, seat in enumerate(table.seats) if is_affected(seat)]
            db.execute(update(schema.seat).where(S.table == table_id, S.seat.in_(seats)).values(facts))
            for at, name in names.items():
                theirs = (E.table == table_id) & (E.seat == at) & E.kind.in_(NAMING_EVENTS) & (E.text == name)
                db.execute(update(schema.table_event).where(theirs).values(text=called))
            if old_host and table.host == old_host:
                db.execute(update(schema.game_table).where(T.id == table_id).values(host=new_host))
        tables.evict(table_id)


GAMES = PersonalData(
    "games", ("game_table", "seat", "table_event", "former_player", "analysis"), export_games, merge_games, erase_games
)
