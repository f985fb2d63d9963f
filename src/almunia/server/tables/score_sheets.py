"""Score sheets: a row for each seat, a column for each source of points."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ...core.optional import Column, Scoring
from ...play.play import Observation


class Cell(NamedTuple):
    points: int
    note: str  # the reason, in a few words
    is_highest: bool  # whether it got points, no seat more, and another seat fewer


class Row(NamedTuple):
    seat: int
    cells: tuple[Cell, ...]
    points_before: int
    total: int  # afterwards
    rank: int
    places_gained: int  # negative after a fall; 0 if all seats were tied before

    @property
    def points_gained(self) -> int:
        return self.total - self.points_before


@dataclass(frozen=True, eq=False)
class Sheet:
    """A scoring as its viewer saw it, the best seat first."""

    version: int  # of the viewer's history, by which addresses name the sheet
    title: str
    rule: str  # the reference of the paragraph
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @property
    def is_on_board(self) -> bool:
        """Whether a column names the elements that gave its points."""
        return any(column.targets for column in self.columns)


def score_sheet(seen: int, scoring: Scoring, before: Observation, after: Observation) -> Sheet:
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
    for seat in range(seats):
        yield tuple(cell_of(column, seat) for column in scoring.columns)


def cell_of(column: Column, seat: int) -> Cell:
    points = column.points[seat]
    most = points == max(column.points) > max(0, min(column.points))
    return Cell(points, column.notes[seat] if column.notes else "", most)
