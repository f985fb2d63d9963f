"""The database of tournaments: their settings, entrants and games."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, delete, func, insert, or_, select, update

from ..clock import Clock
from ..errors import NotFound
from ..storage import schema
from ..storage.database import lock_transaction, read_connection
from ..tables.model import Table
from ..tokens import TOKEN_PATTERN
from .stages import Plan
from .standings import Game, SeatScore

OPEN, RUNNING, FINISHED, CANCELLED = "open", "running", "finished", "cancelled"
NO_TOURNAMENT = "There is no tournament at this address. It may have been mistyped, or cut off when it was copied."
T, E, G = schema.tournament.c, schema.tournament_entrant.c, schema.tournament_game.c


@dataclass(frozen=True)
class Tournament:
    """The settings and the progress of a tournament."""

    id: str  # unguessable: a visitor who knows it may look and join
    name: str
    game: str
    kind: str  # and the next columns, as in `Plan`
    seats: int
    places: int
    rounds: int  # 0 for an arena, and before the start with groups
    time_control: str
    bot: str  # the level of bots that fill free places at the start; empty without bots
    is_public: bool  # whether the list of tournaments shows it
    host: str
    seed: int
    status: str = OPEN
    round: int = 0  # the current one, from 1
    created_at: float = 0.0
    minutes: int = 0
    groups: int = 0
    finalists: int = 0
    began_at: float = 0.0  # when the current round began
    ends_at: float = 0.0  # of an arena that has started

    @property
    def plan(self) -> Plan:
        return Plan(*(getattr(self, name) for name in Plan._fields))


class Entrant(NamedTuple):
    """A player of a tournament. Entrants are numbered from 0."""

    number: int
    guest: str  # empty for a bot, or a player who has deleted their data
    name: str
    bot: str = ""  # the level of a bot
    has_withdrawn: bool = False
    hours: str = ""  # when a person wants to play slow games


class TournamentRepository:
    """Stores tournaments."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine, self._clock = engine, clock

    def create(self, tournament: Tournament) -> None:
        with self._engine.begin() as db:
            db.execute(insert(schema.tournament), {**asdict(tournament), "created_at": self._clock.now()})

    def get(self, tournament_id: str) -> Tournament:
        """Return a tournament; NotFound if there is none with this id."""
        check_id(tournament_id)
        for tournament in self._read(T.id == tournament_id):
            return tournament
        raise NotFound(NO_TOURNAMENT)

    def listed(self, guest: str, most: int) -> list[Tournament]:
        """Return at most `most` tournaments that are public, or that a guest hosts or plays in, the latest first."""
        own = select(E.tournament).where(E.guest == guest)
        is_own = or_(T.host == guest, T.id.in_(own)) if guest else T.id.is_(None)
        return self._read(or_(T.is_public & (T.status != CANCELLED), is_own), most)

    def running(self) -> list[Tournament]:
        return self._read(T.status == RUNNING)

    def count_unfinished(self, host: str) -> int:
        with read_connection(self._engine) as db:
            unfinished = select(func.count()).where(T.host == host, T.status.in_((OPEN, RUNNING)))
            return db.execute(unfinished).scalar_one()

    def _read(self, condition: Any, most: int | None = None) -> list[Tournament]:
        wanted = select(schema.tournament).where(condition).order_by(T.created_at.desc(), T.id).limit(most)
        with read_connection(self._engine) as db:
            return [Tournament(**row) for row in db.execute(wanted).mappings()]

    # --- entrants -------------------------------------------------------------------------

    def entrants(self, tournament_id: str) -> list[Entrant]:
        """Return the entrants, by number."""
        with read_connection(self._engine) as db:
            return read_entrants(db, tournament_id)

    @contextmanager
    def change(self, tournament_id: str) -> Iterator[tuple[Connection, Tournament, list[Entrant]]]:
        """Yield a transaction with the tournament and its entrants; transactions of a tournament exclude each other.

        NotFound if there is no such tournament.
        """
        check_id(tournament_id)
        with self._engine.begin() as db:
            lock(db, tournament_id)
            row = db.execute(select(schema.tournament).where(T.id == tournament_id)).mappings().first()
            if row is None:
                raise NotFound(NO_TOURNAMENT)
            yield db, Tournament(**row), read_entrants(db, tournament_id)

    # --- games ----------------------------------------------------------------------------

    def games(self, tournament_id: str) -> list[Game]:
        """Return the games of all rounds, in order."""
        wanted = select(G.round, G.number, G.players, G.table, G.scores).where(G.tournament == tournament_id)
        with read_connection(self._engine) as db:
            return [
                Game(number, at, tuple(players), table, tuple(SeatScore(*one) for one in scores or ()))
                for number, at, players, table, scores in db.execute(wanted.order_by(G.round, G.number))
            ]

    def begin_round(self, tournament: Tournament, number: int, games: list[Game]) -> None:
        """Store the games of round `number`, before their tables are opened. A round may have no games."""
        rows = [
            {
                "tournament": tournament.id,
                "round": game.round,
                "number": game.number,
                "players": game.players,
                "table": "",
                "scores": game.scores or None,
            }
            for game in games
        ]
        with self._engine.begin() as db:
            if rows:
                db.execute(insert(schema.tournament_game), rows)
            set_facts(db, tournament.id, round=number, began_at=self._clock.now())

    def set_table(self, tournament_id: str, game: Game, db: Connection, table: Table) -> None:
        """Store the table of a game, in the transaction that creates the table."""
        db.execute(update(schema.tournament_game).where(is_game(tournament_id, game)).values(table=table.id))

    def record(self, tournament_id: str, game: Game, absent: list[int]) -> None:
        """Store the scores of a game, and withdraw the players who have been absent too often."""
        with self._engine.begin() as db:
            db.execute(update(schema.tournament_game).where(is_game(tournament_id, game)).values(scores=game.scores))
            for number in absent:
                set_withdrawn(db, tournament_id, number, withdrawn=True)

    def set_status(self, tournament_id: str, status: str) -> None:
        with self._engine.begin() as db:
            set_facts(db, tournament_id, status=status)

    def results(self, table: str) -> dict[int, tuple[int | None, int | None]]:
        """Return rank and points of each seat of a finished table."""
        r = schema.result.c
        with read_connection(self._engine) as db:
            rows = db.execute(select(r.seat, r.rank, r.points).where(r.table == table))
            return {seat: (rank, points) for seat, rank, points in rows}


def lock(db: Connection, tournament_id: str) -> None:
    """Exclude other transactions of a tournament until the end of this one."""
    lock_transaction(db, f"tournament {tournament_id}")
    own = T.id == tournament_id
    db.execute(update(schema.tournament).where(own).values(status=T.status))  # locks SQLite's database


def check_id(tournament_id: str) -> None:
    if not TOKEN_PATTERN.fullmatch(tournament_id):
        raise NotFound(NO_TOURNAMENT)


def is_game(tournament_id: str, game: Game) -> Any:
    return (G.tournament == tournament_id) & (G.round == game.round) & (G.number == game.number)


def read_entrants(db: Connection, tournament_id: str) -> list[Entrant]:
    wanted = select(*(E[name] for name in Entrant._fields)).where(E.tournament == tournament_id)
    return [Entrant(*row) for row in db.execute(wanted.order_by(E.number))]


def add_entrant(db: Connection, tournament_id: str, entrant: Entrant) -> None:
    db.execute(insert(schema.tournament_entrant), {"tournament": tournament_id, **entrant._asdict()})


def remove_entrant(db: Connection, tournament_id: str, number: int, last: int) -> None:
    """Delete an entrant; the `last` one gets the number, so that numbers have no gaps."""
    entrant = schema.tournament_entrant
    db.execute(delete(entrant).where(E.tournament == tournament_id, E.number == number))
    db.execute(update(entrant).where(E.tournament == tournament_id, E.number == last).values(number=number))


def set_withdrawn(db: Connection, tournament_id: str, number: int, *, withdrawn: bool) -> None:
    own = E.tournament == tournament_id, E.number == number
    db.execute(update(schema.tournament_entrant).where(*own).values(has_withdrawn=withdrawn))


def set_facts(db: Connection, tournament_id: str, **facts: object) -> None:
    """Set columns of a tournament."""
    db.execute(update(schema.tournament).where(T.id == tournament_id).values(facts))


# --- personal data ---------------------------------------------------------------------------------


def merge(db: Connection, old: str, new: str) -> None:
    """Move tournaments and entries to another guest, who is the same person.

    If both have entered a tournament, the entry of `old` is given up.
    """
    give_up_entries(db, old, E.tournament.in_(select(E.tournament).where(E.guest == new)))
    db.execute(update(schema.tournament).where(T.host == old).values(host=new))
    db.execute(update(schema.tournament_entrant).where(E.guest == old).values(guest=new))


def erase(db: Connection, guest: str, name: str) -> None:
    """Delete a guest's id in tournaments, and give up the guest's entries; `name` replaces the guest's name."""
    give_up_entries(db, guest, name=name, hours="")
    db.execute(update(schema.tournament).where(T.host == guest).values(host=""))


def give_up_entries(db: Connection, guest: str, *conditions: Any, **facts: str) -> None:
    """Delete a guest's entries in open tournaments; withdraw the others, without the guest and with other `facts`."""
    own = E.guest == guest
    for tournament in db.execute(select(E.tournament).where(own, *conditions).order_by(E.tournament)).scalars().all():
        lock(db, tournament)  # before the entry is read: others may renumber it, or start the tournament
        found = select(E.number, T.status).join(schema.tournament, T.id == E.tournament)
        for number, status in db.execute(found.where(E.tournament == tournament, own)).all():
            if status == OPEN:
                remove_entrant(db, tournament, number, len(read_entrants(db, tournament)) - 1)
            else:
                entry = E.tournament == tournament, E.number == number
                left = {"guest": "", "has_withdrawn": True, **facts}
                db.execute(update(schema.tournament_entrant).where(*entry).values(left))
