"""The picture of the board of Oregon.

In a pane that is clearly taller than wide, `view.css` makes rows of columns and columns of rows. Shapes drawn with
`upright` stay upright.
"""

from collections.abc import Iterable, Sequence

import svg

from ....core.contract import NONE, Overlay
from ....core.english import signed
from ....core.memoize import memoize
from ....core.svg import cached_drawing, canvas, clickable, group_at, label, rect, shape
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import BUILT, EMPTY, LANDS, Terrain
from ..rules.phases import chosen_row
from ..rules.state import EXTRA, SPACE, Phase
from ..text.log import tiles_taken, tokens_turned
from ..text.prospects import after_placing, open_spaces, spaces_beside
from ..text.words import BUILDINGS, SORTS, earned, spot
from . import drawing
from .drawing import Elements, pill, promise_classes, standing, upright

Gain = tuple[int, tuple[str, ...]]  # points, and tiles and tokens by name

U = 44  # the size of a space
LEFT, TOP = 58, 53  # the top left corner of the spaces; symbols and names of rows and columns lie outside
WIDTH, HEIGHT = LEFT + box.COLUMNS * U + 3, TOP + box.ROWS * U + 3
MAP = "map-of-oregon"  # id of what `view.css` rotates
WIDE, HIGH = box.AREA_WIDTH * U, box.AREA_HEIGHT * U  # an area

# The small symbols of tiles and tokens on a space: path, scale, and offset from the middle.
SMALL = {
    "coal": (drawing.COAL, 1.2, (0, -6.5)),
    "gold": (drawing.GOLD, 1.15, (0, -6.5)),
    "joker": (drawing.JOKER, 0.42, (0, 1)),
    "extra": (drawing.EXTRA, 0.36, (1, -1)),
}


def board(spaces: tuple[int, ...], last: int) -> svg.SVG:
    """Draw the board, with a mark around the space of the last placement, if any."""
    elements: Elements = [edges(), *(space(cell, piece) for cell, piece in enumerate(spaces)), areas()]
    if last != NONE:
        elements.append(newest(last))
    layers: Elements = [grounds(), svg.G(id=MAP, class_=["map"], data={"frame": "0 0"}, elements=elements)]
    picture = canvas("The board", svg.ViewBoxSpec(0, 0, WIDTH, HEIGHT), layers, "oregon", "plan")
    picture.style = f"--wide:{WIDTH};--high:{HEIGHT}"
    return picture


def over_board(s: State, legal: Sequence[int]) -> list[Overlay]:
    """Return the overlays of the board: spaces to choose, and gains from placements."""
    open_to = [action - SPACE for action in legal if SPACE <= action < EXTRA]
    drawings: Elements = [target(cell) for cell in open_to]
    if s.phase == Phase.SPACE:
        drawings += promises(s, open_to)
    return [Overlay("board", MAP, drawing) for drawing in drawings]


def middle(cell: int) -> tuple[float, float]:
    row, column = divmod(cell, box.COLUMNS)
    return LEFT + (column + 0.5) * U, TOP + (row + 0.5) * U


def outline(cell: int, inset: float, name: str) -> svg.Rect:
    """Draw a square along the edge of a space, smaller by `inset` on each side, with a CSS class."""
    x, y = middle(cell)
    side = U - 2 * inset
    return svg.Rect(class_=[name], x=x - U / 2 + inset, y=y - U / 2 + inset, width=side, height=side)


# --- the printed board ------------------------------------------------------------------------------------


@cached_drawing
def edges() -> Elements:
    """Draw the symbols along the top and the left, and the names of columns and rows [1.1, D24]."""
    found: Elements = []
    for i, symbol in enumerate(box.TOP):
        x, first = LEFT + i * WIDE, i * box.AREA_WIDTH
        which = f"columns {spot(first)[0]} to {spot(first + box.AREA_WIDTH - 1)[0]}"
        found += edge(symbol, which, rect(x + 2, 2, WIDE - 4, TOP - 5), x + WIDE / 2, 20)
    for i, symbol in enumerate(box.LEFT):
        y, first = TOP + i * HIGH, i * box.AREA_HEIGHT
        which = f"rows {first + 1} to {first + box.AREA_HEIGHT}"
        found += edge(symbol, which, rect(2, y + 2, LEFT - 5, HIGH - 4), 20, y + HIGH / 2)
    for column in range(box.COLUMNS):
        found.append(upright(middle(column)[0], TOP - 10, label(spot(column)[0], 0, 0, "ruler")))
    for row in range(box.ROWS):
        found.append(upright(LEFT - 14, middle(row * box.COLUMNS)[1], label(row + 1, 0, 0, "ruler")))
    return found


def edge(symbol: int, which: str, back: svg.Rect, x: float, y: float) -> Elements:
    name = box.SYMBOLS[symbol]
    icon = group_at(0, 0, drawing.symbol(name), scale=0.9)
    return [svg.G(class_=["edge", name], elements=[svg.Title(text=f"{name}: {which}"), back, upright(x, y, icon)])]


@cached_drawing
def grounds() -> svg.Defs:
    return svg.Defs(
        elements=[
            svg.Pattern(
                id=f"ground-{ground.name.lower()}",
                class_=["ground", ground.name.lower()],
                patternUnits="userSpaceOnUse",
                x=-U / 2,
                y=-U / 2,
                width=U,
                height=U,
                viewBox=svg.ViewBoxSpec(-U / 2, -U / 2, U, U),
                elements=[svg.Rect(x=-U / 2, y=-U / 2, width=U, height=U), upright(0, 0, shape(path))],
            )
            for ground, path in drawing.TERRAINS.items()
        ]
    )


@cached_drawing
def areas() -> Elements:
    found: Elements = []
    right, bottom = LEFT + box.COLUMNS * U, TOP + box.ROWS * U
    for x in range(LEFT, right + 1, WIDE):
        found.append(svg.Line(class_=["border"], x1=x, y1=TOP, x2=x, y2=bottom))
    for y in range(TOP, bottom + 1, HIGH):
        found.append(svg.Line(class_=["border"], x1=LEFT, y1=y, x2=right, y2=y))
    return found


# --- pieces -----------------------------------------------------------------------------------------------


@cached_drawing
def space(cell: int, piece: int) -> svg.G:
    x, y = middle(cell)
    name = Terrain(box.TERRAIN[cell]).name.lower()
    elements: Elements = [
        svg.Title(text=f"{spot(cell)}: {name}{occupant(piece)}"),
        svg.Rect(x=-U / 2, y=-U / 2, width=U, height=U, fill=f"url(#ground-{name})"),
    ]
    if piece != EMPTY:
        elements.append(upright(0, 0, standing(piece)))
    return group_at(x, y, *elements, name=f"space-{cell}", classes=["space"])


def occupant(piece: int) -> str:
    if piece == EMPTY:
        return ""
    return f", {BUILDINGS[piece - BUILT]}" if piece >= BUILT else f", farmer of player {piece + 1}"


@cached_drawing
def newest(cell: int) -> svg.Rect:
    return outline(cell, 1.5, "newest")


# --- choices ----------------------------------------------------------------------------------------------


@cached_drawing
def target(cell: int) -> svg.G:
    return clickable(svg.G(elements=[outline(cell, 0, "hit"), outline(cell, 2.5, "spot")]), SPACE + cell)


def promises(s: State, cells: Iterable[int]) -> Elements:
    found = {cell: gains(s)[cell] for cell in cells}
    most = max((points for points, _ in found.values()), default=0)
    return [promise(cell, points, signs, points == most) for cell, (points, signs) in found.items()]


@memoize(lambda s: s.to_bytes())
def gains(s: State) -> dict[int, Gain]:
    """Return the gain from the two chosen cards on each space that they open."""
    near = spaces_beside(s)
    return {cell: gain(s, cell) if cell in near else (0, ()) for cell in open_spaces(s)}


def gain(s: State, cell: int) -> Gain:
    after = after_placing(s, cell)
    signs = [SORTS[sort] for sort, count in tiles_taken(s, after, s.turn) for _ in range(count)]
    signs += [token.split()[0] for token in tokens_turned(s, after, s.turn)]
    return earned(s, after, s.turn), tuple(signs)


@cached_drawing
def promise(cell: int, points: int, signs: tuple[str, ...], most: bool) -> svg.G:
    """Draw a gain in points, tiles and tokens."""
    lines: Elements = []
    if points:
        lines += pill(points, -9 if signs else 0)
    elif not signs:
        lines += pill(0, 0)
    step = min(15, (U - 14) / max(len(signs) - 1, 1))
    for i, name in enumerate(signs):
        lines.append(small_sign(name, (i - (len(signs) - 1) / 2) * step, 11 if points else 0))
    inner = upright(*middle(cell), *lines)
    return svg.G(class_=promise_classes(points, most), elements=[inner])


def small_sign(name: str, x: float, y: float) -> svg.G:
    sign, scale, lift = SMALL[name]
    drawn = shape(sign, name if name in SORTS else "sign")
    drawn.transform = [svg.Scale(scale, scale), svg.Translate(*lift)]
    return group_at(x, y, svg.G(class_=["small-sign"], elements=[svg.Circle(class_=["back"], r=9), drawn]))


# --- ghosts -----------------------------------------------------------------------------------------------


def preview(s: State, seat: int, action: int) -> svg.G:
    """Draw the preview of an action on the board. The group is empty for an action without a preview."""
    elements: Elements = []
    if action < SPACE and s.phase == Phase.SECOND:
        trial = s.copy()
        trial.chosen[1] = action
        if chosen_row(trial) != NONE:
            elements = [outline(cell, 2.5, "spot") for cell in open_spaces(trial)]
            elements += promises(trial, open_spaces(trial))
    elif action < LANDS:
        elements = bands(action)
    elif SPACE <= action < EXTRA:
        elements = [placed(s, action - SPACE)]
    return svg.G(class_=["ghost"], elements=elements)


def bands(symbol: int) -> Elements:
    x, y = LEFT + box.TOP.index(symbol) * WIDE, TOP + box.LEFT.index(symbol) * HIGH
    return [
        rect(x, TOP, WIDE, box.ROWS * U, "band", rx=4),
        rect(LEFT, y, box.COLUMNS * U, HIGH, "band", rx=4),
    ]


def placed(s: State, cell: int) -> svg.Element:
    if s.phase == Phase.START:
        return as_placed(cell, BUILT + s.seat[s.turn].start, 0)
    what, (points, _) = int(box.PLACED[chosen_row(s)]), gains(s)[cell]
    return as_placed(cell, s.turn if what == box.FARMER else BUILT + what, points)


@cached_drawing
def as_placed(cell: int, piece: int, points: int) -> Elements:
    inner: Elements = [standing(piece)]
    if points:
        inner.append(group_at(0, -U * 0.52, rect(-19, -11, 38, 22, rx=11), label(signed(points)), classes=["gain"]))
    return [outline(cell, 1, "under"), upright(*middle(cell), *inner)]
