"""The panels of Orchard, and the choices in them."""

from collections.abc import Sequence

from ....core.contract import Overlay, Panel, Part, Role
from ....engine.checked import CheckedRecord as State
from ..rules import cards_left
from .hand import hand, held_by, over_hand
from .orchard import chosen_card, far_orchard, frame_of, gains_of, orchard, over_orchard, pieces_of

PARTS = (
    Part("card", "Card"),
    Part("turned", "Turn", turns="Turn", keys=("r",)),
    Part("place", "Place"),
    Part("tree", "Tree"),
)


def panels(s: State, seat: int) -> list[Panel]:
    """Return the panels of a reader. A spectator (-1) gets the panels of seat 0."""
    own = max(seat, 0)
    me = s.seat[own]
    name = f"Orchard {own + 1}" if s.seats > 1 else "The orchard"
    board = own, name, pieces_of(s, me), chosen_card(s, own), frame_of(s, me)
    found = [
        Panel("orchard", name, orchard, board, Role.BOARD, own, min_font_size=17),
        Panel("hand", "Hand", hand, (held_by(s, own), cards_left(s)), Role.HAND, min_font_size=19.3),
    ]
    return found + [
        Panel(f"orchard-{p}", f"Orchard {p + 1}", far_orchard, (p, pieces_of(s, s.seat[p])), Role.OPPONENT, p)
        for p in range(s.seats)
        if p != own
    ]


def choices(s: State, seat: int, legal: Sequence[int]) -> list[Overlay]:
    """Return the overlays of the reader's orchard and hand."""
    gains = gains_of(s, legal)
    return [*over_orchard(s, legal, gains), *over_hand(s, max(seat, 0), gains)]
