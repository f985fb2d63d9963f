"""The element at a point of a picture of Orchard, by the names that `text.explanations` understands."""

from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules import NO_CARD
from ..text.explanations import QUARTER
from .drawing import U
from .hand import GAP, SLOT


def hit_test(s: State, seat: int, panel: str, x: float, y: float) -> str:
    """Return the name of the element at a point of a panel, or an empty string."""
    match panel:
        case "orchard":
            line, column = (round((at / U + box.CENTRE) * QUARTER) for at in (y, x))
            return f"point-{line}-{column}" if min(line, column) >= 0 else ""
        case "hand":
            return card_at(s, max(seat, 0), int(x // (SLOT + GAP)))
    return panel


def card_at(s: State, seat: int, slot: int) -> str:
    """Return the name of the card in a slot, `pile` after the last slot, or an empty string."""
    if slot >= box.HAND:
        return "pile"
    number = s.seat[seat].hand[slot] if slot >= 0 else NO_CARD
    return f"hand-{number}" if number != NO_CARD else ""
