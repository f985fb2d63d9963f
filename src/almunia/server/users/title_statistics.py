"""Statistics of a title over the finished games of the site, without names."""

from collections import Counter
from threading import Lock

from sqlalchemy import Engine, Float, Integer, case, cast, func, select

from ...statistics import SeatStatistics, TableStatistics
from ..clock import Clock
from ..storage import schema
from ..storage.database import read_connection

MIN_GAMES = 30  # with a number of seats: fewer say little, and something about single games
MAX_AGE_SECONDS = 600.0  # of cached statistics: the query reads all results of a title

r = schema.result.c


class TitleStatistics:
    """Reads the statistics of titles, and caches them."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine, self._clock = engine, clock
        self._lock = Lock()  # one query at a time
        self._cached: dict[str, tuple[float, dict[int, TableStatistics]]] = {}  # with the time of the query, by title

    def get(self, game: str) -> dict[int, TableStatistics]:
        """Return the statistics of a title by number of seats, at most MAX_AGE_SECONDS old.

        Only games count that every player has played to the end, with a secret deal. Numbers of seats with fewer than
        MIN_GAMES games are left out.
        """
        with self._lock:
            made_at, found = self._cached.get(game, (0.0, {}))
            if not made_at or self._clock.now() >= made_at + MAX_AGE_SECONDS:
                found = self._read(game)
                self._cached[game] = self._clock.now(), found
            return found

    def _read(self, game: str) -> dict[int, TableStatistics]:
        winners = func.sum(case((r.rank == 1, 1), else_=0)).over(partition_by=r.table)
        results = select(
            r.seats,
            r.seat,
            r.points,
            case((r.rank == 1, 1 / cast(winners, Float)), else_=0.0).label("share"),
            func.count().over(partition_by=r.table).label("seats_with_result"),
            func.min(cast(r.played_to_end, Integer)).over(partition_by=r.table).label("is_whole"),
        ).where(r.game == game, r.counts_in_stats)
        c = results.subquery().c
        whole = (c.is_whole == 1, c.seats_with_result == c.seats)
        sums = (func.count(), func.sum(c.share), func.sum(c.share * c.share))
        wanted = select(c.seats, c.seat, c.points, *sums).where(*whole).group_by(c.seats, c.seat, c.points)
        by_points: dict[tuple[int, int], Counter[int]] = {}
        wins: dict[tuple[int, int], tuple[float, float]] = {}
        with read_connection(self._engine) as db:
            for seats, seat, points, games, shares, squares in db.execute(wanted):
                by_points.setdefault((seats, seat), Counter())[points] += games
                total, square = wins.get((seats, seat), (0.0, 0.0))
                wins[seats, seat] = total + shares, square + squares
        counts = {seats: games.total() for (seats, _), games in by_points.items()}
        return {
            seats: TableStatistics(
                count,
                tuple(SeatStatistics.of(by_points[seats, seat], *wins[seats, seat]) for seat in range(seats)),
            )
            for seats, count in sorted(counts.items())
            if count >= MIN_GAMES
        }
