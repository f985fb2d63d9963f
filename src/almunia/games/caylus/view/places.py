"""Hit tests: the id of the place at a point of a picture of Caylus. Coordinates are those of a wide page."""

from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.phases import legal
from ..rules.state import ACTIONS, LINES
from ..text.words import LINE_IDS, PLACE_IDS, tile_id
from .pictures import cards_band, cards_for, shown_tiles
from .plan import BRIDGE, ORDER, PRICED_Y, SPOTS, TILE_X, TILE_Y, Spot, in_grid
from .tallies import CELL_Y, SECTION, SECTION_X, TABLE

OTHERS = {BRIDGE: "bridge", ORDER: "order"}  # places that exist only in the picture


def hit_test(s: State, seat: int, panel: str, x: float, y: float) -> str:
    """Return the id of the place at a point of a panel, or an empty string."""
    match panel:
        case "board":
            return on_board(s, x, y)
        case "tallies":
            return in_tallies(s, x, y)
        case "buildings":
            return in_buildings(s, x, y)
    return ""


def covers(spot: Spot, height: float, x: float, y: float) -> bool:
    return spot.x <= x <= spot.x + spot.width and spot.y <= y <= spot.y + height


def on_board(s: State, x: float, y: float) -> str:
    """Return the id of the piece at a point, or an empty string. A point in the band of the cards has no id."""
    found = [0] * ACTIONS
    cards = cards_for(s, found[: legal(s, found)])
    top, bottom = cards_band(s, cards)
    if cards and top <= y <= bottom:
        return ""
    for place, spot in SPOTS.items():
        if covers(spot, 2 * TILE_Y + 6 if place == ORDER else TILE_Y, x, y):
            return OTHERS.get(place) or PLACE_IDS[place]
    return ""


def in_tallies(s: State, x: float, y: float) -> str:
    if 0 <= x < SECTION_X and 0 <= y < SECTION * box.SECTIONS:
        return f"section-{int(y // SECTION)}"
    if x >= TABLE and 0 <= y < CELL_Y * LINES and not s.favours:
        return LINE_IDS[int(y // CELL_Y)]
    return ""


def in_buildings(s: State, x: float, y: float) -> str:
    for number, tile in enumerate(shown_tiles(s)):
        spot = in_grid(number, 2, 2)
        if covers(spot._replace(width=TILE_X), PRICED_Y, x, y):
            return tile_id(tile)
    return ""
