"""The state of a Caylus play, the questions to the players, and the codes of all actions."""

from enum import IntEnum

import numpy as np

from ....core.codes import Codes
from ....core.contract import NONE
from ....engine.state_dtype import i1, i2, record_dtype, state_dtype
from .. import components as box

EMPTY = NONE  # no tile on a space
LEFT, RIGHT = 0, 1  # the circles of the Inn
SINGLES = int(box.Special.STABLES)  # special buildings with one circle come first
CASTLE = box.ROAD + len(box.Special)  # the last place, after the road and the special buildings
PLACES = CASTLE + 1
LINES = len(box.Line)


class Stage(IntEnum):
    """The seven stages of a turn, called phases in the rulebook [2]. In this package a phase is a question."""

    INCOME = 0
    PLACING = 1
    SPECIAL = 2
    PROVOST = 3
    ROAD = 4
    CASTLE = 5
    END = 6


# The values of `progress`; 0 means none of these.
USED = 1  # special buildings and road: the worker at the cursor has used the building
BONUS_TAKEN = 2  # road: after USED, the owner has taken the bonus if there is one
REWARDED = 1  # castle: the builder of the most batches has been rewarded
BAILIFF_MOVED = 1  # end: the bailiff has moved


class Phase(IntEnum):
    """The question to the seat to move."""

    NOTHING = 0  # no question: `settle` takes the next step
    PLACE = 1  # place a worker, or pass [2.2]
    GATE = 2  # move the worker of the Gate, or take it home [2.8]
    GUILD = 3  # move the provost free of charge [2.10]
    JOUST = 4  # pay for a favour, or decline [2.11]
    INN = 5  # leave the worker on the right circle, or take it home [2.13]
    PROVOST = 6  # move the provost for deniers, or let it stay [2.15]
    PRODUCE = 7  # choose the building's product [2.17]
    BONUS = 8  # choose the owner's cube [2.18]
    TRADE = 9  # trade, or decline [2.22]
    BUILD = 10  # build a tile, or decline [2.19, 2.20]
    CONVERT = 11  # make a building a residence, or decline [2.21]
    GIVE = 12  # choose a cube to give
    TAKE = 13  # choose a cube to take
    BATCH = 14  # give a batch to the castle, or stop [2.24]
    FAVOUR = 15  # choose the line of a favour [4.2]
    RESOURCE = 16  # use the line of resources, or decline [4.4]
    BUILDING = 17  # use the line of buildings, or decline [4.4]


class EndReason(IntEnum):
    """The reason why a play has ended."""

    TOWERS = 1  # the Towers have been scored, or the last section of a reduced game [3.1]


# The sources of points; the score is their sum. NumPy integers give all of them the same type in Numba.
SOURCES = 10
(
    FROM_GUESTS,
    FROM_TILES,
    FROM_RESIDENCES,
    FROM_TRADES,
    FROM_BATCHES,
    FROM_FAVOURS,
    LOST,
    FROM_GOLD,
    FROM_CUBES,
    FROM_MONEY,
) = np.arange(SOURCES)

SEAT = record_dtype(
    money=i2,  # deniers
    cubes=(i2, box.KINDS_OF_CUBE),  # by kind
    earned=(i2, SOURCES),  # points by source; losses are negative
    favour=(i1, LINES),  # the column of the marker on each line
    used=(i1, LINES),  # whether the line has been used in this stage [4.3]
    houses=(i1, box.SECTIONS),  # number of houses in each section of the castle
    batches=i1,  # number of batches given in this turn [2.26]
)

STATE = state_dtype(
    jeweller=i1,  # option: whether the Jeweller is among the stone buildings
    favours=i1,  # option: whether a favour is 3 points and the table is not used [4.6]
    reduced=i1,  # option: whether the game ends after the first section [D37]
    stage=i1,  # the stage of the turn, a Stage
    # the stage's current item, from 0: a place in the turn order (placing workers, end), a special building,
    # a number of the bridge (provost), a space of the road, or a circle of the castle
    cursor=i1,
    progress=i1,  # progress of the item at the cursor: 0, USED, BONUS_TAKEN, REWARDED or BAILIFF_MOVED
    bailiff=i1,  # the bailiff's space, counted from 1
    provost=i1,  # the provost's space, counted from 1
    section=i1,  # the section under construction, the first that has not been scored [2.23]
    granted=i1,  # favours that the seat to move may still use
    give_any=i1,  # cubes of any kind that the seat to move still owes
    give_common=i1,  # cubes other than gold that the seat to move still owes
    take=i1,  # cubes other than gold that the seat to move may still take
    order=(i1, box.SEATS),  # the seats in turn order
    passed=(i1, box.SEATS),  # the seat on each number of the bridge, or NONE
    special=(i1, SINGLES),  # the seat whose worker is on the Gate, Trading Post, Merchants' Guild and Joust Field
    stables=(i1, box.CIRCLES),  # the workers' seats, circle by circle
    inn=(i1, 2),  # the workers' seats on the left and the right circle
    castle=(i1, box.SEATS),  # the workers' seats, circle by circle
    road=(i1, box.ROAD),  # the tile on each space, or EMPTY
    owner=(i1, box.ROAD),  # the owner's seat, or NONE
    worker=(i1, box.ROAD),  # the worker's seat, or NONE
    pending=(i1, box.ROAD),  # the seat whose residence replaces the tile when the worker has gone home, or NONE [D5]
    seat=(SEAT, box.SEATS),
)

SCORES = ("points",)


class ActionKind(IntEnum):
    """The kinds of actions, in the order of their codes."""

    PLACE = 0
    PASS = 1
    MOVE = 2
    JOUST = 3
    STAY = 4
    TAKE = 5
    GIVE = 6
    TRADE = 7
    BUILD = 8
    CONVERT = 9
    BATCH = 10
    FAVOUR = 11


# An action is an integer: the first code of its kind plus its argument.
CODES = Codes(
    PLACE={"place": PLACES},  # 0 to 27 spaces of the road, 28 to 33 special buildings, 34 the castle
    PASS={},  # pass; in other phases take the worker home, stop or decline
    MOVE={"steps": 2 * box.STEPS + 1},  # move the provost: 3 stays, less goes back, more goes forward
    JOUST={},  # pay for a favour
    STAY={},  # leave the worker at the Inn
    TAKE={"cube": box.KINDS_OF_CUBE},  # take a cube of a kind, or all cubes produced with it
    GIVE={"cube": box.KINDS_OF_CUBE},  # give a cube of this kind
    TRADE={"option": box.OFFERS},  # a trade of the building, or the exchange of a favour
    BUILD={"tile": box.BUILT},  # counted from `FIRST_BUILT`, number 9 of `TILE_IDS`
    CONVERT={"space": box.ROAD},  # the building on this space becomes a residence
    BATCH={"pair": len(box.PAIRS)},  # the cubes given with food: kinds 1 2, 1 3, 1 4, 2 3, 2 4, 3 4
    FAVOUR={"line": LINES},  # the line of the favour
)
KIND_OFFSETS = np.array([*CODES.first, CODES.total], np.int16)  # the first code of each kind, then the total
KIND_OF_CODE = CODES.table()  # the kind of each code, an ActionKind
ACTIONS = CODES.total

PLACE, PASS, MOVE, JOUST, STAY, TAKE, GIVE, TRADE, BUILD, CONVERT, BATCH, FAVOUR = CODES.first

# The kinds of actions that answer each question.
ANSWERS = np.zeros((len(Phase), len(ActionKind)), np.bool_)
for _phase, _kinds in {
    Phase.PLACE: (ActionKind.PLACE, ActionKind.PASS),
    Phase.GATE: (ActionKind.PLACE, ActionKind.PASS),
    Phase.GUILD: (ActionKind.MOVE,),
    Phase.JOUST: (ActionKind.PASS, ActionKind.JOUST),
    Phase.INN: (ActionKind.PASS, ActionKind.STAY),
    Phase.PROVOST: (ActionKind.MOVE,),
    Phase.PRODUCE: (ActionKind.TAKE,),
    Phase.BONUS: (ActionKind.TAKE,),
    Phase.TRADE: (ActionKind.PASS, ActionKind.TRADE),
    Phase.BUILD: (ActionKind.PASS, ActionKind.BUILD),
    Phase.CONVERT: (ActionKind.PASS, ActionKind.CONVERT),
    Phase.GIVE: (ActionKind.GIVE,),
    Phase.TAKE: (ActionKind.TAKE,),
    Phase.BATCH: (ActionKind.PASS, ActionKind.BATCH),
    Phase.FAVOUR: (ActionKind.FAVOUR,),
    Phase.RESOURCE: (ActionKind.PASS, ActionKind.TAKE, ActionKind.TRADE),
    Phase.BUILDING: (ActionKind.PASS, ActionKind.BUILD, ActionKind.CONVERT),
}.items():
    ANSWERS[_phase, list(_kinds)] = True


def ask(s, seat, phase):
    """Make a seat the seat to move, with this question."""
    s.turn = seat
    s.phase = phase


def tile_in_use(s):
    """Return the tile on the road space at the cursor [2.16]."""
    return s.road[s.cursor]


def earn(me, source, points):
    """Add points of a source to a player [D25]."""
    me.earned[source] += points


def lose(me, points):
    """Subtract points from a player, but not below 0 [2.25, 2.29]."""
    me.earned[LOST] -= min(points, points_of(me))


def points_of(me):
    total = 0
    for source in range(SOURCES):
        total += me.earned[source]
    return total


def held(me, kinds):
    """Return the number of a player's cubes of the first `kinds` kinds."""
    count = 0
    for kind in range(kinds):
        count += me.cubes[kind]
    return count


def find(seats, seat):
    """Return the index of the first entry that equals `seat`, or NONE."""
    for place, found in enumerate(seats):
        if found == seat:
            return place
    return NONE
