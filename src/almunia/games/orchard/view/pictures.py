"""The panels of Orchard: the reader's own orchard, the hand, and the other orchards."""

from collections.abc import Sequence

from ....core.contract import Panel, Part, Role
from ....engine.checked import CheckedRecord as State
from .hand import hand
from .orchard import far_orchard, gains_of, orchard

PARTS = (
    Part("card", "Card"),
    Part("turned", "Turn", turns="Turn", keys=("r",)),
    Part("place", "Place"),
    Part("tree", "Tree"),
)


def panels(s: State, seat: int, legal: Sequence[int]) -> list[Panel]:
    """Return the panels: the reader's own orchard and hand, or seat 0's for a spectator, and the other orchards."""
    own, gains = max(seat, 0), gains_of(s, legal)
    name = f"Orchard {own + 1}" if s.seats > 1 else "The orchard"
    found = [
        Panel("orchard", name, orchard(s, own, legal, gains), Role.BOARD, own, min_font_size=17),
        Panel("hand", "Hand", hand(s, own, gains), Role.HAND, min_font_size=19.3),
    ]
    others = (p for p in range(s.seats) if p != own)
    return found + [Panel(f"orchard-{p}", f"Orchard {p + 1}", far_orchard(s, p), Role.OPPONENT, p) for p in others]
