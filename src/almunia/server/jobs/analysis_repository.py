"""Analyses of finished tables in the database, and requests for analyses.

A request is a row without a result. A process that makes an analysis holds an advisory lock, which ends with it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Engine, Row, case, delete, func, insert, null, select, update

from ...analysis import Decision, PlayAnalysis
from ...luck import Balance, Draw, Luck, SeatLuck
from ..errors import TooManyRequests
from ..storage import schema
from ..storage.database import locked_transaction, read_connection
from ..tables.model import PERSON

MAX_WAITING = 100  # games
MAX_WAITING_PER_NETWORK = 5  # games; no limit for this machine, where a proxy may run
RETRY_SECONDS = 24 * 3600.0  # after a failure
MAX_WAIT_SECONDS = 2 * 3600.0  # of a request; MAX_WAITING games of a minute take 100 minutes
MAX_ATTEMPTS = 3  # a game that ends the process each time is given up
GIVEN_UP = MAX_ATTEMPTS + 1  # as the number of attempts
DECIMALS = 6  # of stored numbers
A, T, S = schema.analysis.c, schema.game_table.c, schema.seat.c
IS_UNFINISHED = A.finished_at.is_(None) & (A.attempts < GIVEN_UP)


class AnalysisRequest(NamedTuple):
    """A request for the analysis of a table."""

    table: str
    game: str
    version: str  # of the analysis
    network: str


class AnalysisRepository:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def find(self, table: str, now: float) -> Row[Any] | None:
        """Return the row of a table, of any version; None if its request has expired."""
        with read_connection(self._engine) as db:
            return db.execute(select(schema.analysis).where(A.table == table, ~is_expired(now))).first()

    def latest_of(self, guest: str, most: int) -> Sequence[Any]:
        """Return the latest finished analyses of games of a guest, with the guest's seat, oldest game first.

        Imported games are left out, because other people may have played them.
        """
        joined = schema.analysis.join(schema.game_table, T.id == A.table).join(schema.seat, S.table == A.table)
        wanted = select(A.table, T.game, T.seats, A.version, A.result, T.changed_at, S.seat).select_from(joined)
        ours = wanted.where(S.player == guest, S.kind == PERSON, ~T.imported, A.finished_at.is_not(None))
        with read_connection(self._engine) as db:
            return db.execute(ours.order_by(T.changed_at.desc(), S.seat).limit(most)).all()[::-1]

    def add(self, table: str, version: str, network: str, now: float) -> None:
        """Add a request, unless the table has an analysis of this version or waits for it.

        An outdated analysis is replaced, and a failed one after RETRY_SECONDS. Expired requests are deleted. Raises
        TooManyRequests before RETRY_SECONDS, and if too many games wait.
        """
        with locked_transaction(self._engine, "analysis") as db:
            db.execute(delete(schema.analysis).where(is_expired(now)))
            is_current = (A.version == version) & (A.finished_at.is_not(None) | IS_UNFINISHED)
            if db.execute(select(A.table).where(A.table == table, is_current)).first():
                return
            failed = (A.version == version) & A.finished_at.is_(None) & (A.requested_at > now - RETRY_SECONDS)
            if db.execute(select(A.table).where(A.table == table, failed)).first():
                raise TooManyRequests("The analysis of this game has failed. Try again tomorrow.", int(RETRY_SECONDS))
            counts = select(func.count(case((A.network == network, 1))), func.count()).where(IS_UNFINISHED)
            of_network, all_waiting = db.execute(counts).one()
            check_capacity(network, of_network, all_waiting)
            db.execute(delete(schema.analysis).where(A.table == table))
            row = {"table": table, "version": version, "network": network, "attempts": 0, "done": 0}
            db.execute(insert(schema.analysis), {**row, "result": null(), "requested_at": now})

    def waiting(self, games: Collection[str], served: Mapping[Any, int], now: float) -> list[AnalysisRequest]:
        """Return the requests about some games.

        Networks take turns, by the number of each network's last turn in `served`. The oldest request of a network
        comes first.
        """
        turn = [case(served, value=A.network, else_=0)] if served else []
        joined = schema.analysis.join(schema.game_table, T.id == A.table)
        wanted = select(A.table, T.game, A.version, A.network).select_from(joined)
        with read_connection(self._engine) as db:
            ours = wanted.where(IS_UNFINISHED, ~is_expired(now), T.game.in_(games))
            return [AnalysisRequest(*row) for row in db.execute(ours.order_by(*turn, A.requested_at))]

    def start(self, table: str, version: str, now: float) -> bool:
        """Count an attempt, and return True; give the request up and return False if it has had MAX_ATTEMPTS.

        The caller holds the lock, so no attempt is in progress. Also returns False if the request no longer waits.
        """
        may_start = IS_UNFINISHED & (A.attempts < MAX_ATTEMPTS)
        if self._update(table, version, may_start, attempts=A.attempts + 1, done=0, requested_at=now):
            return True
        self.give_up(table, version)
        return False

    def stop(self, table: str, version: str) -> None:
        """Let the request wait again, without counting the attempt."""
        self._update(table, version, A.finished_at.is_(None) & (A.attempts > 0), attempts=A.attempts - 1, done=0)

    def record_progress(self, table: str, version: str, done: int) -> bool:
        """Record how many actions have been judged; return False if the request is gone."""
        return self._update(table, version, A.finished_at.is_(None), done=done)

    def finish(self, table: str, version: str, analysis: PlayAnalysis, now: float) -> None:
        self._update(table, version, result=to_json(analysis), finished_at=now, network="")

    def give_up(self, table: str, version: str) -> None:
        self._update(table, version, IS_UNFINISHED, attempts=GIVEN_UP, network="")

    def _update(self, table: str, version: str, *only: ColumnElement[bool], **values: Any) -> bool:
        with self._engine.begin() as db:
            ours = update(schema.analysis).where(A.table == table, A.version == version, *only)
            return db.execute(ours.values(values)).rowcount == 1


def is_expired(now: float) -> ColumnElement[bool]:
    """Whether a request has waited for MAX_WAIT_SECONDS since it was made or last tried."""
    return IS_UNFINISHED & (A.requested_at <= now - MAX_WAIT_SECONDS)


def check_capacity(network: str, of_network: int, all_waiting: int) -> None:
    """Raise TooManyRequests if too many games wait. An empty network stands for this machine."""
    if network and of_network >= MAX_WAITING_PER_NETWORK:
        raise TooManyRequests("Too many games of your network are waiting for an analysis. Try again in a minute.", 60)
    if all_waiting >= MAX_WAITING:
        raise TooManyRequests("Too many games are waiting for an analysis. Please try again in a few minutes.", 60)


def to_json(analysis: PlayAnalysis) -> dict[str, Any]:
    """Return an analysis as JSON, with each decision as the list of its fields, and luck as lists of its parts."""
    decisions = [rounded(vars(decision).values()) for decision in analysis.decisions]
    luck = analysis.luck and [
        [[part and rounded(part) for part in seat] for seat in analysis.luck.seats],
        [[draw.number, rounded(draw.points), rounded(draw.chances)] for draw in analysis.luck.draws],
    ]
    return {"simulations": analysis.simulations, "seed": analysis.seed, "decisions": decisions, "luck": luck}


def rounded(values: Iterable[Any]) -> list[Any]:
    return [round(value, DECIMALS) if isinstance(value, float) else value for value in values]


def from_json(data: Mapping[str, Any], game: str, seats: int) -> PlayAnalysis:
    """Return the analysis of a game from its JSON."""
    decisions = (Decision(*row) for row in data["decisions"])
    luck = None
    if data["luck"]:
        balances, draws = data["luck"]
        parts = (SeatLuck(Balance(*points), Balance(*chance) if chance else None) for points, chance in balances)
        luck = Luck(tuple(parts), tuple(Draw(number, tuple(points), tuple(ch)) for number, points, ch in draws))
    return PlayAnalysis.of(game, data["simulations"], data["seed"], seats, decisions, luck)
