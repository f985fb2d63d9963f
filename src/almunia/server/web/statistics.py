"""The page of a title's statistics: points and wins by seat, and what winners score with."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ...core.english import MINUS
from ...library import Game
from ...statistics import GameStatistics, Mean, SeatStatistics, TableStatistics, load_statistics
from ..errors import NotFound
from ..tables.builds import GameBuilds
from ..users.title_statistics import MIN_GAMES, TitleStatistics
from .charts import ticks
from .routing import Router
from .templating import render

router = Router()
LEFT, RIGHT = 26, 330  # edges of the values in the charts, which are 340 wide
TOP, BOTTOM = 8, 108  # of the bars of points
MAX_BARS = 32
ROW_HEIGHT, FIRST_ROW = 20, 138  # of the seats below the bars
WIN_TOP = 12  # of the first seat in the chart of wins
PERCENTILES = (5, 25, 50, 75, 95)
MAX_CACHED_GAMES = 32


class Range(NamedTuple):
    """A seat in a chart: where its values lie, from left to right."""

    seat: int
    y: float
    x: tuple[float, ...]


class PointsChart(NamedTuple):
    """The distribution of the points of all seats, and the percentiles of each seat."""

    bars: tuple[tuple[float, float, float, str], ...]  # x, width, height, and a description
    along: tuple[tuple[float, int], ...]  # positions of points, and their number
    seats: tuple[Range, ...]  # PERCENTILES
    height: int


class WinChart(NamedTuple):
    """The share of games that each seat wins, with its interval."""

    along: tuple[tuple[float, int], ...]  # positions of percents
    equal: float  # x of equal shares
    seats: tuple[Range, ...]  # lower end, share, upper end
    height: int


class SourceRow(NamedTuple):
    """The points from a source in words, and as bars in percent of the longest."""

    name: str
    rule: str
    means: tuple[str, ...]  # winners, others, and the difference; of all seats if there are no winners
    bars: tuple[float, ...]
    is_clear: bool  # whether the interval of the difference excludes 0


class SeatRow(NamedTuple):
    """The results of a seat in words."""

    seat: int
    points: str
    percentiles: tuple[int, ...]
    wins: str


class Reading(NamedTuple):
    """The statistics of games with a number of seats, for a page."""

    games: int
    points: PointsChart
    wins: WinChart | None  # None with a single seat
    seats: tuple[SeatRow, ...]
    sources: tuple[SourceRow, ...]
    start: str  # about the advantage of the start


@router.get("/games/{name}/statistics")
def show_statistics(
    request: Request, builds: GameBuilds, titles: TitleStatistics, name: str, seats: int | None = None
) -> Response:
    """Render the statistics of a title for a number of seats; by default, the fewest for two or more players."""
    game = builds.find(name)
    low, high = game.meta.seats
    seats = min(high, max(2, low)) if seats is None else seats
    if not low <= seats <= high:
        raise NotFound(f"{game.meta.title} has no statistics for {seats} players, because it takes {low} to {high}.")
    bots, site = shipped_statistics(game), titles.get(game.name).get(seats)
    of_bots = bots.tables.get(seats) if bots else None
    facts: dict[str, Any] = {
        "numbers": range(low, high + 1),
        "seats": seats,
        "bot": bots.bot if bots else "",
        "of_bots": read_statistics(of_bots) if of_bots else None,
        "of_site": read_statistics(site) if site else None,
        "enough": MIN_GAMES,
    }
    return render(request, "statistics.html", game=game.meta, **facts)


@lru_cache(MAX_CACHED_GAMES)
def shipped_statistics(game: Game) -> GameStatistics | None:
    return load_statistics(game)


def read_statistics(table: TableStatistics) -> Reading:
    several = len(table.seats) > 1
    return Reading(
        table.games,
        points_chart(table.seats),
        win_chart(table.seats) if several else None,
        tuple(
            SeatRow(
                number,
                with_error(seat.points),
                tuple(map(seat.percentile, PERCENTILES)),
                with_error(seat.wins, 100) if several else "",
            )
            for number, seat in enumerate(table.seats)
        ),
        source_rows(table),
        start_sentence(table.seats) if several else "",
    )


def points_chart(seats: Sequence[SeatStatistics]) -> PointsChart:
    """Return the chart of points, with bars of equal width."""
    games: dict[int, int] = {}
    for seat in seats:
        for points, count in seat.games_by_points.items():
            games[points] = games.get(points, 0) + count
    low, high = min(games), max(games)
    width = -(-(high - low + 1) // MAX_BARS)  # in points
    end, total = low + width * -(-(high - low + 1) // width), sum(games.values())
    step = (RIGHT - LEFT) / (end - low)

    def x(points: float) -> float:
        return round(LEFT + step * (points - low), 1)

    counts = [sum(games.get(points, 0) for points in range(first, first + width)) for first in range(low, end, width)]
    bars = tuple(
        (
            x(low + width * number),
            round(width * step - 1, 1),
            round((BOTTOM - TOP) * count / max(counts), 1),
            describe_bar(low + width * number, width, count / total),
        )
        for number, count in enumerate(counts)
    )
    rows = tuple(
        Range(number, FIRST_ROW + ROW_HEIGHT * number, tuple(x(seat.percentile(one) + 0.5) for one in PERCENTILES))
        for number, seat in enumerate(seats)
    )
    along = tuple((x(points + 0.5), points) for points in ticks(low, high))
    return PointsChart(bars, along, rows, FIRST_ROW + ROW_HEIGHT * len(seats) - 6)


def describe_bar(first: int, width: int, share: float) -> str:
    points = f"{first}" if width == 1 else f"{first} to {first + width - 1}"
    return f"{points} points: {share:.1%}"


def win_chart(seats: Sequence[SeatStatistics]) -> WinChart:
    """Return the chart of wins. Its values begin at 0."""
    most = max(0.01, *(seat.wins.value + seat.wins.error for seat in seats))

    def x(share: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * max(0.0, share) / most, 1)

    rows = tuple(
        Range(
            number,
            WIN_TOP + ROW_HEIGHT * number,
            tuple(x(seat.wins.value + sign * seat.wins.error) for sign in (-1, 0, 1)),
        )
        for number, seat in enumerate(seats)
    )
    along = tuple((x(percent / 100), percent) for percent in ticks(0, int(100 * most)))
    return WinChart(along, x(1 / len(seats)), rows, WIN_TOP + ROW_HEIGHT * len(seats) + 12)


def source_rows(table: TableStatistics) -> tuple[SourceRow, ...]:
    columns = [[mean for mean in (one.winners, one.others) if mean] or [one.points] for one in table.sources]
    longest = max((abs(mean.value) for means in columns for mean in means), default=1.0) or 1.0
    found = []
    for source, means in zip(table.sources, columns, strict=True):
        gap = source.difference
        words = [with_error(mean) for mean in means] + ([with_error(gap, sign="+")] if gap else [])
        bars = tuple(round(100 * abs(mean.value) / longest, 1) for mean in means)
        is_clear = gap is not None and abs(gap.value) > gap.error
        found.append(SourceRow(source.name, source.rule, tuple(words), bars, is_clear))
    return tuple(found)


def start_sentence(seats: Sequence[SeatStatistics]) -> str:
    """Return a sentence about the wins of the first seat, compared with an equal share."""
    first, equal = seats[0].wins, 1 / len(seats)
    if abs(first.value - equal) <= first.error:
        return "In these games, the first seat has no clear advantage or disadvantage."
    more = "more" if first.value > equal else "less"
    gap = Mean(abs(first.value - equal), first.error)
    return f"The first seat wins {more} often than an equal share, by {with_error(gap, 100)} percentage points."


def with_error(mean: Mean, scale: float = 1, sign: str = "") -> str:
    """Return a mean with half of its interval, such as 23.4 ±0.2, in units of 1 / `scale`."""
    return f"{scale * mean.value:{sign}z.1f} ±{scale * mean.error:.1f}".replace("-", MINUS)
