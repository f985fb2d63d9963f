"""The thinking times of a finished game: a chart of what each seat has used, and a table of the turns."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ..clock import DAY, HOUR, MINUTE
from ..tables.clocks import format_clock
from .charts import MIN_TURNS, Chart, draw_chart

UNITS = (("days", DAY), ("hours", HOUR), ("minutes", MINUTE), ("seconds", 1))
MIN_UNITS = 2  # on the longest curve
NO_NUMBER = "\N{EN DASH}"
MIN_ROUNDED = 10  # totals without a decimal


class SeatTimes(NamedTuple):
    """The thinking time of a seat, in words."""

    seat: int
    total: str
    longest: str  # of its moves


class GameTimes(NamedTuple):
    """The thinking times of a game."""

    unit: str  # of the chart: days, hours, minutes or seconds
    chart: Chart  # the time that each seat has used
    seats: tuple[SeatTimes, ...]
    turns: tuple[tuple[str, ...], ...]  # by turn, or by move as `chart.unit` says: the time of each seat


def times_of(turns: Sequence[int], seats: int, moves: Sequence[tuple[int, float]]) -> GameTimes | None:
    """Return the times of a finished game; None if no seat has thought for a second.

    Args:
        turns: the number of finished turns after each number of moves, from 0 on.
        seats: number of seats.
        moves: the seat and the thinking time of each move, in seconds.
    """
    used = [(0.0,) * seats]
    for mover, seconds in moves:
        used.append(tuple(total + seconds * (seat == mover) for seat, total in enumerate(used[-1])))
    most = max(used[-1])
    if most < 1:
        return None
    ends: dict[int, tuple[float, ...]] = {}  # the times at the start, and after the last move of each turn
    for count, row in zip(turns, used, strict=True):
        ends.setdefault(count, row)
    ends.setdefault(turns[-1] + (ends[turns[-1]] != used[-1]), used[-1])  # the last turn may not be finished
    step, rows = ("turns", [*ends.values()]) if len(ends) >= MIN_TURNS else ("moves", used)
    unit, length = next((one for one in UNITS if most >= MIN_UNITS * one[1]), UNITS[-1])
    scaled = [[total / length for total in row] for row in rows]
    labels = [f"{total:.0f}" if total >= MIN_ROUNDED else f"{total:.1f}" for total in scaled[-1]]
    found = []
    for seat, total in enumerate(used[-1]):
        longest = max((seconds for mover, seconds in moves if mover == seat), default=0.0)
        found.append(SeatTimes(seat, format_clock(total), format_clock(longest)))
    turns_in_words = (
        tuple(format_clock(now - then) if now > then else NO_NUMBER for then, now in zip(*pair, strict=True))
        for pair in pairwise(rows)
    )
    return GameTimes(unit, draw_chart(step, scaled, labels), tuple(found), tuple(turns_in_words))
