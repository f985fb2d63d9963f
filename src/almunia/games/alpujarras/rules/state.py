"""The state of an Alpujarras play, the questions asked in it, and the numbers of all actions."""

from enum import IntEnum

import numpy as np

from ....core.codes import Codes
from ....core.contract import NONE
from ....core.layout import i1, i2, state, struct
from .. import components as box

SEATS = 4  # the most who can play [D40]
MULES = 4
ZARA = 2  # her mule comes after those of the two players [11.1]
NOWHERE = FREE = NONE
COVERED = SEATS  # stands on a goal space that nobody may use [11.2]
DUG = box.LANDS  # a channel token that leads to no field, or to one that has no crop yet
CARDS_IN_DECK = box.CARDS - box.FACES_UP


class Phase(IntEnum):
    """What the seat to move is being asked."""

    GO = 0  # where does your mule go? [3.3]
    ACT = 1  # what next on this space? [3.6]
    PICK = 2  # which fruit from the farmland you have come to? [4.2]
    TO = 3  # where does the farmer go? [4.6]
    CALL = 4  # which farmer goes to the goal card? [7.5]
    BUY = 5  # where is the farmer you paid for added, or which one moves? [6.5]
    GIVE = 6  # which fruit do you return? [6.6]
    TAKE = 7  # and which do you take? [6.6]
    CROP = 8  # which crop grows on the new field? [5.3]
    OVERFLOW = 9  # too many norias: spend some first? [6.3]
    AWARD = 10  # what next of the award? [8.9]
    MARKET = 11  # and the other half of the market action? [8.1]
    ZARA_ROLL = 12  # Zara's die [11.4]
    ZARA_MARKET = 13  # Zara's market [11.7]
    ZARA_HARVEST = 14  # Zara's harvest [11.8]


class EndReason(IntEnum):
    """Why a play has ended; `over` is 0 while it runs."""

    ALL_HOME = 1  # every mule has come to the end [10.1]


# Where dirhems come from: the score is their sum [10.6]. As NumPy's numbers they are all of one type for Numba.
SOURCES = 10
TOKEN_SALES, BONUS, CARD_SALES, AWARDED, FROM_GOALS, FROM_TRACK, FROM_WATER, FROM_NORIAS, FROM_END, SOLD = np.arange(
    SOURCES
)

# Who owes: the space of the mule, an award within a market action, a purchase within anything.
SPACE, AWARD, BOUGHT = range(3)
LAYERS = 3

OWED = struct(
    todo=(i1, box.ITEMS),  # how often each item is still to be done
    shield=i1,  # the only farmland where a farmer may be added, or NONE [4.5]
    used=i1,  # where the first of two farmers went, or NONE [4.4]
)

SEAT = struct(
    farmers=i1,  # in the supply
    farmland=(i1, box.LANDS),  # farmers in farmlands
    village=(i1, box.LANDS),  # and in villages
    fruit=(i1, box.LANDS),  # in hand
    norias=i1,  # held, by value
    goal_tokens=i1,  # in hand
    token=(i1, (box.LANDS, box.SIZES)),  # delivery tokens taken, by fruit and number
    earned=(i2, SOURCES),  # dirhems by where they come from
)

STATE = state(
    track=(i2, box.POSITIONS),  # the places in travel order, or NOWHERE beyond the end
    mule=(i1, MULES),  # positions on the track
    moved=i1,  # has the mule moved in this turn?
    owed=(OWED, LAYERS),
    extra_goals_allowed=i1,  # may goal tokens be spent on further goals? [7.7]
    joined_land=i1,  # the farmland a farmer has come to, while its fruit is to be picked, or NONE
    moving_from=i1,  # the farmland a farmer is leaving, or NONE
    calling_farmer=i1,  # 1 while a farmer is to be called to a goal card
    exchanging=i1,  # 1 while a noria has been paid and no fruit has been taken for it
    given=i1,  # the fruit returned for it, or NONE
    watered_space=i1,  # the channel space whose field waits for its crop, or NONE
    noria_overflow=i1,  # norias that wait because they are too many [6.3]
    token_taken=i1,  # 1 once a delivery token has been taken in this market action [8.1]
    card_taken=i1,  # 1 once a delivery card has been taken in it
    supply=(i1, box.LANDS),  # fruit
    growing=(i1, (box.LANDS, box.LANDS)),  # fruit in each farmland [D8]
    market=(i1, box.LANDS),  # fruit on the market card, from left to right
    token=(i1, (box.LANDS, box.LANDS, box.SIZES)),  # delivery tokens in each village, by fruit and number
    award=(i1, box.LANDS),  # the award token of each village
    flipped=(i1, box.LANDS),  # 0 green, 1 red, 2 gone
    channel=(i1, box.CHANNELS),  # NONE, the crop that a token leads to, or DUG
    goal=(i1, box.GOAL_CARDS),  # which goals are face up
    claimed=(i1, (box.GOAL_CARDS, box.GOAL_SPACES)),  # seat, COVERED or FREE
    goal_tokens=i1,  # in the supply
    deck=(i1, CARDS_IN_DECK),  # delivery cards from the bottom up; a masked top card shows only its back
    left=i1,  # cards in the deck
    known=i1,  # how many at the bottom everybody has seen [D49]
    open=(i1, box.FACES_UP),  # face-up delivery cards, or NONE
    taken=(i1, box.CARDS),  # who has taken each card, or NONE
    die=i1,  # what Zara rolled last
    seat=(SEAT, SEATS),
)

SCORES = ("dirhems", "end spot")


class ActionKind(IntEnum):
    """The kinds of actions, by number."""

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


# An action is one whole number, the first code of its kind, plus what it names:
CODES = Codes(
    GO={"place": box.POSITIONS},  # on the track, counted from its beginning
    ADD={"farmland": box.LANDS},  # a farmer from the supply
    FROM={"farmland": box.LANDS},  # a farmer leaves it, for another one or for a goal card
    TO={"farmland": box.LANDS},  # the farmer goes there
    PICK={"fruit": box.LANDS},  # from the farmland the farmer has come to
    FRUIT={"fruit": box.LANDS},  # from the supply
    DIG={"channel": box.CHANNELS},  # a channel token
    CROP={"fruit": box.LANDS},  # on the field that has been watered
    NORIAS={},  # take those that the space offers
    GOAL={"card": box.GOAL_CARDS, "space": box.GOAL_SPACES},  # complete it; the card by its place on the table
    GOAL_TOKEN={},  # take one
    DELIVER={"village": box.LANDS, "fruit": box.LANDS, "size": box.SIZES},  # for a token with the number size + 2
    CARD={"card": box.CARDS},  # deliver for a card
    HARVEST={},  # carry out the harvest that the space offers
    CLOSE={},  # end the market action after its first half
    SKIP={"item": box.ITEMS},  # leave something that is offered, one of `ITEM_NAMES`
    BUY={"norias": box.MOST_NORIAS},  # spend so many, counted from 1
    GIVE={"fruit": box.LANDS},  # return one, to take another
    TAKE={"fruit": box.LANDS},  # the fruit taken in exchange
    KEEP={},  # take as many norias as there is room for
    END={},  # the turn
    ZARA_ROLL={},  # Zara's die
    ZARA_MARKET={},  # Zara's market
    ZARA_HARVEST={},  # Zara's harvest
)
KIND_OFFSETS = np.array(CODES.first, np.int16)  # the first code of each kind
KIND_OF_CODE = CODES.table()  # the kind of each code, an ActionKind
ACTIONS = CODES.total

GO, ADD, FROM, TO, PICK, FRUIT, DIG, CROP, NORIAS, GOAL, GOAL_TOKEN, DELIVER = CODES.first[:12]
CARD, HARVEST, CLOSE, SKIP, BUY, GIVE, TAKE, KEEP, END, ZARA_ROLL, ZARA_MARKET, ZARA_HARVEST = CODES.first[12:]


def earn(s, source, dirhems):
    """Dirhems for the player whose turn it is [1.6, D31]."""
    s.seat[s.turn].earned[source] += dirhems


def score(me):
    """All dirhems of a player so far [10.6, D31]."""
    total = 0
    for source in range(SOURCES):
        total += me.earned[source]
    return total


def owes_anything(owed):
    """Is anything still to be done or skipped?"""
    for item in range(box.ITEMS):
        if owed.todo[item] > 0:
            return True
    return False


def layer(s):
    """Who owes what is done now: a purchase before an award, and an award before the space."""
    if owes_anything(s.owed[BOUGHT]):
        return BOUGHT
    if owes_anything(s.owed[AWARD]):
        return AWARD
    return SPACE


def owe(owed, table, row):
    """Start with what a row of a table says."""
    owed.shield = owed.used = NONE
    for item in range(box.ITEMS):
        owed.todo[item] = table[row, item]


def in_farmlands(me):
    """How many farmers a player has in farmlands."""
    count = 0
    for land in range(box.LANDS):
        count += me.farmland[land]
    return count


def may_take(s, me, fruit):
    """Is this fruit in the supply, and has the player fewer than five? [1.4, 4.8]"""
    return s.supply[fruit] > 0 and me.fruit[fruit] < box.MOST_FRUIT


def take_fruit(s, fruit):
    """One fruit from the supply [4.8]."""
    s.seat[s.turn].fruit[fruit] += 1
    s.supply[fruit] -= 1
