"""The element at a point of a picture of Oregon, by its id."""

from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..text.words import DECKS, held
from .hand import HEIGHT, SLOT, STEP, deck_spot, token_spot
from .land import LEFT, TOP, U


def hit_test(s: State, seat: int, panel: str, x: float, y: float) -> str:
    """Return the id of the element at a point of the board or of the hand in a wide pane, or an empty string."""
    match panel:
        case "board":
            return space_at(x, y)
        case "hand" if seat >= 0 and 0 <= y <= HEIGHT:
            return piece_at(s, seat, x)
    return ""


def space_at(x: float, y: float) -> str:
    column, row = int((x - LEFT) // U), int((y - TOP) // U)
    inside = 0 <= column < box.COLUMNS and 0 <= row < box.ROWS
    return f"space-{row * box.COLUMNS + column}" if inside else ""


def piece_at(s: State, seat: int, x: float) -> str:
    if 0 <= x < len(held(s, seat)) * STEP:
        return f"hand-{int(x // STEP)}"
    spots = {f"token-{place}": token_spot(place) for place in range(2)}
    spots |= {f"deck-{name}": deck_spot(deck) for deck, name in enumerate(DECKS)}
    return next((name for name, spot in spots.items() if abs(x - spot.x) < SLOT / 2), "")
