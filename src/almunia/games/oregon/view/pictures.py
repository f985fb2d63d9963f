"""The panels of Oregon, and the choices in them."""

from collections.abc import Sequence

from ....core.contract import Overlay, Panel, Part, Role
from ....engine.checked import CheckedRecord as State
from .board import board, over_board
from .hand import hand, hand_of, over_hand
from .tally import tally, tally_of

PARTS = (
    Part("card", "Card"),
    Part("space", "Space"),
    Part("extra", "Extra turn"),
    Part("deck", "Deck"),
    Part("exchange", "Exchange"),
    Part("end", "End"),
)
LETTER = 13  # the font size of names and numbers in hand and tally; the board's are larger


def panels(s: State, seat: int) -> list[Panel]:
    """Return the panels of a reader."""
    return [
        Panel("board", "The board", board, (tuple(s.space), s.last), Role.BOARD, min_font_size=14),
        Panel("hand", "Hand and decks", hand, hand_of(s, seat), Role.HAND, min_font_size=LETTER),
        Panel("tally", "Tiles left, cards discarded", tally, tally_of(s), Role.STANDINGS, min_font_size=LETTER),
    ]


def choices(s: State, seat: int, legal: Sequence[int]) -> list[Overlay]:
    """Return the overlays of the board and the hand."""
    return [*over_board(s, legal), *over_hand(s, seat, legal)]
