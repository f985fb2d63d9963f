"""The positions of pieces in the pictures of Caylus, in the pictures' units.

Castle, favours and special buildings lie before the bridge. The road follows in four rows of seven spaces, the first
row from right to left.
"""

from itertools import accumulate
from typing import NamedTuple

from .. import components as box
from ..components import Special
from ..rules.state import CASTLE

WIDTH, HEIGHT = 1000, 684
ACROSS = 7  # spaces in a row
STEP_X, STEP_Y = 131.4, 108  # the distance between spaces
LEFT, TOP = 42, 246  # the corner of the first row
TILE_X, TILE_Y = 127, 82  # the size of a tile
STRIP = 95  # from the top of a tile down to the middle of its road
SPECIAL_TOP, SPECIAL_Y = 103, 88  # the top and the height of the special buildings
SPECIAL_WIDTHS = (74, 84, 104, 86, 82, 70)  # by special building
BRIDGE_AT, BRIDGE_STEP = (859, 205), 24  # the first stone of the bridge, and the distance between stones
FAVOURS_AT = (381, 7)  # the first cell of the favours
LINE_X, LINE_Y = 237, 45  # the distance between lines of favours
CELL_X = 46.4  # the distance between columns
LINE_WIDTH = 4 * CELL_X + 44.4
BRIDGE = CASTLE + 1  # places that exist only in the picture
ORDER = CASTLE + 2
PRICED_Y = 107  # the height of a tile with its price
PRICED_ACROSS = 3  # tiles with a price in a row of the panel of buildings, and seven where it is a sheet
PRICED_STEP_X, PRICED_STEP_Y = 133, 115
CARD_STEP_Y = 111  # the distance between rows of cards over the road
SHEET_SCALE = round(PRICED_ACROSS / ACROSS, 3)


class Spot(NamedTuple):
    """The position and size of a piece."""

    x: float
    y: float
    width: float = TILE_X
    height: float = TILE_Y

    def covers(self, x: float, y: float) -> bool:
        return self.x <= x <= self.x + self.width and self.y <= y <= self.y + self.height


def on_road(space: int) -> Spot:
    row, column = divmod(space, ACROSS)
    return Spot(round(LEFT + STEP_X * (column if row % 2 else ACROSS - 1 - column)), TOP + STEP_Y * row)


def special_spots() -> dict[int, Spot]:
    starts = accumulate((width + 3 for width in SPECIAL_WIDTHS), initial=352)
    sizes = zip(Special, starts, SPECIAL_WIDTHS, strict=False)
    return {box.ROAD + special: Spot(x, SPECIAL_TOP, width, SPECIAL_Y) for special, x, width in sizes}


SPOTS = {space: on_road(space) for space in range(box.ROAD)} | special_spots()
SPOTS |= {CASTLE: Spot(16, 180, 302, 42), BRIDGE: Spot(844, 183, 126, 44), ORDER: Spot(941, 4, 58, 164)}
SECTION_SPOTS = (Spot(2, 134, 348, 44), Spot(2, 88, 348, 46), Spot(2, 2, 348, 86))  # by section of the castle


def line_spot(line: int) -> Spot:
    """Return the spot of a line of favours: two by two, prestige and deniers above."""
    down, across = divmod(line, 2)
    return Spot(FAVOURS_AT[0] + LINE_X * across, FAVOURS_AT[1] + LINE_Y * down, LINE_WIDTH, 44)


def in_panel(number: int) -> tuple[Spot, Spot]:
    """Return the spots of a tile in the panel of buildings: three across, and seven across in a sheet."""
    down, across = divmod(number, PRICED_ACROSS)
    beside = Spot(3 + across * PRICED_STEP_X, 3 + down * PRICED_STEP_Y, TILE_X, PRICED_Y)
    down, across = divmod(number, ACROSS)
    sheet = Spot(3 + across * PRICED_STEP_X * SHEET_SCALE, 3 + down * PRICED_STEP_Y * SHEET_SCALE)
    return beside, sheet


def band_of_cards(count: int, space: int) -> tuple[int, int]:
    """Return the top and bottom of a number of cards, at the end of the road farther from this space."""
    height = rows(count, ACROSS) * CARD_STEP_Y
    top = TOP - 6 if SPOTS[space].y > TOP + 2 * STEP_Y - 1 else HEIGHT - height - 2
    return top, top + height


def in_band(number: int, top: int) -> Spot:
    down, across = divmod(number, ACROSS)
    return Spot(round(LEFT + STEP_X * across), top + down * CARD_STEP_Y + 2, TILE_X, PRICED_Y)


def rows(tiles: int, across: int) -> int:
    return -(-tiles // across)


def way(last: int) -> str:
    """Return the SVG path of the middle of the road, from the castle up to a space, counted from 1."""
    d = "M250 205H952Q978 205 978 231"
    last_row = (last - 1) // ACROSS
    for row in range(last_row + 1):
        y = TOP + STEP_Y * row + STRIP
        start, end, sign = (22, 978, 1) if row % 2 else (978, 22, -1)
        d += f"V{y - 24}Q{start} {y} {start + 24 * sign} {y}"
        if row < last_row:
            d += f"H{end - 24 * sign}Q{end} {y} {end} {y + 24}"
    return f"{d}H{SPOTS[last - 1].x + TILE_X / 2 + sign * (TILE_X / 2 + 4):g}"
