"""A scoring as a table: a row for each seat, a column for each source of points."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ...core.optional import Column, Scoring
from ...play.play import Observation


class Cell(NamedTuple):
    """What a seat got from one source."""

    points: int
    note: str  # what for, in a few words
    most: bool  # did it get points, nobody more, and somebody less?


class Row(NamedTuple):
    """What a scoring brought to a seat."""

    seat: int
    cells: tuple[Cell, ...]
    was: int  # points before
    total: int  # points after
    rank: int
    climbed: int  # by how many places it rose; fewer than 0 if it fell, and 0 if nobody was ahead of anybody

    @property
    def scored(self) -> int:
        """What it got in all."""
        return self.total - self.was


@dataclass(frozen=True, eq=False)
class Sheet:
    """A scoring as its reader saw it, the best seat first."""

    seen: int  # how much of the play the reader had seen then, which names it in addresses
    title: str
    rule: str  # the mark of the paragraph
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @property
    def on_board(self) -> bool:
        """Can the pictures show what earned the points?"""
        return any(column.targets for column in self.columns)


def sheet_of(seen: int, scoring: Scoring, before: Observation, after: Observation) -> Sheet:
    """A scoring that happened between two observations of the same reader."""
    was, total = (view.score_table()[:, 0].tolist() for view in (before, after))
    ranks, ranks_before = after.ranks(), before.ranks()
    if len(set(ranks_before)) == 1:
        ranks_before = ranks
    rows = [
        Row(seat, cells, was[seat], total[seat], ranks[seat], ranks_before[seat] - ranks[seat])
        for seat, cells in enumerate(cells_of(scoring, len(ranks)))
    ]
    rows.sort(key=lambda row: row.rank)
    return Sheet(seen, scoring.title, scoring.rule, scoring.columns, tuple(rows))


def cells_of(scoring: Scoring, seats: int) -> Iterator[tuple[Cell, ...]]:
    """What each seat got from each source."""
    for seat in range(seats):
        yield tuple(cell(column, seat) for column in scoring.columns)


def cell(column: Column, seat: int) -> Cell:
    """What a seat got from one source."""
    points = column.points[seat]
    most = points == max(column.points) > max(0, min(column.points))
    return Cell(points, column.notes[seat] if column.notes else "", most)
