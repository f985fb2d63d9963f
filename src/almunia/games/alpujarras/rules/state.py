"""The state of an Alpujarras play, the questions put to the players, and the codes of all actions."""

from enum import IntEnum

import numpy as np

from ....core.codes import Codes
from ....core.contract import NONE
from ....engine.state_dtype import i1, i2, record_dtype, state_dtype
from .. import components as box

SEATS = 4  # maximum number of players [D40]
MULES = 4
ZARA = 2  # number of Zara's mule, after those of the two players [11.1]
NOWHERE = FREE = NONE
COVERED = SEATS  # owner of a goal space that no player may use [11.2]
DUG = box.LANDS  # a channel token that leads to no field, or to a field without a crop
CARDS_IN_DECK = box.CARDS - box.FACES_UP


class Phase(IntEnum):
    """The question put to the seat to move."""

    GO = 0  # move the mule [3.3]
    ACT = 1  # choose the next action of the space, or end the turn [3.6]
    PICK = 2  # choose a fruit of the farmland that a farmer has entered [4.2]
    TO = 3  # choose the farmland that the farmer enters [4.6]
    CALL = 4  # choose the farmer that goes to the goal card [7.5]
    BUY = 5  # add or move the farmer that was paid for [6.5]
    GIVE = 6  # choose the fruit to return [6.6]
    TAKE = 7  # choose the fruit to take in exchange [6.6]
    CROP = 8  # choose the crop of the new field [5.3]
    OVERFLOW = 9  # spend norias before too many come, or take as many as fit [6.3]
    AWARD = 10  # choose the next action of the award [8.9]
    MARKET = 11  # deliver for the other half of the market action, or finish it [8.1]
    ZARA_ROLL = 12  # roll Zara's die [11.4]
    ZARA_MARKET = 13  # carry out Zara's market [11.7]
    ZARA_HARVEST = 14  # carry out Zara's harvest [11.8]


class EndReason(IntEnum):
    """The reason why a play has ended."""

    ALL_HOME = 1  # every player's mule is in the end space [10.1]


# The sources of dirhems; the score is their sum [10.6]. NumPy scalars give all of them the same type in Numba.
SOURCES = 10
TOKEN_SALES, BONUS, CARD_SALES, AWARDED, FROM_GOALS, FROM_TRACK, FROM_WATER, FROM_NORIAS, FROM_END, SOLD = np.arange(
    SOURCES
)

# The layers of actions owed: by the mule's space, by an award within a market action, by a purchase within either.
SPACE, AWARD, BOUGHT = range(3)
LAYERS = 3

OWED = record_dtype(
    todo=(i1, box.ITEMS),  # by item: how often it may still be done
    shield=i1,  # the only farmland where a farmer may be added, or NONE [4.5]
    used=i1,  # the farmland of the first of two farmers, or NONE [4.4]
)

SEAT = record_dtype(
    farmers=i1,  # farmers in the supply
    farmland=(i1, box.LANDS),  # farmers in each farmland
    village=(i1, box.LANDS),  # farmers in each village
    fruit=(i1, box.LANDS),  # fruit in hand, by type
    norias=i1,  # norias held, by value
    goal_tokens=i1,  # goal tokens in hand
    token=(i1, (box.LANDS, box.SIZES)),  # delivery tokens taken, by fruit and number
    earned=(i2, SOURCES),  # dirhems by source
)

STATE = state_dtype(
    track=(i2, box.POSITIONS),  # places in travel order, NOWHERE beyond the end
    mule=(i1, MULES),  # positions on the track
    moved=i1,  # whether the mule has moved in this turn
    owed=(OWED, LAYERS),
    extra_goals_allowed=i1,  # whether goal tokens may pay for further goals [7.7]
    joined_land=i1,  # the farmland that a farmer has entered, until its fruit is picked, or NONE
    moving_from=i1,  # the farmland that a farmer is leaving, or NONE
    calling_farmer=i1,  # 1 while the player must choose a farmer for a goal card
    exchanging=i1,  # 1 from paying a noria to taking the fruit for it
    given=i1,  # the fruit returned in this exchange, or NONE
    watered_space=i1,  # the channel space whose field is not finished, or NONE
    noria_overflow=i1,  # norias that wait because there is no room for all [6.3]
    token_taken=i1,  # 1 once a delivery token has been taken in this market action [8.1]
    card_taken=i1,  # 1 once a delivery card has been taken in this market action
    supply=(i1, box.LANDS),  # fruit in the supply, by type
    growing=(i1, (box.LANDS, box.LANDS)),  # fruit in each farmland, by type [D8]
    market=(i1, box.LANDS),  # fruit on the market card, from left to right
    token=(i1, (box.LANDS, box.LANDS, box.SIZES)),  # delivery tokens in each village, by fruit and number
    award=(i1, box.LANDS),  # the award token of each village
    flipped=(i1, box.LANDS),  # the side that shows: 0 green, 1 red, 2 none is left
    channel=(i1, box.CHANNELS),  # NONE, the crop that a token leads to, or DUG
    goal=(i1, box.GOAL_CARDS),  # the goal on the face-up side of each card
    claimed=(i1, (box.GOAL_CARDS, box.GOAL_SPACES)),  # by card and space: seat, COVERED or FREE
    goal_tokens=i1,  # goal tokens in the supply
    deck=(i1, CARDS_IN_DECK),  # delivery cards from the bottom up; a masked top card shows only its back
    left=i1,  # number of cards in the deck
    known=i1,  # number of cards at the bottom that all players have seen [D49]
    open=(i1, box.FACES_UP),  # face-up delivery cards, or NONE
    taken=(i1, box.CARDS),  # the seat that has taken each card, or NONE
    die=i1,  # Zara's last roll
    seat=(SEAT, SEATS),
)

SCORES = ("dirhems", "end spot")


class ActionKind(IntEnum):
    """The kinds of actions, in the order of their codes."""

    GO = 0
    ADD = 1
    FROM = 2
    TO = 3
    PICK = 4
    FRUIT = 5
    DIG = 6
    CROP = 7
    NORIAS = 8
    GOAL = 9
    GOAL_TOKEN = 10
    DELIVER = 11
    CARD = 12
    HARVEST = 13
    CLOSE = 14
    SKIP = 15
    BUY = 16
    GIVE = 17
    TAKE = 18
    KEEP = 19
    END = 20
    ZARA_ROLL = 21
    ZARA_MARKET = 22
    ZARA_HARVEST = 23


# An action is an integer: the first code of its kind plus its argument.
CODES = Codes(
    GO={"place": box.POSITIONS},  # position on the track, from its beginning
    ADD={"farmland": box.LANDS},  # a farmer from the supply
    FROM={"farmland": box.LANDS},  # a farmer leaves it, for another farmland or for a goal card
    TO={"farmland": box.LANDS},  # the moving farmer enters it
    PICK={"fruit": box.LANDS},  # from the farmland that the farmer has entered
    FRUIT={"fruit": box.LANDS},  # from the supply
    DIG={"channel": box.CHANNELS},  # a channel token
    CROP={"fruit": box.LANDS},  # on the new field
    NORIAS={},  # take the norias of the space or award
    GOAL={"card": box.GOAL_CARDS, "space": box.GOAL_SPACES},  # complete a goal; the card by its place on the table
    GOAL_TOKEN={},  # take a goal token
    DELIVER={"village": box.LANDS, "fruit": box.LANDS, "size": box.SIZES},  # for a token with the number size + 2
    CARD={"card": box.CARDS},  # deliver fruit for a card
    HARVEST={},  # harvest
    CLOSE={},  # end the market action after its first half
    SKIP={"item": box.ITEMS},  # skip an action owed, one of `ITEM_NAMES`
    BUY={"norias": box.MOST_NORIAS},  # spend norias, counted from 1
    GIVE={"fruit": box.LANDS},  # return a fruit, to take another
    TAKE={"fruit": box.LANDS},  # take a fruit in exchange
    KEEP={},  # take as many norias as there is room for
    END={},  # end the turn
    ZARA_ROLL={},  # roll Zara's die
    ZARA_MARKET={},  # carry out Zara's market
    ZARA_HARVEST={},  # carry out Zara's harvest
)
KIND_OFFSETS = np.array(CODES.first, np.int16)  # the first code of each kind
KIND_OF_CODE = CODES.table()  # the kind of each code, an ActionKind
ACTIONS = CODES.total

GO, ADD, FROM, TO, PICK, FRUIT, DIG, CROP, NORIAS, GOAL, GOAL_TOKEN, DELIVER = CODES.first[:12]
CARD, HARVEST, CLOSE, SKIP, BUY, GIVE, TAKE, KEEP, END, ZARA_ROLL, ZARA_MARKET, ZARA_HARVEST = CODES.first[12:]


def earn(s, source, dirhems):
    """Add dirhems from a source to the player to move [1.6, D31]."""
    s.seat[s.turn].earned[source] += dirhems


def score(me):
    """Return the player's dirhems [10.6, D31]."""
    total = 0
    for source in range(SOURCES):
        total += me.earned[source]
    return total


def owes_anything(owed):
    for item in range(box.ITEMS):
        if owed.todo[item] > 0:
            return True
    return False


def layer(s):
    """Return the layer of the current action: the first of BOUGHT and AWARD that owes actions, else SPACE."""
    if owes_anything(s.owed[BOUGHT]):
        return BOUGHT
    if owes_anything(s.owed[AWARD]):
        return AWARD
    return SPACE


def owe(owed, table, row):
    """Set the actions owed from a row of a table, and clear the shield and the first farmland."""
    owed.shield = owed.used = NONE
    for item in range(box.ITEMS):
        owed.todo[item] = table[row, item]


def in_farmlands(me):
    """Return the number of the player's farmers in farmlands."""
    count = 0
    for land in range(box.LANDS):
        count += me.farmland[land]
    return count


def may_take(s, me, fruit):
    """Return whether the supply has this fruit and the player fewer than five of it [1.4, 4.8]."""
    return s.supply[fruit] > 0 and me.fruit[fruit] < box.MOST_FRUIT


def take_fruit(s, fruit):
    """Give the player to move one fruit from the supply [4.8]."""
    s.seat[s.turn].fruit[fruit] += 1
    s.supply[fruit] -= 1
