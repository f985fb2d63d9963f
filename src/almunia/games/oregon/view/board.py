"""The picture of the board of Oregon.

In a pane that is clearly taller than wide, `view.css` makes rows of columns and columns of rows. Shapes drawn with
`upright` stay upright.
"""

from collections.abc import Iterable, Sequence

import svg

from ....core.contract import NONE, Overlay
from ....core.english import signed
from ....core.memoize import memoize
from ....core.svg import are_many, cached_drawing, canvas, clickable, group_at, label, rect, shape, veil
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
from .land import BOTTOM, HIGH, LAND, LEFT, RIGHT, TOP, WIDE, U, contour, land

Gain = tuple[int, tuple[str, ...]]  # points, and tiles and tokens by name

WIDTH, HEIGHT = RIGHT + 3, BOTTOM + 3
FRAME_INSET = 2
MAP = "map-of-oregon"  # id of what `view.css` rotates

# The small symbols of tiles and tokens on a space: path, scale, and offset from the middle.
SMALL = {
    "coal": (drawing.COAL, 1.2, (0, -6.5)),
    "gold": (drawing.GOLD, 1.15, (0, -6.5)),
    "joker": (drawing.JOKER, 0.42, (0, 1)),
    "extra": (drawing.EXTRA, 0.36, (1, -1)),
}


def board(spaces: tuple[int, ...], last: int) -> svg.SVG:
    """Draw the board, with a mark around the space of the last placement, if any."""
    elements: Elements = [background(), *(space(cell, piece) for cell, piece in enumerate(spaces))]
    if last != NONE:
        elements.append(newest(last))
    layers: Elements = [svg.G(id=MAP, class_=["map"], data={"frame": "0 0"}, elements=elements)]
    picture = canvas("The board", svg.ViewBoxSpec(0, 0, WIDTH, HEIGHT), layers, "oregon", "plan")
    picture.style = f"--wide:{WIDTH};--high:{HEIGHT}"
    return picture


def over_board(s: State, legal: Sequence[int]) -> list[Overlay]:
    """Return the overlays of the board: spaces to choose, and gains from placements."""
    cells = [action - SPACE for action in legal if SPACE <= action < EXTRA]
    promised = gains_of(s, cells) if s.phase == Phase.SPACE else {}
    is_veiled, best = are_many(len(cells), box.CELLS), best_spaces(promised)
    drawings: Elements = [target(cell, cell in best, is_veiled) for cell in cells]
    drawings += [promise(cell, *gain, cell in best) for cell, gain in promised.items() if any(gain) or not is_veiled]
    overlays = [Overlay("board", MAP, drawing) for drawing in drawings]
    return [Overlay("board", LAND, veil_around(tuple(cells))), *overlays] if is_veiled else overlays


def corner(cell: int) -> tuple[int, int]:
    row, column = divmod(cell, box.COLUMNS)
    return LEFT + column * U, TOP + row * U


def middle(cell: int) -> tuple[int, int]:
    x, y = corner(cell)
    return x + U // 2, y + U // 2


def hit(cell: int) -> svg.Path:
    x, y = corner(cell)
    return shape(f"M{x} {y}h{U}v{U}h-{U}z", "hit")


def outline(cell: int, inset: float, *classes: str) -> svg.Rect:
    """Draw a square along the edge of a space, smaller by `inset` on each side, with these classes."""
    x, y = corner(cell)
    side = U - 2 * inset
    return rect(x + inset, y + inset, side, side, *classes, rx=7)


# --- the printed board ------------------------------------------------------------------------------------


@cached_drawing
def background() -> Elements:
    """Draw all that is the same in every position: the symbols of pieces, the land and its edges."""
    return [drawing.pieces(), land(), *edges()]


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
        found.append(ruler(spot(column)[0], middle(column)[0], TOP - 10))
    for row in range(box.ROWS):
        found.append(ruler(str(row + 1), LEFT - 14, middle(row * box.COLUMNS)[1]))
    return found


def ruler(name: str, x: float, y: float) -> svg.G:
    return group_at(x, y, svg.Text(class_=["ruler", "upright"], text=name))


def edge(symbol: int, which: str, back: svg.Rect, x: float, y: float) -> Elements:
    name = box.SYMBOLS[symbol]
    icon = group_at(0, 0, drawing.symbol(name), scale=0.9)
    return [svg.G(class_=["edge", name], elements=[svg.Title(text=f"{name}: {which}"), back, upright(x, y, icon)])]


# --- pieces -----------------------------------------------------------------------------------------------


@cached_drawing
def space(cell: int, piece: int) -> svg.G:
    name = Terrain(box.TERRAIN[cell]).name.lower()
    elements: Elements = [svg.Title(text=f"{spot(cell)}: {name}{occupant(piece)}"), hit(cell)]
    if piece != EMPTY:
        elements.append(group_at(*middle(cell), standing(piece)))
    return svg.G(id=f"space-{cell}", elements=elements)


def occupant(piece: int) -> str:
    if piece == EMPTY:
        return ""
    return f", {BUILDINGS[piece - BUILT]}" if piece >= BUILT else f", farmer of player {piece + 1}"


@cached_drawing
def newest(cell: int) -> svg.Rect:
    return outline(cell, 1.2, "newest")


# --- choices ----------------------------------------------------------------------------------------------


@cached_drawing
def target(cell: int, is_good: bool, is_open: bool) -> svg.G:
    frame = outline(cell, FRAME_INSET, "possible", *(["open"] if is_open else []))
    return clickable(svg.G(elements=[hit(cell), frame]), SPACE + cell, is_good=is_good)


@cached_drawing
def veil_around(cells: tuple[int, ...]) -> svg.G:
    """Draw a veil over all spaces but these."""
    chosen = {divmod(cell, box.COLUMNS) for cell in cells}
    rest = {divmod(cell, box.COLUMNS) for cell in range(box.CELLS)} - chosen
    return veil(contour(rest, 0, 0), contour(chosen, 1.2, 6))


def best_spaces(promised: dict[int, Gain]) -> set[int]:
    """Return the spaces that earn the most points, if any earns points."""
    most = max((points for points, _ in promised.values()), default=0)
    return {cell for cell, (points, _) in promised.items() if points == most > 0}


def gains_of(s: State, cells: Iterable[int]) -> dict[int, Gain]:
    found = gains(s)
    return {cell: found[cell] for cell in cells}


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
            promised = gains_of(trial, open_spaces(trial))
            best = best_spaces(promised)
            elements = [
                outline(cell, FRAME_INSET, "possible", *(["good"] if cell in best else [])) for cell in promised
            ]
            elements += [promise(cell, *gain, cell in best) for cell, gain in promised.items()]
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
    drawn: Elements = [outline(cell, FRAME_INSET, "possible", "good"), group_at(*middle(cell), standing(piece))]
    if points:
        gain = group_at(0, -U * 0.52, rect(-19, -11, 38, 22, rx=11), label(signed(points)), classes=["gain"])
        drawn.append(upright(*middle(cell), gain))
    return drawn
