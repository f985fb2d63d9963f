"""Charts of a player's results over time: a rating with its uncertainty as a band, and accuracies."""

from collections.abc import Sequence
from typing import NamedTuple

from ..users.profiles import RatingChange
from .charts import ticks

LEFT, RIGHT, TOP, BOTTOM = 44, 330, 10, 120  # edges of the curve in the chart, which is 340 by 130
MAX_ACCURACY = 100


class RatingChart(NamedTuple):
    """A curve with a band, in the units of the picture."""

    curve: str  # path of the values
    band: str  # path around the uncertainty
    up: tuple[tuple[float, int], ...]  # the height of each grid line, and its value
    end: tuple[float, float]  # the last point of the curve


def rating_chart(changes: Sequence[RatingChange]) -> RatingChart | None:
    """Return the chart of a rating; None with fewer than two changes, which are no curve."""
    ratings = [one.rating for one in changes]
    highs = [one.points + one.uncertainty for one in ratings]
    lows = [one.points - one.uncertainty for one in ratings]
    return draw_band([one.points for one in ratings], lows, highs)


def accuracy_chart(accuracies: Sequence[int]) -> RatingChart | None:
    """Return the chart of accuracies up to MAX_ACCURACY, without a band; None with fewer than two."""
    return draw_band(accuracies, (), (MAX_ACCURACY,))


def draw_band(values: Sequence[int], lows: Sequence[int], highs: Sequence[int]) -> RatingChart | None:
    """Return values as a curve, with a band between `lows` and `highs`; None with fewer than two values.

    Without `lows` there is no band, and the chart reaches up to `highs`.
    """
    if len(values) < 2:
        return None
    high, low = max(highs), min(*values, *lows)

    def place(number: int, value: int) -> tuple[float, float]:
        along = LEFT + (RIGHT - LEFT) * number / (len(values) - 1)
        return round(along, 1), height(value)

    def height(value: int) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (value - low) / max(1, high - low), 1)

    def line(heights: Sequence[int]) -> list[tuple[float, float]]:
        return [place(number, value) for number, value in enumerate(heights)]

    curve = line(values)
    band = path([*line(highs), *reversed(line(lows))]) + "Z" if lows else ""
    return RatingChart(path(curve), band, tuple((height(value), value) for value in ticks(low, high)), curve[-1])


def path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in points)
