"""The chart of a rating: a curve of its changes, with its uncertainty as a band."""

from collections.abc import Sequence
from typing import NamedTuple

from ..users.profiles import RatingChange
from .charts import ticks

LEFT, RIGHT, TOP, BOTTOM = 44, 330, 10, 120  # edges of the curve in the chart, which is 340 by 130


class RatingChart(NamedTuple):
    """A curve with a band, in the units of the picture."""

    curve: str  # path of the rating
    band: str  # path around the uncertainty
    up: tuple[tuple[float, int], ...]  # the height of each grid line, and its rating
    end: tuple[float, float]  # the last point of the curve


def rating_chart(changes: Sequence[RatingChange]) -> RatingChart | None:
    """Return the chart of a rating; None with fewer than two changes, which are no curve."""
    if len(changes) < 2:
        return None
    ratings = [one.rating for one in changes]
    highs = [one.points + one.uncertainty for one in ratings]
    lows = [one.points - one.uncertainty for one in ratings]
    high, low = max(highs), min(lows)

    def place(number: int, points: int) -> tuple[float, float]:
        along = LEFT + (RIGHT - LEFT) * number / (len(ratings) - 1)
        return round(along, 1), height(points)

    def height(points: int) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (points - low) / max(1, high - low), 1)

    line = [place(number, one.points) for number, one in enumerate(ratings)]
    upper = [place(number, points) for number, points in enumerate(highs)]
    lower = [place(number, points) for number, points in enumerate(lows)]
    up = tuple((height(points), points) for points in ticks(low, high))
    return RatingChart(path(line), path([*upper, *reversed(lower)]) + "Z", up, line[-1])


def path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in points)
