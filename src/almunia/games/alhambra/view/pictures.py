"""Alhambra as pictures: the reader's own Alhambra, the market with the hand, who has most, and everybody else's."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import svg

from ....core.contract import Panel, Part, Role
from ....core.drawing import at, canvas, clickable, label, moved, once, path, rect, shape
from ....core.plain import CheckedRecord as State
from ....core.words import signed
from .. import components as box
from ..rules import apply
from ..rules.building import exchanges, spots
from ..rules.state import ACTIONS, BUILD, EMPTY, offset
from ..text.actions import taken_apart
from ..text.words import (
    PLURALS,
    ROUNDS,
    cards_of,
    is_known,
    lying,
    members,
    next_round,
    rivalry,
    spot,
    tiles_waiting,
    worth_now,
)
from .drawing import CARD, U, longest_run, money_card, placed_tile, shapes, sign_of_kind, tile
from .majorities import MARKS, dirk, majorities
from .market import market

PARTS = (
    Part("take", "Take money"),
    Part("buy", "Buy"),
    Part("pay", "Pay"),
    Part("fetch", "Bring in from the reserve"),
    Part("remove", "Move to the reserve"),
    Part("pick", "Position"),
    Part("build", "Build"),
    Part("reserve", "Reserve board"),
    Part("give", "Dirk"),
    Part("on", "Go on"),
)

ROOM = 1  # cells around the reader's own Alhambra, where tiles may still come to lie
CLOSE = 0.3  # as little as looks well around the others
LEAST = (5, 5)  # rows and columns of that picture at least
TALLY = 88  # the height of the counts above it
BADGES = box.KINDS + 2  # the kinds, the wall, and all together
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))  # where each side begins, clockwise, from a cell's top left


class Frame(NamedTuple):
    """The cells that are shown, counted from the fountain."""

    top: float
    left: float
    rows: float
    columns: float


def panels(s: State, seat: int, legal: Sequence[int]) -> list[Panel]:
    """The reader's own Alhambra, market and hand, who has most, and the Alhambras of the others."""
    own = max(seat, 0)
    found = [
        Panel("alhambra", f"Alhambra {own + 1}", own_alhambra(s, own, legal), role=Role.BOARD, seat=own),
        Panel("market", "Market and money", market(s, seat, legal), Role.OFFER),
        Panel("majorities", "Who has most", majorities(s), Role.TALLY),
    ]
    if s.seats == 2:
        found.append(Panel("dirk", "Dirk", dirk(s), Role.TALLY))
    others = ((own + i) % s.seats for i in range(1, s.seats))
    return found + [
        Panel(f"alhambra-{p}", f"Alhambra {p + 1}", other_alhambra(s, p, seat), Role.RIVAL, p) for p in others
    ]


# --- Alhambras -------------------------------------------------------------------------------------


def own_alhambra(s: State, own: int, legal: Sequence[int]) -> svg.SVG:
    """The reader's Alhambra with what may be done in it, its counts to the left, its reserve to the right."""
    shown = frame(s, s.seat[own], ROOM, LEAST)
    places = slots(s, own, shown, 0.9)
    width = picture_width(shown, places)
    elements = [
        shapes(),
        rulers(shown),
        *tally(s, own, shown, width / BADGES),
        *buildings(s, own),
        *side_board(s, own, shown, places, 0.9),
        *targets(s, legal, places),
    ]
    return canvas(
        f"Alhambra {own + 1}",
        svg.ViewBoxSpec(shown.left * U, shown.top * U - TALLY, width, shown.rows * U + TALLY),
        elements,
        "alhambra",
        "own",
        clickable=bool(legal),
    )


def picture_width(shown: Frame, places: dict[int, tuple[float, float, bool]]) -> int:
    """The width of the reader's picture: the cells, and what lies beside them."""
    right = max((x for x, _, _ in places.values()), default=shown_right(shown) + 14) + U - 4
    return round(right - shown.left * U)


def other_alhambra(s: State, p: int, reader: int) -> svg.SVG:
    """Somebody else's Alhambra, its reserve, and its hand where that is known."""
    shown = frame(s, s.seat[p], CLOSE, (2, 3))
    places = slots(s, p, shown, 0.6)
    right = max((x + 64 for x, _, _ in places.values()), default=shown_right(shown)) - shown.left * U
    held = cards_of(s.seat[p]) if is_known(s, p, reader) else []
    below = (CARD[1] + 14) if held else 0
    step = min(CARD[0] + 4, (right - CARD[0]) / max(1, len(held) - 1))
    hand = [money_card(card, shown.left * U + step * i, shown_bottom(shown) + 8) for i, card in enumerate(held)]
    return canvas(
        f"Alhambra {p + 1}",
        svg.ViewBoxSpec(shown.left * U, shown.top * U, round(right + 6), round(shown.rows * U + below)),
        [*buildings(s, p), *side_board(s, p, shown, places, 0.6), *hand],
        "alhambra",
    )


def frame(s: State, me: State, margin: float, least: tuple[int, int]) -> Frame:
    """The part of the ground that is shown: what is built, and a margin."""
    spans = []
    for cells, fewest in zip(zip(*map(place_of, (cell for cell, _ in lying(s, me))), strict=True), least, strict=True):
        length = max(cells) - min(cells) + 1 + 2 * margin
        extra = max(0, fewest - length)
        spans.append((min(cells) - margin - extra / 2, length + extra))
    (top, rows), (left, columns) = spans
    return Frame(top, left, rows, columns)


def place_of(cell: int) -> tuple[int, int]:
    """Row and column of a cell, counted from the fountain."""
    row, column = divmod(cell, box.SIDE)
    return offset(row), offset(column)


def corner(cell: int) -> tuple[int, int]:
    """Where the top left corner of a cell is drawn."""
    row, column = place_of(cell)
    return column * U, row * U


def shown_right(shown: Frame) -> float:
    """The right edge of what is shown."""
    return (shown.left + shown.columns) * U


def shown_bottom(shown: Frame) -> float:
    """The bottom edge of what is shown."""
    return (shown.top + shown.rows) * U


@once
def rulers(shown: Frame) -> list[svg.Element]:
    """How far rows and columns are from the fountain, as words name places."""
    top, left = shown.top * U, shown.left * U
    found: list[svg.Element] = []
    for column in range(round(shown.left + 0.49), round(shown.left + shown.columns - 0.49)):
        name = spot(column % box.SIDE) if column else "0"
        found.append(label(name, (column + 0.5) * U, top + 22, "ruler"))
    for row in range(round(shown.top + 0.49), round(shown.top + shown.rows - 0.49)):
        name = spot(row % box.SIDE * box.SIDE) if row else "0"
        found.append(label(name, left + 22, (row + 0.5) * U + 6, "ruler"))
    return found


def buildings(s: State, p: int) -> Iterator[svg.Element]:
    """The tiles of an Alhambra, its longest wall, and its cells as log lines name them."""
    me = s.seat[p]
    (home, _), *tiles = lying(s, me)
    yield fountain(p, home)
    yield from (placed_tile(number, *corner(cell)) for cell, number in tiles)
    yield from (named_cell(p, cell) for cell, _ in tiles)
    yield wall_line(longest_run(me), "longest", f"wall-{p}")


@once
def fountain(p: int, cell: int) -> svg.G:
    """The fountain with the mark of its player."""
    piece = tile(box.FOUNTAIN)
    mark = label(MARKS[p], U - 17, U - 10, "mark", f"of-{p}")
    piece.style, piece.elements = moved(*corner(cell)), [*(piece.elements or []), mark]
    return piece


@once
def named_cell(p: int, cell: int) -> svg.Rect:
    """A cell that log lines light up."""
    x, y = corner(cell)
    return svg.Rect(class_=["cell"], id=f"cell-{p}-{cell}", x=x + 2, y=y + 2, width=U - 4, height=U - 4, rx=4)


@once
def wall_line(sides: tuple[tuple[int, int], ...], classes: str, name: str | None = None) -> svg.G:
    """A line along the longest wall, with its length to be read on hover."""
    points = ""
    for i, (cell, side) in enumerate(sides):
        x, y = corner(cell)
        corners = [(x + right * U, y + down * U) for right, down in (CORNERS[side], CORNERS[(side + 1) % box.SIDES])]
        points += "".join(f"{'L' if i or j else 'M'}{px} {py}" for j, (px, py) in enumerate(corners))
    elements: list[svg.Element] = [svg.Title(text=f"Longest wall: {len(sides)}")]
    if points:
        elements += [shape(points, "casing"), shape(points, "line")]
    return svg.G(id=name, class_=[classes], elements=elements)


# --- reserve, and tiles to position ------------------------------------------------------------------


def slots(s: State, p: int, shown: Frame, scale: float) -> dict[int, tuple[float, float, bool]]:
    """Where the tiles beside an Alhambra lie: those to position first, then the reserve."""
    waiting = tiles_waiting(s, p)
    step = U * scale + 8
    in_column = max(1, int((shown.rows * U - 30) // step))
    found = {}
    for i, number in enumerate([*waiting, *members(s.seat[p].reserve)]):
        column, row = divmod(i, in_column)
        found[number] = (shown_right(shown) + 14 + step * column, shown.top * U + 30 + step * row, number in waiting)
    return found


def side_board(
    s: State, p: int, shown: Frame, places: dict[int, tuple[float, float, bool]], scale: float
) -> Iterator[svg.Element]:
    """The reserve board beside an Alhambra, with bought tiles that are to be positioned."""
    x, y = shown_right(shown) + 14, shown.top * U + 20
    if places or scale > 0.8:
        yield label("To place" if any(w for _, _, w in places.values()) else "Reserve", x, y, "label")
    if not places and scale > 0.8:
        yield rect(x, y + 10, U * scale, U * scale, "vacant")
    for number, (left, top, waiting) in places.items():
        yield placed_tile(number, left, top, scale)
        if waiting:
            meant = ["meant"] if number == s.tile else []
            edge = U * scale + 4
            yield rect(left - 2, top - 2, edge, edge, "waiting", *meant, rx=6)


# --- counts ------------------------------------------------------------------------------------------


def tally(s: State, own: int, shown: Frame, step: float) -> Iterator[svg.Element]:
    """What the reader has of each kind, its longest wall, and what that would earn in the next round."""
    for kind, numbers in enumerate(rivalry(s)):
        yield count_badge(shown, step, kind, *numbers[own])
    yield from sums(s, own, shown, step)


def sums(s: State, own: int, shown: Frame, step: float) -> Iterator[svg.Element]:
    """The longest wall, and what all would earn together."""
    found, wall = worth_now(s, own)
    yield wall_badge(wall, shown, step)
    yield sum_badge(found + wall, next_round(s), bool(s.over), shown, step)


@once
def count_badge(shown: Frame, step: float, kind: int, number: int, gain: int) -> svg.G:
    """A kind with its number and its points."""
    picture = sign_of_kind(kind, step / 2 - 16, 28, 0.58)
    return badge(shown, step, kind, f"{PLURALS[kind]}: {number}", [picture, *numbers(step, number, gain)])


@once
def wall_badge(length: int, shown: Frame, step: float) -> svg.G:
    """How long the longest wall is."""
    battlements = "M-20 14V-12H-13V-6H-7V-12H0V-6H6V-12H13V-6H20V14Z"
    picture = svg.Path(class_=["little-wall"], d=path(battlements), transform=[svg.Translate(step / 2 - 18, 26)])
    found = badge(shown, step, box.KINDS, f"longest wall: {length}", [picture, *numbers(step, length, length)])
    found.class_ = ["badge", "of-wall"]
    return found


@once
def sum_badge(total: int, held: int, over: bool, shown: Frame, step: float) -> svg.G:
    """What all would earn together, and in which round."""
    heading = f"{ROUNDS[held - 1]} round" + ("" if over else " now")
    lines: list[svg.Element] = [
        label(ROUNDS[held - 1], step / 2 - 3, 20, "name"),
        label("round" if over else "now", step / 2 - 3, 38, "name"),
        label(f"+{total}", step / 2 - 3, 70, "total"),
    ]
    return badge(shown, step, box.KINDS + 1, heading, lines)


def numbers(step: float, number: int, gain: int) -> list[svg.Element]:
    """A count, and the points for it."""
    classes = ["number"] if number else ["number", "none"]
    return [
        label(number, step / 2 + 18, 38, *classes),
        label(f"+{gain}" if gain else "", step / 2 - 3, 71, "gain"),
    ]


def badge(shown: Frame, step: float, place: int, title: str, elements: list[svg.Element]) -> svg.G:
    """One of the counts in the row above the Alhambra."""
    back = rect(0, 0, step - 6, TALLY - 10, "back", rx=9)
    x, y = shown.left * U + 3 + step * place, shown.top * U - TALLY + 2
    return at(x, y, svg.Title(text=title), back, *elements, classes=["badge"])


# --- what may be chosen ------------------------------------------------------------------------------


def targets(s: State, legal: Sequence[int], places: dict[int, tuple[float, float, bool]]) -> Iterator[svg.Element]:
    """Cells where a tile may go, tiles that may be taken away, and tiles beside that may be chosen."""
    for action in legal:
        kind, thing = taken_apart(s, action)
        if kind == "build":
            taken = s.seat[s.turn].grid[thing] != EMPTY
            yield target(*corner(thing), U, action, "swap" if taken else "spot")
        elif kind == "remove":
            yield target(*corner(s.cell[thing]), U, action, "quiet")
        elif kind in ("fetch", "pick"):
            left, top, _ = places[thing]
            yield target(left, top, 0.9 * U, action, "quiet" if kind == "fetch" else "spot")


@once
def target(x: float, y: float, side: float, action: int, kind: str) -> svg.Rect:
    """A square that may be clicked."""
    return clickable(rect(x + 5, y + 5, side - 10, side - 10, kind, rx=9), action)


def ghost(s: State, seat: int, action: int) -> svg.G:
    """What an action would change in the reader's own Alhambra, or where the tile chosen would fit."""
    kind, thing = taken_apart(s, action)
    own = s.seat[s.turn]
    if kind in ("build", "remove"):
        return changed(s, action)
    elements: list[svg.Element] = []
    if kind in ("buy", "fetch", "pick"):
        out = [0] * ACTIONS
        n = spots(s, own, thing, BUILD, out)
        n = exchanges(s, own, thing, BUILD, n, out) if kind == "fetch" else n
        for place in out[:n]:
            x, y = corner(place - BUILD)
            elements.append(rect(x + 8, y + 8, U - 16, U - 16, "could", rx=9))
    return svg.G(class_=["ghost"], elements=elements)


def changed(s: State, action: int) -> svg.G:
    """The tile as it would lie, the longest wall as it would run, and the counts that would change."""
    p, shown = s.turn, frame(s, s.seat[s.turn], ROOM, LEAST)
    step = picture_width(shown, slots(s, p, shown, 0.9)) / BADGES
    kind, thing = taken_apart(s, action)
    trial = s.copy()
    apply(trial, action)
    elements: list[svg.Element] = []
    cell = thing if kind == "build" else s.cell[thing]
    if kind == "build":
        elements.append(placed_tile(s.tile, *corner(cell), named=False))
    elements.append(wall_line(longest_run(trial.seat[p]), "longest trial"))
    x, y = corner(cell)
    elements.append(rect(x + 2, y + 2, U - 4, U - 4, "edge", rx=6))
    for line, (before, after) in enumerate(zip(rivalry(s), rivalry(trial), strict=True)):
        if before[p] != after[p]:
            elements.append(count_badge(shown, step, line, *after[p]))
    if worth_now(s, p) != worth_now(trial, p):
        elements += sums(trial, p, shown, step)
        elements.append(gain_label(x, y, sum(worth_now(trial, p)) - sum(worth_now(s, p))))
    return svg.G(class_=["ghost"], elements=elements)


def gain_label(x: float, y: float, gain: int) -> svg.G:
    """The points that would be gained or lost if they were counted now."""
    return at(x + U / 2, y + 16, rect(-32, -16, 64, 30, rx=15), label(signed(gain), y=6), classes=["sum"])
