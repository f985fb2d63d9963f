"""The pictures of Alhambras, with choices and previews."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import svg

from ....core.english import signed
from ....core.svg import cached_drawing, canvas, clickable, group_at, label, rect, shape, translate_style
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules import apply
from ..rules.state import EMPTY, offset
from ..text.actions import decode
from ..text.prospects import cells_for, changed as weighed
from ..text.words import lying, worth_now
from .drawing import U, longest_run, placed_tile, promise, seat_mark, shapes, tile

ROOM = 1  # margin in cells around the reader's own Alhambra, where the next tile may go
CLOSE = 0.2  # margin in cells around the other Alhambras
LEAST, LEAST_OF_OTHERS = (3, 4), (2, 3)  # minimum numbers of rows and columns to show
BESIDE = 0.6  # the scale of tiles next to an Alhambra
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))  # the start of each side, clockwise, from a cell's top left


Tiles = tuple[tuple[int, int], ...]  # cell and number of each tile, the fountain first
Wall = tuple[tuple[int, int], ...]  # cell and side of each side, in order


class Frame(NamedTuple):
    """The area to show, in cells relative to the fountain."""

    top: float
    left: float
    rows: float
    columns: float


def built_by(s: State, p: int) -> tuple[int, Tiles, Wall]:
    return p, tuple(lying(s, s.seat[p])), longest_run(s.seat[p])


def own_alhambra(p: int, tiles: Tiles, wall: Wall) -> svg.SVG:
    shown = frame(tiles, ROOM, LEAST)
    return canvas(name_of(p), view_box(shown), [shapes(), *buildings(p, tiles, wall, 1.3)], "alhambra", "own")


def other_alhambra(p: int, tiles: Tiles, wall: Wall, waiting: tuple[int, ...], reserve: tuple[int, ...]) -> svg.SVG:
    shown = frame(tiles, CLOSE, LEAST_OF_OTHERS)
    beside = [*side_board(waiting, reserve, shown)]
    columns = 1 + (len(beside) - 1) // in_column(shown) if beside else 0
    elements = [*buildings(p, tiles, wall, 2.2), *beside]
    return canvas(name_of(p), view_box(shown, columns * (BESIDE * U + 8)), elements, "alhambra")


def name_of(p: int) -> str:
    return f"Alhambra {p + 1}"


def frame(tiles: Tiles, margin: float, least: tuple[int, int]) -> Frame:
    """Return the area to show: the placed tiles with a margin, extended to at least `least` rows and columns."""
    spans = []
    places = (place_of(cell) for cell, _ in tiles)
    for cells, fewest in zip(zip(*places, strict=True), least, strict=True):
        length = max(cells) - min(cells) + 1 + 2 * margin
        extra = max(0, fewest - length)
        spans.append((min(cells) - margin - extra / 2, length + extra))
    (top, rows), (left, columns) = spans
    return Frame(top, left, rows, columns)


def view_box(shown: Frame, beside: float = 0) -> svg.ViewBoxSpec:
    """Return a frame in the units of the picture, with `beside` units of additional width on the right."""
    return svg.ViewBoxSpec(
        round(shown.left * U), round(shown.top * U), round(shown.columns * U + beside), round(shown.rows * U)
    )


def place_of(cell: int) -> tuple[int, int]:
    row, column = divmod(cell, box.SIDE)
    return offset(row), offset(column)


def corner(cell: int) -> tuple[int, int]:
    row, column = place_of(cell)
    return column * U, row * U


def buildings(p: int, tiles: Tiles, wall: Wall, mark_scale: float) -> Iterator[svg.Element]:
    (home, _), *others = tiles
    yield fountain(p, home, mark_scale)
    yield from (placed_tile(number, *corner(cell)) for cell, number in others)
    yield from (named_cell(p, cell) for cell, _ in others)
    yield wall_line(wall, "longest", f"wall-{p}")


@cached_drawing
def fountain(p: int, cell: int, mark_scale: float) -> svg.G:
    piece = tile(box.FOUNTAIN)
    far = U - 12 * mark_scale
    piece.style, piece.elements = (
        translate_style(*corner(cell)),
        [*(piece.elements or []), seat_mark(p, far, far, mark_scale)],
    )
    return piece


@cached_drawing
def named_cell(p: int, cell: int) -> svg.Rect:
    x, y = corner(cell)
    return svg.Rect(class_=["cell"], id=f"cell-{p}-{cell}", x=x + 2, y=y + 2, width=U - 4, height=U - 4, rx=4)


@cached_drawing
def wall_line(sides: tuple[tuple[int, int], ...], classes: str, name: str | None = None) -> svg.G:
    """Draw a line along the sides of a wall, with the length in the title."""
    points = ""
    for i, (cell, side) in enumerate(sides):
        x, y = corner(cell)
        corners = [(x + right * U, y + down * U) for right, down in (CORNERS[side], CORNERS[(side + 1) % box.SIDES])]
        points += "".join(f"{'L' if i or j else 'M'}{px} {py}" for j, (px, py) in enumerate(corners))
    elements: list[svg.Element] = [svg.Title(text=f"Longest wall: {len(sides)}")]
    if points:
        elements += [shape(points, "casing"), shape(points, "line")]
    return svg.G(id=name, class_=[classes], elements=elements)


def side_board(waiting: tuple[int, ...], reserve: tuple[int, ...], shown: Frame) -> Iterator[svg.Element]:
    step = U * BESIDE + 8
    for i, number in enumerate([*waiting, *reserve]):
        column, row = divmod(i, in_column(shown))
        yield tile_beside(
            number,
            (shown.left + shown.columns) * U + step * column,
            (shown.top + CLOSE) * U + step * row,
            BESIDE,
            "waiting" if number in waiting else "kept",
        )


def in_column(shown: Frame) -> int:
    return max(1, int((shown.rows - CLOSE) * U // (U * BESIDE + 8)))


@cached_drawing
def tile_beside(
    number: int, x: float, y: float, scale: float, *classes: str, priced: bool = False
) -> list[svg.Element]:
    edge = U * scale + 4
    return [placed_tile(number, x, y, scale, priced=priced), rect(x - 2, y - 2, edge, edge, *classes, rx=6)]


# --- what may be chosen ------------------------------------------------------------------------------


def targets(s: State, legal: Sequence[int]) -> Iterator[svg.Element]:
    """Draw the cells where a tile can go, with the points gained, and the tiles that may be removed.

    What a removal costs is drawn with its preview, so that tiles stay clear while other choices are weighed.
    """
    places = [decode(s, action) for action in legal]
    cells = {cell: weighed(s, s.tile, cell) for kind, cell in places if kind == "build"}
    most = max((prospect.points for prospect in cells.values()), default=0)
    for action, (kind, thing) in zip(legal, places, strict=True):
        if kind == "build":
            x, y = corner(thing)
            taken = s.seat[s.turn].grid[thing] != EMPTY
            yield target(x, y, U, action, "swap" if taken else "spot")
            points, sides = cells[thing]
            yield promise(x + U / 2, y + U * 0.4, points, points == most, wall=sides)
        elif kind == "remove":
            x, y = corner(s.cell[thing])
            yield target(x, y, U, action, "quiet")


@cached_drawing
def target(x: float, y: float, side: float, action: int, kind: str) -> svg.Rect:
    """Draw a clickable square on a cell or a tile, with the CSS class `kind`."""
    return clickable(rect(x + 5, y + 5, side - 10, side - 10, kind, rx=9), action)


def preview(s: State, seat: int, action: int) -> svg.G:
    """Draw the effect of building or removing a tile, or the cells for a chosen tile, or an empty group."""
    kind, thing = decode(s, action)
    if kind in ("build", "remove"):
        return changed(s, action)
    elements: list[svg.Element] = []
    if kind in ("buy", "fetch", "pick"):
        for cell in cells_for(s, thing, exchanged=kind == "fetch"):
            x, y = corner(cell)
            elements.append(rect(x + 8, y + 8, U - 16, U - 16, "could", rx=9))
            points, sides = weighed(s, thing, cell)
            elements.append(promise(x + U / 2, y + U * 0.4, points, best=False, wall=sides))
    return svg.G(class_=["ghost"], elements=elements)


def changed(s: State, action: int) -> svg.G:
    p = s.turn
    kind, thing = decode(s, action)
    trial = s.copy()
    apply(trial, action)
    elements: list[svg.Element] = []
    cell = thing if kind == "build" else s.cell[thing]
    if kind == "build":
        elements.append(placed_tile(s.tile, *corner(cell), named=False))
    elements.append(wall_line(longest_run(trial.seat[p]), "longest trial"))
    x, y = corner(cell)
    elements.append(rect(x + 2, y + 2, U - 4, U - 4, "edge", rx=6))
    if worth_now(s, p) != worth_now(trial, p):
        elements.append(gain_label(x, y, sum(worth_now(trial, p)) - sum(worth_now(s, p))))
    return svg.G(class_=["ghost"], elements=elements)


def gain_label(x: float, y: float, gain: int) -> svg.G:
    return group_at(x + U / 2, y + 20, rect(-36, -20, 72, 40, rx=20), label(signed(gain), y=10), classes=["sum"])
