"""The state of an Alhambra play: phases, fields, and the codes of actions."""

from enum import IntEnum

from ....core.codes import Codes
from ....core.contract import NONE
from ....engine.state_dtype import i1, i2, i8, record_dtype, state_dtype
from .. import components as box

SEATS = 6
EMPTY = NOWHERE = NONE
TURN_LIMIT = 100  # turns per seat, so that endless redesigning ends [D5]
SCORING = box.CARDS  # the codes of the two scoring cards follow the money
SCORING_CARDS = 2
DECK = box.MONEY + SCORING_CARDS


class Phase(IntEnum):
    """The question for the seat to move."""

    ACT = 0  # take money, buy, redesign? [3.2]
    TAKE = 1  # another card of money? [4.2]
    PAY = 2  # which card is paid? [5.2]
    REBUILD = 3  # where does the tile from the reserve go? [7.1, 7.3]
    PICK = 4  # which bought tile is positioned next? [8.2]
    POSITION = 5  # where does the bought tile go? [8.1]
    END = 6  # end the turn? [9.1, D15]
    SCORE = 7  # a scoring round is held [9.3, D15]


class EndReason(IntEnum):
    """The reasons why a play has ended. `over` is 0 while the play runs."""

    MARKET_SHORT = 1  # the market could not be filled [11.1]
    TURN_LIMIT = 2  # every seat has had 100 turns [D5]


class Memory(IntEnum):
    """The values of the option `memory` [D8]."""

    HANDS_HIDDEN = 0
    PERFECT = 1


SEAT = record_dtype(
    hand=(i1, box.CARDS),  # number of money cards, by kind
    cards=i1,  # the number of cards in hand, which is public even if the hand is hidden
    built=i8,  # the tiles in the Alhambra, as a set of bits
    reserve=i8,  # the tiles on the reserve board
    leftover=i8,  # left-over tiles received at the end, still to be positioned [11.2]
    grid=(i1, box.CELLS),  # the tile on each cell; derived from `built` and `cell`, kept for speed
    earned=(i2, (box.ROUNDS, 2)),  # points by scoring round: for buildings, for the wall
)

STATE = state_dtype(
    memory=i1,  # the option [D8]
    first=i1,  # the starting player [2.4]
    seat=(SEAT, SEATS),
    cell=(i2, box.TILES),  # the cell of each built tile, or NOWHERE
    market=(i1, box.MARKET),  # the tile on each square, or EMPTY
    display=(i1, box.DISPLAY),  # the open money cards, or EMPTY
    discard=(i1, box.CARDS),  # number of paid cards, by kind
    bag=(i1, box.TILES),  # tiles in the bag; the last tile is drawn next
    bag_size=i1,  # tiles in the bag
    deck=(i1, DECK),  # money and scoring cards; the last card is drawn next
    deck_size=i1,  # cards in the deck
    deck_at_first=i1,  # cards in the deck after setup, which determines the bounds of the piles [2.6]
    scoring_cards=i1,  # number of scoring cards that have been drawn
    due=i1,  # the scoring round that is due, 1 .. 3, or 0 [9.3]
    dirk=i8,  # the tiles of the third player in a game for two [12]
    dirk_earned=(i2, box.ROUNDS),  # Dirk's points by scoring round
    final=i1,  # 1 once the market could not be filled [11.1]
    bought=i8,  # tiles bought in this turn, still to be positioned [8.1]
    tile=i1,  # the tile being rebuilt or positioned, or NONE
    square=i1,  # the market square whose tile is being paid for, or NONE
    owing=i1,  # the money still to be paid
    taken=i1,  # the sum of the cards taken in this turn
    least=i1,  # the bound for the next card, because cards are taken and paid in order [D3]
)

# An action is an integer, the answer to the question of the phase:
CODES = Codes(
    TAKE={"card": box.CARDS},  # in ACT and TAKE: currency * 9 + value - 1
    ENOUGH={},  # in TAKE: no more cards
    BUY={"square": box.MARKET},  # in ACT: the tile on the square of this currency
    PAY={"value": box.VALUES},  # in PAY: the value of a card, minus 1
    FETCH={"tile": box.TILES},  # from the reserve, in ACT: the tile's place in `components.toml`
    REMOVE={"tile": box.TILES},  # from the Alhambra, in ACT
    PASS={},  # in ACT, when there is no money to take and nothing can be bought [D4]
    PICK={"tile": box.TILES},  # the tile to position next, in PICK
    BUILD={"cell": box.CELLS},  # in REBUILD and POSITION: row * 40 + column from the fountain, edges joined
    RESERVE={},  # the tile is put on the reserve board, in POSITION
    GIVE={},  # the tile is given to Dirk, in POSITION [12.6]
    END={},  # ends the turn, in END
    SCORE={},  # holds the scoring round, in SCORE
)
TAKE, ENOUGH, BUY, PAY, FETCH, REMOVE, PASS, PICK, BUILD, RESERVE, GIVE, END, SCORE = CODES.first
ACTIONS = CODES.total

# A code alone does not identify the tile on the square of BUY. At the end, it does not identify the left-over tile that
# is positioned, which depends on the players' money. The keys of these actions include both:
TILE_BOUGHT = ACTIONS  # + square * TILES + tile
LEFT_OVER = TILE_BOUGHT + box.MARKET * box.TILES  # + tile * (CELLS + 1) + cell, or CELLS for the reserve board
NUM_ACTION_KEYS = LEFT_OVER + box.TILES * (box.CELLS + 1)

SCORES = ("points",)


def action_key(s, action):
    """Return the action's key, which also names a tile that is bought, or left over and positioned."""
    square = action - BUY
    if 0 <= square < box.MARKET:
        return TILE_BOUGHT + square * box.TILES + s.market[square]
    if s.final and s.phase == Phase.POSITION:
        return LEFT_OVER + s.tile * (box.CELLS + 1) + action - BUILD
    return action


def bit(tile):
    return 1 << tile


def lowest(tiles):
    """Return the lowest member of a non-empty set.

    In this form, LLVM can compile the function, and `size`, to instructions that count bits.
    """
    return size(~tiles & (tiles - 1))


def size(tiles):
    total = 0
    while tiles:
        tiles &= tiles - 1
        total += 1
    return total


def offset(line):
    """Return the number of rows south, or columns east, from the fountain to a line of the grid [D16].

    The number is negative to the north or west.
    """
    return line - box.SIDE if line > box.SIDE // 2 else line
