"""Hit tests: the id of the place at a point of a picture of Caylus."""

from ....engine.checked import CheckedRecord as State
from ..rules.phases import legal
from ..rules.state import ACTIONS, LINES
from ..text.words import LINE_IDS, PLACE_IDS, tile_id
from .pictures import cards_band, cards_for, tiles_of_play
from .plan import BRIDGE, ORDER, SECTION_SPOTS, SPOTS, in_panel, line_spot

OTHERS = {BRIDGE: "bridge", ORDER: "order"}  # places that exist only in the picture


def hit_test(s: State, seat: int, panel: str, x: float, y: float) -> str:
    """Return the id of the place at a point of a panel, or an empty string."""
    match panel:
        case "board":
            return on_board(s, x, y)
        case "buildings":
            return in_buildings(s, x, y)
    return ""


def on_board(s: State, x: float, y: float) -> str:
    """Return the id of the piece at a point, or an empty string. A point in the band of the cards has no id."""
    found = [0] * ACTIONS
    cards = cards_for(s, found[: legal(s, found)])
    top, bottom = cards_band(s, cards)
    if cards and top <= y <= bottom:
        return ""
    for place, spot in SPOTS.items():
        if spot.covers(x, y):
            return OTHERS.get(place) or PLACE_IDS[place]
    for section, spot in enumerate(SECTION_SPOTS):
        if spot.covers(x, y):
            return f"section-{section}"
    for line in () if s.favours else range(LINES):
        if line_spot(line).covers(x, y):
            return LINE_IDS[line]
    return ""


def in_buildings(s: State, x: float, y: float) -> str:
    for number, tile in enumerate(tiles_of_play(s)):
        if in_panel(number)[0].covers(x, y):
            return tile_id(tile)
    return ""
