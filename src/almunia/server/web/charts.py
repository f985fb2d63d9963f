"""Charts of curves: a line for each seat over the turns of a game, with a grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

LEFT, RIGHT, TOP, BOTTOM = 30, 284, 14, 176  # edges of the curves in the chart, which is 340 by 200
MIN_LABEL_DISTANCE = 16  # between two names at the ends of the curves
GRID_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500)  # between two grid lines
MAX_GRID_LINES = 5  # of one axis
SYMBOLS_PER_CURVE = 5  # on the chart
MIN_TURNS = 5  # of a chart over turns; other charts are over moves


class Curve(NamedTuple):
    """The value of a seat over time."""

    seat: int
    path: str
    symbols: tuple[tuple[float, float], ...]  # positions of the seat's symbol on the curve
    end: float  # y of the seat's name
    total: str  # in words


@dataclass(frozen=True)
class Chart:
    """Values over the turns, or over the moves of a play with few turns."""

    unit: str
    up: tuple[tuple[float, int], ...]  # the height of each grid line, and its value
    along: tuple[tuple[float, int], ...]  # positions of turns below the chart
    curves: tuple[Curve, ...]


def draw_chart(unit: str, rows: Sequence[Sequence[float]], totals: Sequence[str]) -> Chart:
    """Return rows with a value for each seat as curves. `totals` are the last values in words."""
    high, low = max(map(max, rows)), min(0, *map(min, rows))
    span = max(1, high - low)
    width = max(1, len(rows) - 1)

    def x(position: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * position / width, 1)

    def y(value: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (value - low) / span, 1)

    ends = spread([y(total) for total in rows[-1]])
    curves = []
    for seat, total in enumerate(totals):
        line = [(x(position), y(row[seat])) for position, row in enumerate(rows)]
        stride = max(1, len(rows) // SYMBOLS_PER_CURVE)
        first = stride * (seat + 1) // (len(totals) + 1)
        path = "M" + "L".join(f"{along} {up}" for along, up in line)
        curves.append(Curve(seat, path, tuple(line[first::stride]), ends[seat], total))
    up = tuple((y(value), value) for value in ticks(int(low), int(high)))
    return Chart(unit, up, tuple((x(value), value) for value in ticks(0, width)), tuple(curves))


def ticks(low: int, high: int) -> range:
    """Return the multiples of a step from `low` to `high`, for a few grid lines."""
    span = high - low
    step = next((step for step in GRID_STEPS if span <= step * MAX_GRID_LINES), span // MAX_GRID_LINES + 1)
    return range(-(-low // step) * step, high + 1, step)


def spread(heights: list[float]) -> list[float]:
    """Return heights near the given ones, at least MIN_LABEL_DISTANCE apart, and at most BOTTOM."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    placed, lowest, highest = [0.0] * len(heights), 0.0, float(BOTTOM + MIN_LABEL_DISTANCE)
    for i in order:
        placed[i] = lowest = max(heights[i], lowest + MIN_LABEL_DISTANCE)
    for i in reversed(order):
        placed[i] = highest = min(placed[i], highest - MIN_LABEL_DISTANCE)
    return [round(height, 1) for height in placed]
