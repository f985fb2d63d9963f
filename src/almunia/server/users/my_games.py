"""Lists of a guest's games with filters and pages, private notes, hiding and deleting.

A list reveals nothing that its reader could not notice at the table: running games are sorted by the last change that
the reader's own seat could notice.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Select, and_, delete, exists, func, insert, or_, select, update

from ... import catalog
from ..clock import Clock
from ..errors import BadRequest, Conflict, Forbidden, NotFound
from ..ratings.game_results import is_decided
from ..storage import schema
from ..storage.database import read_connection
from ..tables.clocks import TimeControl
from ..tables.model import FINISHED, PERSON, RUNNING, Table
from ..tables.repository import TableRepository
from ..tables.service import TableService
from .own_tables import IS_WAITING, OwnTables, urgency
from .visitors import NEXT_ORDERS

PAGE_ROWS = 50  # on a page
MAX_NOTE_LENGTH = 500  # characters of a note
MAX_WAITING_TABLES = 200  # from which the next table is chosen
MAX_CLOCKS = 30  # that are read to sort these
CANNOT_DELETE = (
    "This game stays: another player took part in it, or it has counted for ratings. You can hide it from your list."
)
STATES = {"": "All", "waiting": "Waiting for me", "running": "Running", "over": "Over", "hidden": "Hidden"}
OPPONENT_KINDS = {"": "Anyone", "people": "People", "bots": "Only bots", "alone": "Alone"}
OUTCOMES = {"": "Any", "won": "Won", "lost": "Lost", "level": "Shared first place"}

s, t, n, r = schema.seat.c, schema.table.c, schema.game_note.c, schema.result.c
OTHER = schema.seat.alias("other")
RIVAL = schema.result.alias("rival")


class GameFilter(NamedTuple):
    """A filter of a guest's games, with a page."""

    game: str = ""
    state: str = ""
    company: str = ""
    outcome: str = ""
    page: int = 1

    def validate(self) -> "GameFilter":
        """Return the filter itself; NotFound if a value is unknown."""
        lists = (self.state, STATES), (self.company, OPPONENT_KINDS), (self.outcome, OUTCOMES)
        if self.game and self.game not in catalog.game_packages():
            raise NotFound(f"There is no game called {self.game[:40]!r}.")
        for value, known in lists:
            if value not in known:
                raise NotFound(
                    f"Games cannot be listed by {value[:40]!r}; choose one of: {', '.join(filter(None, known))}."
                )
        if not 1 <= self.page <= 10**6:
            raise NotFound(f"There is no page {self.page}.")
        return self


NO_FILTER = GameFilter()


class GameRow(NamedTuple):
    """A game in a guest's list."""

    table: Table
    moves: int  # the guest's actions that were not undone
    note: str
    ranks: Mapping[int, int]  # by seat, at the end
    may_delete: bool


class GamePage(NamedTuple):
    """A page of a guest's games."""

    games: list[GameRow]
    total: int
    pages: int


class GameList:
    """Reads the lists of guests' own games."""

    def __init__(self, engine: Engine, tables: TableService, own: OwnTables, clock: Clock) -> None:
        self._engine, self._tables, self._own_tables, self._clock = engine, tables, own, clock

    @property
    def _store(self) -> TableRepository:
        return self._tables.store

    # --- lists ----------------------------------------------------------------------------

    def find_page(self, guest: str, wanted: GameFilter) -> GamePage:
        """Return a page of a guest's games: those that wait for the guest, then running ones, then finished ones."""
        if not guest:
            return GamePage([], 0, 1)
        chosen = _select_games(guest, wanted)
        with read_connection(self._engine) as db:
            total = db.execute(select(func.count()).select_from(chosen.subquery())).scalar_one()
            ordered = chosen.order_by(
                IS_WAITING.desc(), urgency(guest), t.status.desc(), func.max(s.noticed).desc(), t.id
            )
            ids = list(db.execute(ordered.limit(PAGE_ROWS).offset((wanted.page - 1) * PAGE_ROWS)).scalars())
            games = self._games(db, guest, ids)
        return GamePage(games, total, max(1, -(-total // PAGE_ROWS)))

    def running_games(self, guest: str, most: int) -> tuple[list[GameRow], int, int]:
        """Return the first running games of a guest, their number, and the number of those that wait for the guest."""
        if not guest:
            return [], 0, 0
        chosen = _select_games(guest, GameFilter(state="running"))
        waiting = _select_games(guest, GameFilter(state="waiting"))
        with read_connection(self._engine) as db:
            total, due = (
                db.execute(select(func.count()).select_from(one.subquery())).scalar_one() for one in (chosen, waiting)
            )
            ordered = chosen.order_by(IS_WAITING.desc(), urgency(guest), func.max(s.noticed).desc(), t.id)
            ids = list(db.execute(ordered.limit(most)).scalars())
            return self._games(db, guest, ids), total, due

    def get(self, guest: str, table: str) -> GameRow:
        """Return a game of a guest."""
        with read_connection(self._engine) as db:
            return self._games(db, guest, [table])[0]

    def _games(self, db: Connection, guest: str, ids: list[str]) -> list[GameRow]:
        tables = {table.id: table for table in self._store.get_many(ids)}
        moves, notes, ranks = self._own_tables.count_moves(guest, ids), _notes(db, guest, ids), _ranks(db, ids)
        return [
            GameRow(table, moves.get(one, 0), notes.get(one, ""), ranks.get(one, {}), self.may_delete(guest, table))
            for one in ids
            if (table := tables.get(one))
        ]

    # --- the next table -------------------------------------------------------------------

    def next_table(self, guest: str, order: str, after: str = "") -> str | None:
        """Return the first table in an order that waits for a guest; `after`, which was just left, comes last."""
        waiting = self.waiting_tables(guest, order)
        others = [table for table in waiting if table != after]
        return next(iter(others or waiting), None)

    def waiting_tables(self, guest: str, order: str) -> list[str]:
        """Return the tables that wait for a guest: live clocks, slow ones, people, bots; each by `order`."""
        if order not in NEXT_ORDERS:
            raise BadRequest(f"There is no order {order[:40]!r}; choose one of: {', '.join(NEXT_ORDERS)}.")
        if not guest:
            return []
        noticed = func.max(s.noticed)
        moment = noticed.desc() if order == "latest" else noticed
        chosen = _select_games(guest, GameFilter(state="waiting")).order_by(urgency(guest), moment, t.id)
        with read_connection(self._engine) as db:
            found = list(db.execute(chosen.limit(MAX_WAITING_TABLES)).scalars())
        return self._by_clock(found) if order == "clock" else found

    def _by_clock(self, found: list[str]) -> list[str]:
        """Sort tables by the time left on the clock. Tables without clocks come last, in their present order."""
        clocked = [table.id for table in self._store.get_many(found) if TimeControl.parse(table.time_control).kind]
        left = {one: self._left(one) for one in clocked[:MAX_CLOCKS]}
        return sorted(found, key=lambda one: left.get(one, float("inf")))  # sorting is stable

    def _left(self, table_id: str) -> float:
        now = self._tables.get(table_id)
        clocks = now.history(now.play.turn).clocks
        return clocks.seconds_left(now.play.turn, self._clock.now()) if clocks else float("inf")

    # --- notes, hidden and deleted games ----------------------------------------------------

    def get_note(self, guest: str, table: str) -> str:
        """Return the guest's note on a table."""
        with read_connection(self._engine) as db:
            return _notes(db, guest, [table]).get(table, "") if guest else ""

    def save_note(self, guest: str, table: str, words: str) -> None:
        """Save a private note on a table."""
        words = words.replace("\r\n", "\n").strip()
        if len(words) > MAX_NOTE_LENGTH:
            raise BadRequest(
                f"A note may have at most {MAX_NOTE_LENGTH} characters, and this one has {len(words)}.", 422
            )
        if not all(letter.isprintable() or letter == "\n" for letter in words):
            raise BadRequest(
                "This note contains a character that cannot be displayed. Use letters and punctuation.", 422
            )
        self._put(guest, table, {"words": words})

    def set_hidden(self, guest: str, table: str, *, hidden: bool) -> None:
        """Hide a table in a guest's list, or show it again."""
        self._put(guest, table, {"hidden": hidden})

    def _put(self, guest: str, table: str, facts: Mapping[str, Any]) -> None:
        if not self._tables.get(table).table.seats_of(guest):
            raise Forbidden("You do not play in this game, so it is not in your list.")
        with self._engine.begin() as db:
            known = update(schema.game_note).where(n.table == table, n.guest == guest)
            if not db.execute(known, dict(facts)).rowcount:
                row = {"table": table, "guest": guest, "words": "", "hidden": False, **facts}
                db.execute(insert(schema.game_note), row)

    def may_delete(self, guest: str, table: Table) -> bool:
        """Whether a guest may delete a table: only against bots, and only if it does not count for ratings."""
        alone = {table.seats[p].player for p in table.human_seats} == {guest} and table.host == guest
        return alone and not table.daily and not (table.rated and is_decided(table))

    def delete(self, guest: str, table_id: str) -> None:
        """Delete a table with its rows in other database tables; Conflict if another player needs it."""
        now = self._tables.get(table_id).table
        if not now.seats_of(guest):
            raise Forbidden("You do not play in this game, so you cannot delete it.")
        if not self.may_delete(guest, now):
            raise Conflict(CANNOT_DELETE)

        def removing() -> None:
            with self._engine.begin() as db:
                others = select(s.seat).where(s.table == table_id, s.kind == PERSON, s.player != guest)
                counted = select(r.seat).where(r.table == table_id, or_(r.number.is_not(None), r.player != guest))
                people = counted.where(r.kind == PERSON)
                if db.execute(others).first() or db.execute(people).first():
                    raise Conflict(CANNOT_DELETE)
                for part in (schema.message, schema.report):
                    db.execute(delete(part).where(part.c.room == table_id))
                for part in DEPENDENT_TABLES:
                    db.execute(delete(part).where(part.c.table == table_id))
                db.execute(delete(schema.table).where(t.id == table_id))

        self._tables.remove(table_id, removing)


# Database tables with rows of a game
DEPENDENT_TABLES = (
    schema.result,
    schema.game_note,
    schema.kept_seat,
    schema.listing,
    schema.entry,
    schema.seat,
)


# --- queries ---------------------------------------------------------------------------------------


def _select_games(guest: str, wanted: GameFilter) -> Select[Any]:
    """Return a query for the ids of a guest's tables that match a filter."""
    joined = schema.seat.join(schema.table, t.id == s.table).outerjoin(
        schema.game_note, and_(n.table == t.id, n.guest == guest)
    )
    chosen = select(t.id).select_from(joined).where(s.kind == PERSON, s.player == guest).group_by(t.id, t.status)
    hidden = func.coalesce(n.hidden, False).is_(True)
    chosen = chosen.where(hidden if wanted.state == "hidden" else hidden.is_(False))
    if wanted.game:
        chosen = chosen.where(t.game == wanted.game)
    if wanted.state in ("running", "waiting", "over"):
        chosen = chosen.where(t.status == (FINISHED if wanted.state == "over" else RUNNING))
    if wanted.state == "waiting":
        chosen = chosen.having(IS_WAITING == 1)
    if wanted.company:
        chosen = chosen.where(_company(guest, wanted.company))
    if wanted.outcome:
        chosen = chosen.where(_outcome(wanted.outcome))
    return chosen


def _company(guest: str, company: str) -> Any:
    others = (OTHER.c.table == t.id) & (OTHER.c.seat != s.seat)
    people = exists().where(others, OTHER.c.kind == PERSON, OTHER.c.player != guest)
    anybody = exists().where(others)
    return {"people": people, "bots": and_(anybody, ~people), "alone": ~anybody}[company]


def _outcome(outcome: str) -> Any:
    ours = (RIVAL.c.table == t.id) & (RIVAL.c.seat == s.seat) & (RIVAL.c.seats > 1)
    other = schema.result.alias("level")
    level = exists().where(other.c.table == t.id, other.c.seat != s.seat, other.c.rank == 1)
    first = exists().where(ours, RIVAL.c.rank == 1)
    lost = exists().where(ours, RIVAL.c.rank > 1)
    return {"won": and_(first, ~level), "lost": lost, "level": and_(first, level)}[outcome]


def _notes(db: Connection, guest: str, ids: list[str]) -> dict[str, str]:
    wanted = select(n.table, n.words).where(n.guest == guest, n.table.in_(ids))
    return {row.table: row.words for row in db.execute(wanted)}


def _ranks(db: Connection, ids: list[str]) -> dict[str, dict[int, int]]:
    """Return the ranks at finished tables, by table and seat."""
    found: dict[str, dict[int, int]] = {}
    for row in db.execute(select(r.table, r.seat, r.rank).where(r.table.in_(ids), r.rank.is_not(None))):
        found.setdefault(row.table, {})[row.seat] = row.rank
    return found


def outcome_of(table: Table, guest: str, ranks: Mapping[int, int]) -> dict[str, Any]:
    """Return place, points and outcome of a guest at a finished table."""
    held = table.seats_of(guest)
    seat = min(held, key=lambda one: ranks.get(one, len(table.seats)))
    rank, several = ranks.get(seat), len(table.seats) > 1 and len(held) == 1
    first = [one for one, place in ranks.items() if place == 1]
    outcome = "" if rank is None or not several else "won" if first == [seat] else "level" if rank == 1 else "lost"
    points = table.result[seat] if table.result is not None and table.finished else None
    return {"rank": rank if several else None, "outcome": outcome, "points": points}


# --- personal data ---------------------------------------------------------------------------------


def export(db: Connection, guest: str) -> dict[str, list[dict[str, Any]]]:
    """Return all notes of a guest."""
    rows = db.execute(select(schema.game_note).where(n.guest == guest).order_by(n.table)).mappings()
    return {"notes": [{key: value for key, value in row.items() if key != "guest"} for row in rows]}


def merge(db: Connection, old: str, new: str) -> None:
    """Move notes to another guest, who is the same person. Of two notes on a table, the other guest's stays."""
    noted = list(db.execute(select(n.table).where(n.guest == new)).scalars())
    db.execute(delete(schema.game_note).where(n.guest == old, n.table.in_(noted)))
    db.execute(update(schema.game_note).where(n.guest == old).values(guest=new))


def erase(db: Connection, guest: str) -> None:
    """Delete all notes of a guest."""
    db.execute(delete(schema.game_note).where(n.guest == guest))
