"""The element at a point of a picture of Alhambra, by the names that `text.explanations` understands."""

from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..text.words import members, on_display, tiles_waiting
from .drawing import CARD, U
from .hand import TALL, in_order, laid_out
from .market import BOTTOM, WIDE, left_of, open_place


def hit_test(s: State, seat: int, panel: str, x: float, y: float) -> str:
    """Return the name of the element at a point of a panel, or an empty string.

    A spectator (-1) gets an empty string.
    """
    if seat < 0:
        return ""
    match panel:
        case "alhambra":
            return f"cell-{int(y // U) % box.SIDE * box.SIDE + int(x // U) % box.SIDE}"
        case "hand":
            return piece_at(s, seat, x, y)
        case "market":
            return offered_at(s, x, y)
    _, rival, p = panel.partition("alhambra-")
    return f"rival-{p}" if rival else ""


def piece_at(s: State, seat: int, x: float, y: float) -> str:
    """Return the name of the uppermost card or tile of the hand at a point, or an empty string."""
    held = in_order(s, seat)
    tiles = [*tiles_waiting(s, seat), *members(s.seat[seat].reserve)]
    places = laid_out(len(held), len(tiles))
    pieces = [(f"card-{card}", place, CARD) for card, place in zip(held, places.cards, strict=True)]
    pieces += [(f"tile-{tile}", place, (TALL, TALL)) for tile, place in zip(tiles, places.tiles, strict=True)]
    return next((name for name, place, size in reversed(pieces) if within(x, y, place, size)), "")


def within(x: float, y: float, place: tuple[float, float], size: tuple[float, float]) -> bool:
    return 0 <= x - place[0] <= size[0] and 0 <= y - place[1] <= size[1]


def offered_at(s: State, x: float, y: float) -> str:
    """Return the name of the square or the open money card at a point of the market, or an empty string."""
    for square in range(box.MARKET):
        if within(x, y, (left_of(square), 0), (WIDE, BOTTOM)):
            return f"square-{square}"
    lying = enumerate(on_display(s))
    return next((f"money-{card}" for i, card in lying if within(x, y, open_place(i), CARD)), "")
