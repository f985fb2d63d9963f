"""The state of an Oregon play: phases, fields, and the codes of actions."""

from enum import IntEnum

from ....core.codes import Codes
from ....engine.state_dtype import i1, i2, record_dtype, state_dtype
from .. import components as box


class Phase(IntEnum):
    """The question for the seat to move."""

    START = 0  # where does the start tile go? [3.1]
    FIRST = 1  # which card is played? [4.2]
    SECOND = 2  # which card is played with it? [D5]
    SPACE = 3  # where does the farmer or the building go? [5.3, 6.2]
    EXTRA = 4  # the extra turn, or a card? [11.1]
    DRAW = 5  # from which deck, or is the turn over? [12.1, D22]


class EndReason(IntEnum):
    """The reasons why a play has ended. `over` is 0 while the play runs."""

    FARMERS = 1  # a player has placed all farmers [13.1]
    BUILDINGS = 2  # as many stacks of buildings are empty as there are players [13.2]


SEAT = record_dtype(
    score=i2,  # points on the track
    farmers=i1,  # farmers still to be placed
    joker=i1,  # 1 while the token is active
    extra=i1,  # 1 while the token is active
    start=i1,  # the building of the start tile
    cards=(i1, box.DECKS),  # the number of cards of each deck in hand, which is public
    hand=(i1, box.KINDS),  # the number of cards in hand, by kind
    drawn=(i1, box.KINDS),  # number of cards drawn by this seat since the deck was last shuffled, by kind [D21]
    tiles=(i1, box.SORTS),  # the number of coal and gold tiles, which is public
    faces=(i1, (box.SORTS, box.FACES)),  # the number of tiles of each value
)

STATE = state_dtype(
    first=i1,  # the starting player
    again=i1,  # 1 in an extra turn
    final=i1,  # the reason why the play ends with this round, or 0
    chosen=(i1, 2),  # kinds of card chosen to be played, or NONE; the cards stay in the hand until they are played
    space=(i1, box.CELLS),  # the piece on each space
    last=i2,  # the space of the last placement, or NONE
    stock=(i1, box.BUILDINGS),  # number of building tiles left, by kind
    discard=(i1, box.KINDS),  # number of discarded cards, by kind
    shuffled=(i1, box.KINDS),  # number of cards in the deck when it was last shuffled, by kind
    seat=(SEAT, box.SEATS),
)

# An action is an integer, the answer to the question of the phase:
CODES = Codes(
    CARD={"kind": box.KINDS + 1},  # in FIRST and SECOND: SYMBOLS, then buildings, last the joker token
    SPACE={"space": box.CELLS},  # in START and SPACE: row * 15 + column
    EXTRA={},  # in EXTRA: take the extra turn
    DRAW={"deck": box.DECKS},  # in EXTRA and DRAW: draw a card from this deck
    SWAP={"building": box.BUILDINGS},  # in EXTRA and DRAW: exchange a useless card of this building [12.3]
    END={},  # in EXTRA and DRAW: end the turn
)
CARD, SPACE, EXTRA, DRAW, SWAP, END = CODES.first
ACTIONS = CODES.total

# A discarded card has another key than the same card when it is played [D7]:
NUM_ACTION_KEYS = ACTIONS + box.KINDS

SCORES = ("points", "farmers on the board")
