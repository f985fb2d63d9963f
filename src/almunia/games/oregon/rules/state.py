"""The fields of a state of Oregon, and what the codes of actions mean."""

from enum import IntEnum

from ....core.codes import Codes
from ....core.layout import i1, i2, state, struct
from .. import components as box


class Phase(IntEnum):
    """What the seat to move is being asked."""

    START = 0  # where does the start tile go? [3.1]
    FIRST = 1  # which card is played? [4.2]
    SECOND = 2  # and which one with it? [D5]
    SPACE = 3  # where does the farmer or the building go? [5.3, 6.2]
    EXTRA = 4  # the extra turn, or a card? [11.1]
    DRAW = 5  # from which deck, or is the turn over? [12.1, D22]


class EndReason(IntEnum):
    """Why a play has ended; `over` is 0 while it runs."""

    FARMERS = 1  # somebody has placed all farmers [13.1]
    BUILDINGS = 2  # as many stacks of buildings are empty as people play [13.2]


SEAT = struct(
    score=i2,  # points on the track
    farmers=i1,  # still to be placed
    joker=i1,  # 1 while the token is active
    extra=i1,  # 1 while the token is active
    start=i1,  # the building of the start tile
    cards=(i1, box.DECKS),  # how many of each deck are in hand: everybody may count them
    hand=(i1, box.KINDS),  # the cards in hand, by kind
    drawn=(i1, box.KINDS),  # cards this seat has drawn since their deck was last shuffled [D21]
    tiles=(i1, box.SORTS),  # how many coal and gold tiles: everybody may count them
    faces=(i1, (box.SORTS, box.FACES)),  # how many of each value
)

STATE = state(
    first=i1,  # the starting player
    again=i1,  # 1 in an extra turn
    final=i1,  # how the play will end once the round is played out, 0 before that is certain
    chosen=(i1, 2),  # kinds of card chosen to be played, or NONE; until then they stay in the hand
    space=(i1, box.CELLS),  # what stands on each space
    last=i2,  # the space that was filled last, or NONE
    stock=(i1, box.BUILDINGS),  # building tiles left
    discard=(i1, box.KINDS),  # the discards of both decks
    shuffled=(i1, box.KINDS),  # what was in each deck when it was last shuffled
    seat=(SEAT, box.SEATS),
)

# An action is one whole number, the answer to what the phase asks:
CODES = Codes(
    CARD={"kind": box.KINDS + 1},  # in FIRST and SECOND: SYMBOLS, then buildings, last the joker token
    SPACE={"space": box.CELLS},  # in START and SPACE: row * 15 + column
    EXTRA={},  # in EXTRA: take the extra turn
    DRAW={"deck": box.DECKS},  # in EXTRA and DRAW: a card
    SWAP={"building": box.BUILDINGS},  # in EXTRA and DRAW: exchange a useless card of this building [12.3]
    END={},  # in EXTRA and DRAW: the turn
)
CARD, SPACE, EXTRA, DRAW, SWAP, END = CODES.first
ACTIONS = CODES.total

# A card that is discarded is another thing than one that is played [D7]:
NAMES = ACTIONS + box.KINDS

SCORES = ("points", "farmers on the board")
