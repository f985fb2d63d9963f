"""The panels of Oregon: the board, the reader's hand with the decks, and the tally of tiles and discards."""

from collections.abc import Sequence

from ....core.contract import Panel, Part, Role
from ....engine.checked import CheckedRecord as State
from .board import board
from .hand import hand
from .tally import tally

PARTS = (
    Part("card", "Card"),
    Part("space", "Space"),
    Part("extra", "Extra turn"),
    Part("deck", "Deck"),
    Part("exchange", "Exchange"),
    Part("end", "End"),
)
LETTER = 13  # the font size of names and numbers in hand and tally; the board's are larger


def panels(s: State, seat: int, legal: Sequence[int]) -> list[Panel]:
    """Return the panels: board, hand and tally."""
    return [
        Panel("board", "The board", board(s, legal), Role.BOARD, min_font_size=14),
        Panel("hand", "Hand and decks", hand(s, seat, legal), Role.HAND, min_font_size=LETTER),
        Panel("tally", "Tiles left, cards discarded", tally(s), Role.STANDINGS, min_font_size=LETTER),
    ]
