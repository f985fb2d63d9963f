"""Lists of a guest's games with filters and pages, private notes, hiding and deleting.

A list reveals nothing that its reader could not notice at the table: running games are sorted by the last change that
the reader's own seat could notice.
"""

from collections.abc import Collection, Mapping
from math import inf
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Select, case, delete, exists, func, insert, or_, select, union_all, update

from ... import catalog
from ...errors import AlmuniaError
from ..clock import Clock
from ..errors import BadRequest, Conflict, Forbidden, NotFound
from ..ratings.game_results import is_decided
from ..storage import schema
from ..storage.database import read_connection
from ..tables import lessons
from ..tables.clocks import CORRESPONDENCE, REALTIME, TimeControl
from ..tables.model import BOT, FINISHED, MOVE, PERSON, RUNNING, UNDO, Table
from ..tables.service import TableService
from .table_rows import table_row
from .visitors import NEXT_ORDERS

PAGE_ROWS = 50  # on a page
MAX_NOTE_LENGTH = 500  # characters of a note
MAX_WAITING_TABLES = 200  # from which the next table is chosen
MAX_CLOCKS = 30  # that are read to sort waiting tables
CANNOT_DELETE = (
    "You can't delete this game, because another player took part or it was rated. You can hide it from your list."
)
STATES = {"": "All", "waiting": "Waiting for me", "running": "Running", "over": "Over", "hidden": "Hidden"}
OPPONENT_KINDS = {"": "Anyone", "people": "People", "bots": "Only bots", "alone": "Alone"}
OUTCOMES = {"": "Any", "won": "Won", "lost": "Lost", "level": "Shared first place"}

S, T, E = schema.seat.c, schema.game_table.c, schema.table_event.c
N, R, F = schema.user_game.c, schema.result.c, schema.former_player.c
SEATED = schema.seat.join(schema.game_table, T.id == S.table)
OTHER = schema.seat.alias("other").c
IS_WAITING = func.max(case(((T.status == RUNNING) & (T.turn == S.seat) & (S.substitute_bot == ""), 1), else_=0))
LAST_VISIBLE_CHANGE = func.max(S.last_visible_change)
# Urgency of a waiting table: clocks, then people, then bots, then lessons
LIVE_FIRST, SLOW_FIRST, PEOPLE_FIRST, BOTS, LESSONS_LAST = range(5)
# Database tables with rows of a game
DEPENDENT_TABLES = [
    one for one in schema.metadata.tables.values() if any(key.column is T.id for key in one.foreign_keys)
]


class GameFilter(NamedTuple):
    """A filter of a guest's games, with a page."""

    game: str = ""
    state: str = ""
    company: str = ""
    outcome: str = ""
    page: int = 1

    def validate(self) -> "GameFilter":
        """Return the filter itself; NotFound if a value is unknown."""
        if self.game and self.game not in catalog.game_packages():
            raise NotFound(f"There is no game called {self.game[:40]!r}.")
        for value, known in (self.state, STATES), (self.company, OPPONENT_KINDS), (self.outcome, OUTCOMES):
            if value not in known:
                choices = ", ".join(filter(None, known))
                raise NotFound(f"Games cannot be listed by {value[:40]!r}; choose one of: {choices}.")
        if not 1 <= self.page <= 10**6:
            raise NotFound(f"There is no page {self.page}.")
        return self


NO_FILTER = GameFilter()
NO_FACTS = "", False  # the note of a guest, and whether alerts are off


class GameRow(NamedTuple):
    """A game in a guest's list."""

    table: Table
    moves: int  # the guest's actions that were not undone
    note: str
    alerts_muted: bool
    ranks: Mapping[int, int]  # by seat, at the end
    may_delete: bool


class GamePage(NamedTuple):
    """A page of a guest's games."""

    games: list[GameRow]
    total: int
    pages: int


class GameLists:
    """Reads and changes the lists of guests' games."""

    def __init__(self, engine: Engine, tables: TableService, clock: Clock) -> None:
        self._engine, self._tables, self._store, self._clock = engine, tables, tables.store, clock

    # --- lists ----------------------------------------------------------------------------

    def find_page(self, guest: str, wanted: GameFilter) -> GamePage:
        """Return a page of a guest's games: waiting for the guest, then other running games, then finished games.

        Hidden games are left out unless `wanted.state` is `hidden`.
        """
        if not guest:
            return GamePage([], 0, 1)
        chosen = _select_games(guest, wanted)
        with read_connection(self._engine) as db:
            total = _count(db, chosen)
            ids = _first_ids(db, guest, chosen, PAGE_ROWS, (wanted.page - 1) * PAGE_ROWS)
            games = self._games(db, guest, ids)
        return GamePage(games, total, count_pages(total))

    def running_games(self, guest: str, most: int) -> tuple[list[GameRow], int, int]:
        """Return at most `most` running games of a guest, and the numbers of all running and all waiting games.

        Hidden games are left out.
        """
        if not guest:
            return [], 0, 0
        chosen = _select_games(guest, GameFilter(state="running"))
        with read_connection(self._engine) as db:
            total, due = _count(db, chosen), _count(db, _select_games(guest, GameFilter(state="waiting")))
            return self._games(db, guest, _first_ids(db, guest, chosen, most)), total, due

    def count_waiting(self, guest: str, but: str = "") -> int:
        """Return the number of games that wait for a guest, without hidden games and the table `but`."""
        if not guest:
            return 0
        with read_connection(self._engine) as db:
            return _count(db, _select_games(guest, GameFilter(state="waiting")).where(T.id != but))

    def get(self, guest: str, table: str) -> GameRow:
        with read_connection(self._engine) as db:
            return self._games(db, guest, [table])[0]

    def _games(self, db: Connection, guest: str, ids: list[str]) -> list[GameRow]:
        moves, own, ranks = self.count_moves(guest, ids), _own_facts(db, guest, ids), _ranks(db, ids)
        return [
            GameRow(
                one, moves.get(one.id, 0), *own.get(one.id, NO_FACTS), ranks.get(one.id, {}), may_delete(guest, one)
            )
            for one in self._in_order(ids)
        ]

    def _in_order(self, ids: list[str]) -> list[Table]:
        known = {table.id: table for table in self._store.get_many(ids)}
        return [known[one] for one in ids if one in known]

    def list_first(self, guest: str, most: int, start: int = 0, *, running: bool = False) -> list[Table]:
        """Return at most `most` tables of a guest from `start`, ordered as by `find_page`, including hidden tables."""
        chosen = _select_held(guest)
        with read_connection(self._engine) as db:
            ids = _first_ids(db, guest, chosen.where(T.status == RUNNING) if running else chosen, most, start)
        return self._in_order(ids)

    def page_rows(self, guest: str, page: int, now: float) -> tuple[list[dict[str, Any]], int, int]:
        """Return the rows of a page of `list_first`, the number of tables, and the number of pages."""
        start = (page - 1) * PAGE_ROWS
        with read_connection(self._engine) as db:
            total = _count(db, _select_held(guest))
        tables = self.list_first(guest, PAGE_ROWS, start) if start < total else []
        moves = self.count_moves(guest, [table.id for table in tables])
        rows = [table_row(table, guest, moves.get(table.id, 0), now) for table in tables]
        return rows, total, count_pages(total)

    def count_moves(self, guest: str, tables: Collection[str]) -> dict[str, int]:
        """Return the number of the guest's actions at each table, without those that were undone."""
        joined = schema.table_event.join(schema.seat, (S.table == E.table) & (S.seat == E.seat))
        count = func.sum(case((E.kind == MOVE, 1), (E.kind == UNDO, -1), else_=0))
        wanted = select(E.table, count).select_from(joined).where(*_is_held_by(guest), E.table.in_(tables))
        with read_connection(self._engine) as db:
            return {table: int(moves) for table, moves in db.execute(wanted.group_by(E.table))}

    # --- facts about all games of a guest ---------------------------------------------------

    def played_games(self, guest: str) -> set[str]:
        """Return the games that a guest has begun, except imported ones."""
        begun = select(T.game).select_from(SEATED).where(*_is_held_by(guest), ~T.imported)
        with read_connection(self._engine) as db:
            return set(db.execute(begun.distinct()).scalars())

    def learned_games(self, guest: str) -> set[str]:
        """Return the games with a lesson table of a guest that has at least as many moves as the lesson."""
        moves = select(T.game, func.count()).select_from(SEATED.join(schema.table_event, E.table == T.id))
        moves = moves.where(*_is_held_by(guest), T.lesson, E.kind == MOVE).group_by(T.id, T.game)
        with read_connection(self._engine) as db:
            found = db.execute(moves).all()
        taught = {game: lessons.lesson_of(game) for game, _ in found}
        return {game for game, count in found if (lesson := taught[game]) and count >= len(lesson.actions)}

    def has_finished(self, guest: str, game: str) -> bool:
        """Return whether a guest has finished a game of a title, other than its lesson and imported games."""
        found = _select_held(guest).where(T.game == game, T.status == FINISHED, ~T.lesson, ~T.imported)
        with read_connection(self._engine) as db:
            return db.execute(found.limit(1)).first() is not None

    def has_clock_kind(self, guest: str, kind: str) -> bool:
        wanted = _select_held(guest).where(T.time_control.startswith(f"{kind} "))
        with read_connection(self._engine) as db:
            return db.execute(wanted.limit(1)).first() is not None

    def challenge_attempts(self, guest: str, game: str) -> list[tuple[str, int]]:
        """Return name and points of the challenges of a game that a guest has finished, oldest first."""
        wanted = _select_held(guest).where(T.game == game, T.challenge != "", T.status == FINISHED, T.end_reason == "")
        with read_connection(self._engine) as db:
            ids = list(db.execute(wanted).scalars())
        tables = sorted(self._store.get_many(ids), key=lambda table: table.changed_at)
        return [(table.challenge, table.result[0]) for table in tables if table.result]

    # --- the next table -------------------------------------------------------------------

    def next_table(self, guest: str, order: str, after: str = "") -> str | None:
        """Return the first table that waits for a guest, or None; `after` only if no other table waits."""
        waiting = self.waiting_tables(guest, order)
        return next((table for table in waiting if table != after), next(iter(waiting), None))

    def waiting_tables(self, guest: str, order: str) -> list[str]:
        """Return tables that wait for a guest, in an order of NEXT_ORDERS; BadRequest if `order` is unknown."""
        if order not in NEXT_ORDERS:
            raise BadRequest(f"There is no order {order[:40]!r}; choose one of: {', '.join(NEXT_ORDERS)}.")
        if not guest:
            return []
        moment = LAST_VISIBLE_CHANGE.desc() if order == "latest" else LAST_VISIBLE_CHANGE
        chosen = _select_games(guest, GameFilter(state="waiting")).order_by(urgency(guest), moment, T.id)
        with read_connection(self._engine) as db:
            found = list(db.execute(chosen.limit(MAX_WAITING_TABLES)).scalars())
        return self._by_clock(found) if order == "clock" else found

    def _by_clock(self, found: list[str]) -> list[str]:
        clocked = [table.id for table in self._store.get_many(found) if TimeControl.parse(table.time_control).kind]
        left = {one: self.seconds_left(one) for one in clocked[:MAX_CLOCKS]}
        return sorted(found, key=lambda one: left.get(one, inf))  # sorting is stable

    def seconds_left(self, table_id: str, seat: int | None = None) -> float:
        """Return the time on the clock of the player to move, in the view of a seat; by default, of that player.

        Infinity without a clock, or if the table can't be loaded, because its game is not installed any more.
        """
        try:
            state = self._tables.get(table_id)
        except AlmuniaError:
            return inf
        clocks = state.history(state.play.turn if seat is None else seat).clocks
        return clocks.seconds_left(clocks.running, self._clock.now()) if clocks else inf

    # --- notes, hidden and deleted games ----------------------------------------------------

    def save_note(self, guest: str, table: str, words: str) -> None:
        """Save a private note on a table; BadRequest if it is invalid, Forbidden if the guest does not play."""
        words = words.replace("\r\n", "\n").strip()
        if len(words) > MAX_NOTE_LENGTH:
            raise BadRequest(
                f"A note can have at most {MAX_NOTE_LENGTH} characters, and this one has {len(words)}.", 422
            )
        if not all(letter.isprintable() or letter == "\n" for letter in words):
            raise BadRequest(
                "This note contains a character that cannot be displayed. Use letters and punctuation.", 422
            )
        self._put(guest, table, note=words)

    def set_hidden(self, guest: str, table: str, *, hidden: bool) -> None:
        self._put(guest, table, hidden=hidden)

    def set_alerts_muted(self, guest: str, table: str, *, muted: bool) -> None:
        """Turn the alerts of a table off or on; Forbidden if the guest does not play."""
        self._put(guest, table, alerts_muted=muted)

    def _put(self, guest: str, table: str, **facts: str | bool) -> None:
        if not self._tables.get(table).table.seats_of(guest):
            raise Forbidden("You didn't play in this game, so it is not in your list.")
        with self._engine.begin() as db:
            known = update(schema.user_game).where(N.table == table, N.guest == guest)
            if not db.execute(known, facts).rowcount:
                row = {"table": table, "guest": guest, "note": "", "hidden": False, "alerts_muted": False, **facts}
                db.execute(insert(schema.user_game), row)

    def delete(self, guest: str, table_id: str) -> None:
        """Delete a table with all its rows; Forbidden if the guest does not play, Conflict if it must stay."""
        now = self._tables.get(table_id).table
        if not now.seats_of(guest):
            raise Forbidden("You didn't play in this game, so you can't delete it.")
        if not may_delete(guest, now):
            raise Conflict(CANNOT_DELETE)

        def removing() -> None:
            needed = union_all(
                select(S.seat).where(S.table == table_id, S.kind == PERSON, S.player != guest),
                select(F.seat).where(F.table == table_id, F.guest != guest),
                select(R.seat).where(
                    R.table == table_id, R.kind == PERSON, or_(R.number.is_not(None), R.player != guest)
                ),
            )
            with self._engine.begin() as db:
                if db.execute(needed).first():
                    raise Conflict(CANNOT_DELETE)
                for part in (schema.message, schema.report):
                    db.execute(delete(part).where(part.c.room == table_id))
                for part in DEPENDENT_TABLES:
                    db.execute(delete(part).where(part.c.table == table_id))
                db.execute(delete(schema.game_table).where(T.id == table_id))

        self._tables.remove(table_id, removing)


def may_delete(guest: str, table: Table) -> bool:
    """Whether a guest may delete a table: as its host and only person, without a daily deal or a rated result."""
    alone = {table.seats[p].player for p in table.human_seats} == {guest} and table.host == guest
    return alone and not table.daily and not (table.rated and is_decided(table))


def count_pages(total: int) -> int:
    return max(1, -(-total // PAGE_ROWS))


# --- queries ---------------------------------------------------------------------------------------


def _is_held_by(guest: str) -> tuple[Any, ...]:
    return S.kind == PERSON, S.player == guest


def _select_held(guest: str) -> Select[Any]:
    return select(T.id).select_from(SEATED).where(*_is_held_by(guest)).group_by(T.id, T.status)


def _select_games(guest: str, wanted: GameFilter) -> Select[Any]:
    hidden = exists().where(N.table == T.id, N.guest == guest, N.hidden)
    chosen = _select_held(guest).where(hidden if wanted.state == "hidden" else ~hidden)
    if wanted.game:
        chosen = chosen.where(T.game == wanted.game)
    if wanted.state in ("running", "waiting", "over"):
        chosen = chosen.where(T.status == (FINISHED if wanted.state == "over" else RUNNING))
    if wanted.state == "waiting":
        chosen = chosen.having(IS_WAITING == 1)
    if wanted.company:
        chosen = chosen.where(_company(guest, wanted.company))
    if wanted.outcome:
        chosen = chosen.where(_outcome(wanted.outcome))
    return chosen


def _company(guest: str, company: str) -> Any:
    others = (OTHER.table == T.id) & (OTHER.seat != S.seat)
    people = exists().where(others, OTHER.kind == PERSON, OTHER.player != guest)
    anyone = exists().where(others)
    return {"people": people, "bots": anyone & ~people, "alone": ~anyone}[company]


def _outcome(outcome: str) -> Any:
    own, other = schema.result.alias("own").c, schema.result.alias("level").c
    ours = (own.table == T.id) & (own.seat == S.seat) & (own.seats > 1)
    level = exists().where(other.table == T.id, other.seat != S.seat, other.rank == 1)
    first, lost = exists().where(ours, own.rank == 1), exists().where(ours, own.rank > 1)
    return {"won": first & ~level, "lost": lost, "level": first & level}[outcome]


def urgency(guest: str) -> Any:
    """Return an SQL expression for the urgency of a table; equal for all tables that do not wait for the guest."""
    others = (OTHER.table == T.id) & (OTHER.kind != BOT) & (OTHER.player != guest)
    kind = case(
        (T.time_control.startswith(f"{REALTIME} "), LIVE_FIRST),
        (T.time_control.startswith(f"{CORRESPONDENCE} "), SLOW_FIRST),
        (exists().where(others), PEOPLE_FIRST),
        (T.lesson, LESSONS_LAST),
        else_=BOTS,
    )
    return case((IS_WAITING == 1, kind), else_=LESSONS_LAST)


def _count(db: Connection, chosen: Select[Any]) -> int:
    return db.execute(select(func.count()).select_from(chosen.subquery())).scalar_one()


def _first_ids(db: Connection, guest: str, chosen: Select[Any], most: int, start: int = 0) -> list[str]:
    """Return the ids of chosen tables: waiting for the guest by urgency, then running, then finished.

    Within each group, the latest change that the guest could notice comes first.
    """
    ordered = chosen.order_by(IS_WAITING.desc(), urgency(guest), T.status.desc(), LAST_VISIBLE_CHANGE.desc(), T.id)
    return list(db.execute(ordered.limit(most).offset(start)).scalars())


def _own_facts(db: Connection, guest: str, ids: list[str]) -> dict[str, tuple[str, bool]]:
    """Return the note of a guest on tables, and whether the guest has turned their alerts off."""
    wanted = select(N.table, N.note, N.alerts_muted).where(N.guest == guest, N.table.in_(ids))
    return {row.table: (row.note, row.alerts_muted) for row in db.execute(wanted)}


def _ranks(db: Connection, ids: list[str]) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for row in db.execute(select(R.table, R.seat, R.rank).where(R.table.in_(ids), R.rank.is_not(None))):
        found.setdefault(row.table, {})[row.seat] = row.rank
    return found


def outcome_of(table: Table, guest: str, ranks: Mapping[int, int]) -> dict[str, Any]:
    """Return the place, outcome and points of a guest's best seat at a table; None or empty without a result.

    Only a guest with exactly one seat, at a table of several seats, gets a place and an outcome.
    """
    held = table.seats_of(guest)
    seat = min(held, key=lambda one: ranks.get(one, len(table.seats)))
    rank, several = ranks.get(seat), len(table.seats) > 1 and len(held) == 1
    first = [one for one, place in ranks.items() if place == 1]
    outcome = "" if rank is None or not several else "won" if first == [seat] else "level" if rank == 1 else "lost"
    points = table.result[seat] if table.result is not None and table.finished else None
    return {"rank": rank if several else None, "outcome": outcome, "points": points}
