"""The positions of pieces in the pictures of Caylus, in the pictures' units.

A wide page shows the road as the serpentine of the data, seven spaces across. On a narrow page `view.css` uses the
second position and the scale of each piece, with three spaces across.
"""

from typing import NamedTuple

from .. import components as box
from ..components import DATA, Special
from ..rules.state import CASTLE

ROWS = DATA["road"]["layout_rows"]
ACROSS = 7  # spaces on a wide page
STEP_X, STEP_Y = 142, 114  # the distance between spaces
TILE_X, TILE_Y = 136, 108  # the size of a tile
PRICED_Y = TILE_Y + 32  # the height of a tile with its price
WIDTH = ACROSS * STEP_X + 4
HEIGHT = len(ROWS) * STEP_Y + 4
NARROW_SCALE, NARROW_X, NARROW_Y = 2.3, 330, 262
NARROW_ACROSS, NARROW_PRICED = 3, 336  # tiles in a row, and the height of a tile with its price
NARROW_SPECIALS = 270  # the height of a row of special buildings
NARROW_ROAD = 3 * NARROW_SPECIALS
NARROW_HEIGHT = NARROW_ROAD + 10 * NARROW_Y
BRIDGE = CASTLE + 1  # places that exist only in the picture
ORDER = CASTLE + 2
SPECIAL_X, CASTLE_X, BRIDGE_X = 84, 98, 104  # widths


class Spot(NamedTuple):
    """The position and size of a piece on wide and narrow pages."""

    x: int
    y: int
    narrow_x: int
    narrow_y: int
    scale: float = NARROW_SCALE
    width: int = TILE_X
    stretch: float = 1  # the factor on the height on narrow pages


def style(spot: Spot) -> str:
    """Return the CSS variables with a piece's positions and scale."""
    wide, narrow = f"--x:{spot.x}px;--y:{spot.y}px", f"--nx:{spot.narrow_x}px;--ny:{spot.narrow_y}px"
    return f"{wide};{narrow};--ns:{spot.scale:g},{spot.scale * spot.stretch:.2f}"


def on_road(space: int) -> Spot:
    row = next(number for number, spaces in enumerate(ROWS) if space + 1 in spaces)
    column = ROWS[row].index(space + 1)
    narrow_row, narrow_column = divmod(space, 3)
    across = narrow_column if narrow_row % 2 == 0 else 2 - narrow_column
    return Spot(4 + column * STEP_X, 2 + row * STEP_Y, 4 + across * NARROW_X, NARROW_ROAD + narrow_row * NARROW_Y)


def before_the_bridge() -> dict[int, Spot]:
    """Return the spots of castle, special buildings and bridge, from right to left."""
    found, x = {}, WIDTH
    places = [CASTLE, *(box.ROAD + special for special in Special), BRIDGE]
    for number, place in enumerate(places):
        width = {CASTLE: CASTLE_X, BRIDGE: BRIDGE_X}.get(place, SPECIAL_X)
        x -= width
        row, column = divmod(number, 4) if number < 4 else (number // 2 - 1, number % 2)  # next to the turn order
        found[place] = Spot(x + 2, 2, 4 + column * 248, 4 + row * NARROW_SPECIALS, width=width - 4)
    return found


SPOTS = {space: on_road(space) for space in range(box.ROAD)} | before_the_bridge()
SPOTS[ORDER] = Spot(4 + 6 * STEP_X, 2 + 3 * STEP_Y, 588, 4 + NARROW_SPECIALS)


def in_grid(number: int, top: int, narrow_top: int) -> Spot:
    """Return the spot of a tile with its price in a grid: seven across, or three on narrow pages."""
    down, across = divmod(number, ACROSS)
    narrow_down, narrow_across = divmod(number, NARROW_ACROSS)
    narrow = 4 + narrow_across * NARROW_X, narrow_top + narrow_down * NARROW_PRICED
    return Spot(4 + across * STEP_X, top + down * (PRICED_Y + 6), *narrow)


def band_of_cards(count: int, space: int) -> tuple[int, int]:
    """Return the top and bottom of a number of cards, at the edge of the road farther from this space."""
    height = rows(count, ACROSS) * (PRICED_Y + 6)
    top = 4 if SPOTS[space].y > HEIGHT / 2 else HEIGHT - height - 4
    return top, top + height


def rows(tiles: int, across: int) -> int:
    return -(-tiles // across)


def way(narrow: bool) -> str:
    """Return the SVG path of the road below the tiles."""
    spots = [SPOTS[BRIDGE], *(SPOTS[space] for space in range(box.ROAD))]
    middles = [middle(spot, narrow) for spot in (spots[1:] if narrow else spots)]
    return "M" + "L".join(f"{x} {y}" for x, y in middles)


def middle(spot: Spot, narrow: bool) -> tuple[int, int]:
    if narrow:
        return round(spot.narrow_x + spot.scale * TILE_X / 2), round(spot.narrow_y + spot.scale * TILE_Y / 2)
    return spot.x + spot.width // 2, spot.y + TILE_Y // 2
