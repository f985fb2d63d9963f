"""The summary of a finished game: points by source, a chart of the points, and the turning points.

A finished play has no secrets, so the summary is computed from the play itself.
"""

from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from ...core.english import number
from ...core.optional import Source
from ...library import Game
from ...play.play import Play
from ..tables.log import LogEntry
from .charts import MIN_TURNS, Chart, draw_chart
from .game_times import times_of
from .table_page import TablePage
from .templating import log_line

MAX_CACHED_HISTORIES = 64  # of plays
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


def history_of_play(play: Play) -> History:
    """Return the history of a finished play that was started from a seed."""
    assert play.seed is not None
    return history_of(play.game, play.seats, play.seed, tuple(play.options.items()), tuple(play.actions))


class Bar(NamedTuple):
    """The points of a seat by source."""

    seat: int
    total: int
    share: float  # of the longest bar, in percent
    pieces: tuple[tuple[int, str, int, bool], ...]  # a source, its name and points, and whether they fit on the piece
    lost: int  # points that sources took away; at most 0


class TurningPoint(NamedTuple):
    """An action that changed the points much."""

    number: int  # of the action, from 1
    seat: int  # that gained most
    gain: int
    words: Markup  # the log's words for it


def summarize(view: TablePage) -> dict[str, Any]:
    """Return the summary of a finished game for its viewer, as template variables."""
    history = history_of_play(view.play)
    sources = tuple(source for source in view.game.text.score_breakdown(view.observation.state) if any(source.points))
    entries = {one.action_count: one for one in view.history.log_entries if not one.survives_undo}
    turnings = turning_points(history)
    for i, turning in enumerate(turnings):
        if entry := entries.get(turning.number):
            turnings[i] = turning._replace(words=describe_act(entry, turning.seat))
    seats = [card.seat for card in sorted(view.seats, key=lambda card: card.rank)]
    bars = bars_of(sources, seats)
    return {
        "sources": sources,
        "bars": bars,
        "chart": chart_of(history),
        "times": times_of(history.turns, len(seats), view.move_times),
        "turning_points": turnings,
    }


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
        points = [(i, source.name, source.points[seat]) for i, source in enumerate(sources)]
        pieces = tuple((*piece, piece[2] >= labelled) for piece in points if piece[2] > 0)
        total, share = sum(gain for _, _, gain in points), round(100 * won[seat] / longest, 1)
        bars.append(Bar(seat, total, share, pieces, total - won[seat]))
    return tuple(bars)


def turning_points(history: History) -> list[TurningPoint]:
    """Return up to MAX_TURNING_POINTS actions that changed the gap between seats most, in order of play.

    With a single seat, the change of its points counts.
    """
    found = []
    for count, (before, after) in enumerate(pairwise(history.scores), 1):
        gains = [now - then for then, now in zip(before, after, strict=True)]
        gap = max(gains) - (min(gains) if len(gains) > 1 else 0)
        if gap >= MIN_TURNING_GAP and max(gains) > 0:
            found.append((gap, TurningPoint(count, gains.index(max(gains)), max(gains), Markup())))
    largest = sorted(found, key=lambda one: -one[0])[:MAX_TURNING_POINTS]
    return sorted(turning for _, turning in largest)


def chart_of(history: History) -> Chart | None:
    """Return the points of a play as curves; None if no seat ever had points."""
    if not any(map(any, history.scores)):
        return None
    by_turn = dict(zip(history.turns, history.scores, strict=True))
    unit, rows = ("turns", [*by_turn.values()]) if len(by_turn) >= MIN_TURNS else ("moves", [*history.scores])
    return draw_chart(unit, rows, [number(total) for total in rows[-1]])
