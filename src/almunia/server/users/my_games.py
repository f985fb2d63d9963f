"""Somebody's own games: found by game, state, company and result, page by page, with notes that they alone read.

A list says of a table nothing that its reader could not notice there: running games go by when the reader's own seat
could last notice something.
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
from .own_tables import MINE, OwnTables, urgency
from .visitors import NEXT_ORDERS

ROWS = 50  # on a page
LONGEST = 500  # characters of a note
MOST_WAITING = 200  # tables among which the next one is chosen
MOST_CLOCKS = 30  # of these whose clocks are read
KEPT = "This game stays: somebody else has played in it, or it has counted for ratings. You can hide it from your list."
STATES = {"": "All", "waiting": "Waiting for me", "running": "Running", "over": "Over", "hidden": "Hidden"}
COMPANY = {"": "Anyone", "people": "People", "bots": "Only bots", "alone": "Alone"}
OUTCOMES = {"": "Any", "won": "Won", "lost": "Lost", "level": "Shared first place"}

s, t, n, r = schema.seat.c, schema.table.c, schema.game_note.c, schema.result.c
OTHER = schema.seat.alias("other")
RIVAL = schema.result.alias("rival")


class GameFilter(NamedTuple):
    """Which of somebody's games are asked for."""

    game: str = ""
    state: str = ""
    company: str = ""
    outcome: str = ""
    page: int = 1

    def checked(self) -> "GameFilter":
        """The same; NotFound if there are no such games."""
        lists = (self.state, STATES), (self.company, COMPANY), (self.outcome, OUTCOMES)
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


EVERY = GameFilter()


class GameRow(NamedTuple):
    """One of somebody's games."""

    table: Table
    moves: int  # actions that stand there in the guest's seats
    note: str
    ranks: Mapping[int, int]  # by seat, at the end
    may_delete: bool


class GamePage(NamedTuple):
    """A page of somebody's games."""

    games: list[GameRow]
    total: int
    pages: int


class GameList:
    """The games of every guest, as each may list their own."""

    def __init__(self, engine: Engine, tables: TableService, own: OwnTables, clock: Clock) -> None:
        self._engine, self._tables, self._own_tables, self._clock = engine, tables, own, clock

    @property
    def _store(self) -> TableRepository:
        return self._tables.store

    # --- lists ----------------------------------------------------------------------------

    def find(self, guest: str, wanted: GameFilter) -> GamePage:
        """A page of a guest's games: those that wait for the guest, then running ones, then those that are over."""
        if not guest:
            return GamePage([], 0, 1)
        chosen = _own(guest, wanted)
        with read_connection(self._engine) as db:
            total = db.execute(select(func.count()).select_from(chosen.subquery())).scalar_one()
            ordered = chosen.order_by(MINE.desc(), urgency(guest), t.status.desc(), func.max(s.noticed).desc(), t.id)
            ids = list(db.execute(ordered.limit(ROWS).offset((wanted.page - 1) * ROWS)).scalars())
            games = self._games(db, guest, ids)
        return GamePage(games, total, max(1, -(-total // ROWS)))

    def running(self, guest: str, most: int) -> tuple[list[GameRow], int, int]:
        """The first of a guest's running games, how many of them there are, and how many wait for the guest."""
        if not guest:
            return [], 0, 0
        chosen = _own(guest, GameFilter(state="running"))
        waiting = _own(guest, GameFilter(state="waiting"))
        with read_connection(self._engine) as db:
            total, due = (
                db.execute(select(func.count()).select_from(one.subquery())).scalar_one() for one in (chosen, waiting)
            )
            ordered = chosen.order_by(MINE.desc(), urgency(guest), func.max(s.noticed).desc(), t.id)
            ids = list(db.execute(ordered.limit(most)).scalars())
            return self._games(db, guest, ids), total, due

    def one(self, guest: str, table: str) -> GameRow:
        """A game of a guest."""
        with read_connection(self._engine) as db:
            return self._games(db, guest, [table])[0]

    def _games(self, db: Connection, guest: str, ids: list[str]) -> list[GameRow]:
        tables = {table.id: table for table in self._store.get_many(ids)}
        moves, notes, ranks = self._own_tables.moves(guest, ids), _notes(db, guest, ids), _ranks(db, ids)
        return [
            GameRow(table, moves.get(one, 0), notes.get(one, ""), ranks.get(one, {}), self.may_delete(guest, table))
            for one in ids
            if (table := tables.get(one))
        ]

    # --- the next table -------------------------------------------------------------------

    def next(self, guest: str, order: str, after: str = "") -> str | None:
        """The table that waits for a guest and comes first in an order; of several not the one that was just left."""
        waiting = self.waiting(guest, order)
        others = [table for table in waiting if table != after]
        return next(iter(others or waiting), None)

    def waiting(self, guest: str, order: str) -> list[str]:
        """The tables that wait for a guest: live clocks, slow ones, people, bots; each in an order of `NEXT_ORDERS`."""
        if order not in NEXT_ORDERS:
            raise BadRequest(f"There is no order {order[:40]!r}; choose one of: {', '.join(NEXT_ORDERS)}.")
        if not guest:
            return []
        noticed = func.max(s.noticed)
        moment = noticed.desc() if order == "latest" else noticed
        chosen = _own(guest, GameFilter(state="waiting")).order_by(urgency(guest), moment, t.id)
        with read_connection(self._engine) as db:
            found = list(db.execute(chosen.limit(MOST_WAITING)).scalars())
        return self._by_clock(found) if order == "clock" else found

    def _by_clock(self, found: list[str]) -> list[str]:
        """Those whose clocks have least left first, then those without clocks, as long as each has waited."""
        clocked = [table.id for table in self._store.get_many(found) if TimeControl.parse(table.time_control).kind]
        left = {one: self._left(one) for one in clocked[:MOST_CLOCKS]}
        return sorted(found, key=lambda one: left.get(one, float("inf")))  # sorting keeps the rest as it was

    def _left(self, table_id: str) -> float:
        now = self._tables.get(table_id)
        clocks = now.history(now.play.turn).clocks
        return clocks.seconds_left(now.play.turn, self._clock.now()) if clocks else float("inf")

    # --- notes, hiding, deleting ------------------------------------------------------------

    def note(self, guest: str, table: str) -> str:
        """What a guest has noted on a table."""
        with read_connection(self._engine) as db:
            return _notes(db, guest, [table]).get(table, "") if guest else ""

    def write(self, guest: str, table: str, words: str) -> None:
        """Note something on a table, which nobody else reads."""
        words = words.replace("\r\n", "\n").strip()
        if len(words) > LONGEST:
            raise BadRequest(f"A note may have at most {LONGEST} characters, and this one has {len(words)}.", 422)
        if not all(letter.isprintable() or letter == "\n" for letter in words):
            raise BadRequest(
                "This note contains a character that cannot be displayed. Use letters and punctuation.", 422
            )
        self._put(guest, table, {"words": words})

    def hide(self, guest: str, table: str, *, hidden: bool) -> None:
        """Leave a table out of a guest's list, or list it again."""
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
        """May a guest delete a table? Only one that nobody else needs: bots alone, and nothing that was counted."""
        alone = {table.seats[p].player for p in table.human_seats} == {guest} and table.host == guest
        return alone and not table.daily and not (table.rated and is_decided(table))

    def delete(self, guest: str, table_id: str) -> None:
        """Delete a table with all that belongs to it; Conflict if somebody else needs it."""
        now = self._tables.get(table_id).table
        if not now.seats_of(guest):
            raise Forbidden("You do not play in this game, so you cannot delete it.")
        if not self.may_delete(guest, now):
            raise Conflict(KEPT)

        def removing() -> None:
            with self._engine.begin() as db:
                others = select(s.seat).where(s.table == table_id, s.kind == PERSON, s.player != guest)
                counted = select(r.seat).where(r.table == table_id, or_(r.number.is_not(None), r.player != guest))
                people = counted.where(r.kind == PERSON)
                if db.execute(others).first() or db.execute(people).first():
                    raise Conflict(KEPT)
                for part in (schema.message, schema.report):
                    db.execute(delete(part).where(part.c.room == table_id))
                for part in PARTS:
                    db.execute(delete(part).where(part.c.table == table_id))
                db.execute(delete(schema.table).where(t.id == table_id))

        self._tables.remove(table_id, removing)


PARTS = (
    schema.result,
    schema.game_note,
    schema.kept_seat,
    schema.listing,
    schema.entry,
    schema.seat,
)  # what a table consists of, beside itself


# --- what is asked of the database -----------------------------------------------------------------


def _own(guest: str, wanted: GameFilter) -> Select[Any]:
    """The ids of a guest's tables of a kind."""
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
        chosen = chosen.having(MINE == 1)
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
    """The ranks at tables that are over, by table and seat."""
    found: dict[str, dict[int, int]] = {}
    for row in db.execute(select(r.table, r.seat, r.rank).where(r.table.in_(ids), r.rank.is_not(None))):
        found.setdefault(row.table, {})[row.seat] = row.rank
    return found


def standing(table: Table, guest: str, ranks: Mapping[int, int]) -> dict[str, Any]:
    """The place and points of a guest at a table that is over, and whether that was won."""
    held = table.seats_of(guest)
    seat = min(held, key=lambda one: ranks.get(one, len(table.seats)))
    rank, several = ranks.get(seat), len(table.seats) > 1 and len(held) == 1
    first = [one for one, place in ranks.items() if place == 1]
    outcome = "" if rank is None or not several else "won" if first == [seat] else "level" if rank == 1 else "lost"
    points = table.result[seat] if table.result is not None and table.finished else None
    return {"rank": rank if several else None, "outcome": outcome, "points": points}


# --- what a guest may ask for ----------------------------------------------------------------------


def export(db: Connection, guest: str) -> dict[str, list[dict[str, Any]]]:
    """All notes of a guest."""
    rows = db.execute(select(schema.game_note).where(n.guest == guest).order_by(n.table)).mappings()
    return {"notes": [{key: value for key, value in row.items() if key != "guest"} for row in rows]}


def move(db: Connection, old: str, new: str) -> None:
    """Let notes be those of another guest, who is the same person. Of two on a table the other's stays."""
    noted = list(db.execute(select(n.table).where(n.guest == new)).scalars())
    db.execute(delete(schema.game_note).where(n.guest == old, n.table.in_(noted)))
    db.execute(update(schema.game_note).where(n.guest == old).values(guest=new))


def forget(db: Connection, guest: str) -> None:
    """Forget all notes of a guest."""
    db.execute(delete(schema.game_note).where(n.guest == guest))
