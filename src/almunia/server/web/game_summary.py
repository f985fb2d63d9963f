"""The summary of a finished game: points by source, a chart of the points, and the turning points.

A finished play has no secrets, so the summary is computed from the play itself.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from ...core.optional import Source
from ...library import Game
from ..tables.log import LogEntry
from .table_page import TablePage
from .templating import log_line

MAX_CACHED_HISTORIES = 64  # of plays
LEFT, RIGHT, TOP, BOTTOM = 30, 284, 14, 176  # edges of the curves in the chart, which is 340 by 200
MIN_LABEL_DISTANCE = 16  # between two names at the ends of the curves
GRID_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500)  # between two grid lines
MAX_GRID_LINES = 5  # of one axis
SYMBOLS_PER_CURVE = 5  # on the chart
MAX_TURNING_POINTS = 4  # in the summary
MIN_LABELLED_POINTS = 4  # of a piece of a bar with its number on it
MIN_LABELLED_SHARE = 0.05  # of the longest bar, likewise
MIN_TURNING_GAP = 3  # points; smaller gaps are no turning points


class History(NamedTuple):
    """The points of a play after each number of actions, from 0 on."""

    turns: tuple[int, ...]  # finished turns
    scores: tuple[tuple[int, ...], ...]  # by seat


@lru_cache(MAX_CACHED_HISTORIES)
def history_of(
    game: Game, seats: int, seed: int, options: tuple[tuple[str, str], ...], actions: tuple[int, ...]
) -> History:
    """Return the history of a finished play, cached."""
    play = game.start(seats, seed, dict(options))
    found = [(play.turns, play.points)]
    for action in actions:
        play.apply(action)
        found.append((play.turns, play.points))
    return History(*zip(*found, strict=True))


class Bar(NamedTuple):
    """The points of a seat by source."""

    seat: int
    total: int
    share: float  # of the longest bar, in percent
    pieces: tuple[tuple[int, str, int, bool], ...]  # a source, its name and points, and whether they fit on the piece
    lost: int  # points that sources took away; at most 0


class Curve(NamedTuple):
    """The points of a seat over time."""

    seat: int
    path: str
    symbols: tuple[tuple[float, float], ...]  # positions of the seat's symbol on the curve
    end: float  # y of the seat's name
    total: int


@dataclass(frozen=True)
class Chart:
    """Points over the turns, or over the moves of a play with few turns."""

    unit: str
    up: tuple[tuple[float, int], ...]  # the height of each grid line, and its points
    along: tuple[tuple[float, int], ...]  # positions of turns below the chart
    curves: tuple[Curve, ...]


class TurningPoint(NamedTuple):
    """An action that changed the points much."""

    number: int  # of the action, from 1
    seat: int  # that gained most
    gain: int
    words: Markup  # the log's words for it


def summarize(view: TablePage) -> dict[str, Any]:
    """Return the summary of a finished game for its viewer, as template variables."""
    table, play = view.table, view.play
    history = history_of(play.game, len(table.seats), table.seed, tuple(table.options.items()), tuple(play.actions))
    sources = tuple(source for source in view.game.text.score_breakdown(view.observation.state) if any(source.points))
    entries = {one.action_count: one for one in view.history.log_entries if not one.survives_undo}
    turnings = turning_points(history)
    for number, turning in enumerate(turnings):
        if entry := entries.get(turning.number):
            turnings[number] = turning._replace(words=describe_act(entry, turning.seat))
    seats = [card.seat for card in sorted(view.seats, key=lambda card: card.rank)]
    bars = bars_of(sources, seats)
    return {"sources": sources, "bars": bars, "chart": chart_of(history), "turning_points": turnings}


def describe_act(entry: LogEntry, seat: int) -> Markup:
    return escape(entry.scoring.title) if entry.scoring else log_line(entry.line_about(seat))


def bars_of(sources: tuple[Source, ...], seats: list[int]) -> tuple[Bar, ...]:
    """Return a bar for each of the seats; none if no source gave points."""
    won = {seat: sum(max(0, source.points[seat]) for source in sources) for seat in seats}
    longest = max(won.values(), default=0)
    if not longest:
        return ()
    labelled, bars = max(MIN_LABELLED_POINTS, MIN_LABELLED_SHARE * longest), []
    for seat in seats:
        points = [(number, source.name, source.points[seat]) for number, source in enumerate(sources)]
        pieces = tuple((*piece, piece[2] >= labelled) for piece in points if piece[2] > 0)
        total, share = sum(gain for _, _, gain in points), round(100 * won[seat] / longest, 1)
        bars.append(Bar(seat, total, share, pieces, total - won[seat]))
    return tuple(bars)


def turning_points(history: History) -> list[TurningPoint]:
    """Return up to MAX_TURNING_POINTS actions that changed the gap between seats most, in order of play.

    With a single seat, the change of its points counts.
    """
    found = []
    for number, (before, after) in enumerate(pairwise(history.scores), 1):
        gains = [now - then for then, now in zip(before, after, strict=True)]
        gap = max(gains) - (min(gains) if len(gains) > 1 else 0)
        if gap >= MIN_TURNING_GAP and max(gains) > 0:
            found.append((gap, TurningPoint(number, gains.index(max(gains)), max(gains), Markup())))
    largest = sorted(found, key=lambda one: -one[0])[:MAX_TURNING_POINTS]
    return sorted(turning for _, turning in largest)


def chart_of(history: History) -> Chart | None:
    """Return the points of a play as curves; None if no seat ever had points."""
    if not any(map(any, history.scores)):
        return None
    by_turn = dict(zip(history.turns, history.scores, strict=True))
    unit, rows = ("turns", [*by_turn.values()]) if len(by_turn) > MAX_TURNING_POINTS else ("moves", [*history.scores])
    high, low = max(map(max, rows)), min(0, *map(min, rows))
    span = max(1, high - low)
    width = max(1, len(rows) - 1)

    def x(number: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * number / width, 1)

    def y(points: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (points - low) / span, 1)

    ends = spread([y(total) for total in rows[-1]])
    curves = []
    for seat, total in enumerate(rows[-1]):
        line = [(x(number), y(scores[seat])) for number, scores in enumerate(rows)]
        stride = max(1, len(rows) // SYMBOLS_PER_CURVE)
        first = stride * (seat + 1) // (len(rows[-1]) + 1)
        path = "M" + "L".join(f"{along} {up}" for along, up in line)
        curves.append(Curve(seat, path, tuple(line[first::stride]), ends[seat], total))
    up = tuple((y(value), value) for value in ticks(low, high))
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
