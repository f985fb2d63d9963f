"""The state of a Caylus play, the questions asked in it, and the numbers of all actions."""

from enum import IntEnum

import numpy as np

from ....core.codes import Codes
from ....core.contract import NONE
from ....core.layout import i1, i2, state, struct
from .. import components as box

EMPTY = NONE  # no tile on a space
LEFT, RIGHT = 0, 1  # the circles of the Inn
SINGLES = int(box.Special.STABLES)  # special buildings with one circle come first
CASTLE = box.ROAD + len(box.Special)  # the last of all places: the road, the special buildings, the castle
PLACES = CASTLE + 1
LINES = len(box.Line)


class Stage(IntEnum):
    """The seven phases of a turn [2]; a phase in this program is a question."""

    INCOME = 0
    PLACING = 1
    SPECIAL = 2
    PROVOST = 3
    ROAD = 4
    CASTLE = 5
    END = 6


# The values of `progress`; 0 is none of them.
USED = 1  # special buildings and road: the worker at the cursor has used the building
BONUS_TAKEN = 2  # road: after that, its owner has taken the bonus if there is any
REWARDED = 1  # castle: the builder of the most batches has been rewarded
BAILIFF_MOVED = 1  # end


class Phase(IntEnum):
    """What the seat to move is being asked."""

    NOTHING = 0  # the next step follows by itself
    PLACE = 1  # where does a worker go, or do you pass? [2.2]
    GATE = 2  # where does the worker of the Gate go? [2.8]
    GUILD = 3  # how far does the provost move, free of charge? [2.10]
    JOUST = 4  # do you pay for a favour? [2.11]
    INN = 5  # does the worker stay? [2.13]
    PROVOST = 6  # how far do you move the provost? [2.15]
    PRODUCE = 7  # what does the building produce? [2.17]
    BONUS = 8  # which cube does its owner take? [2.18]
    TRADE = 9  # what do you trade? [2.22]
    BUILD = 10  # what do you build? [2.19, 2.20]
    CONVERT = 11  # what becomes a residence? [2.21]
    GIVE = 12  # which cube do you give?
    TAKE = 13  # which cube do you take?
    BATCH = 14  # do you give a batch to the castle? [2.24]
    FAVOUR = 15  # on which line do you use a favour? [4.2]
    RESOURCE = 16  # what do you take of that line? [4.4]
    BUILDING = 17  # what do you build by that line? [4.4]


class EndReason(IntEnum):
    """Why a play has ended; `over` is 0 while it runs."""

    TOWERS = 1  # the Towers have been scored [3.1]


# Where points come from: the score is their sum. As NumPy's numbers they are all of one type for Numba.
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

SEAT = struct(
    money=i2,  # deniers
    cubes=(i2, box.KINDS_OF_CUBE),  # by kind
    earned=(i2, SOURCES),  # points by where they come from; what is lost is below 0
    favour=(i1, LINES),  # the column of the marker on each line
    used=(i1, LINES),  # has the line been used in this stage? [4.3]
    houses=(i1, box.SECTIONS),  # in each section of the castle
    batches=i1,  # given in this turn [2.26]
)

STATE = state(
    jeweller=i1,  # option: is the Jeweller among the stone buildings?
    favours=i1,  # option: is a favour 3 points instead of the table? [4.6]
    stage=i1,  # of the turn, a Stage
    # what the stage deals with, counted from 0: a place in the turn order (placing workers, end), a special building, a
    # number of the bridge (provost), a space of the road, or a circle of the castle
    cursor=i1,
    progress=i1,  # how far the stage has come with it: 0, USED, BONUS_TAKEN, REWARDED or BAILIFF_MOVED
    bailiff=i1,  # the space where he stands, counted from 1
    provost=i1,  # and where the provost stands
    section=i1,  # the one under construction: the first that has not been scored [2.23]
    granted=i1,  # favours that the seat to move may still use
    give_any=i1,  # cubes that the seat to move still has to give,
    give_common=i1,  # or cubes other than gold,
    take=i1,  # and cubes other than gold that it may take
    order=(i1, box.SEATS),  # of turns
    passed=(i1, box.SEATS),  # who stands on the numbers of the bridge
    special=(i1, SINGLES),  # the worker on the Gate, Trading Post, Merchants' Guild and Joust Field
    stables=(i1, box.CIRCLES),  # workers, circle by circle
    inn=(i1, 2),  # on the left circle and on the right one
    castle=(i1, box.SEATS),  # circle by circle
    road=(i1, box.ROAD),  # the tile on each space, or EMPTY
    owner=(i1, box.ROAD),  # whose it is
    worker=(i1, box.ROAD),  # who works there
    pending=(i1, box.ROAD),  # whose residence it becomes when its worker has gone home [D5]
    seat=(SEAT, box.SEATS),
)

SCORES = ("points",)


class ActionKind(IntEnum):
    """The kinds of actions, by number."""

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


# An action is one whole number, the first code of its kind, plus what it names:
CODES = Codes(
    PLACE={"place": PLACES},  # a worker: 0 to 27 on the road, 28 to 33 on a special building, 34 in the castle
    PASS={},  # in placing; elsewhere the worker goes home, or what is offered is left
    MOVE={"steps": 2 * box.STEPS + 1},  # the provost: 3 stays, less is back, more is on
    JOUST={},  # pay for a favour
    STAY={},  # in the Inn
    TAKE={"cube": box.KINDS_OF_CUBE},  # of a kind, or all that is produced with it
    GIVE={"cube": box.KINDS_OF_CUBE},  # one that is owed
    TRADE={"option": box.OFFERS},  # one of the trades of the building, or the exchange of a favour
    BUILD={"tile": box.BUILT},  # counted from the first that can be built, number 9 of `TILE_IDS`
    CONVERT={"space": box.ROAD},  # the building there becomes a residence
    BATCH={"pair": len(box.PAIRS)},  # food and two others: kinds 1 2, 1 3, 1 4, 2 3, 2 4, 3 4
    FAVOUR={"line": LINES},  # where it is used
)
KIND_OFFSETS = np.array([*CODES.first, CODES.total], np.int16)  # the first code of each kind, and how many there are
KIND_OF_CODE = CODES.table()  # the kind of each code, an ActionKind
ACTIONS = CODES.total

PLACE, PASS, MOVE, JOUST, STAY, TAKE, GIVE, TRADE, BUILD, CONVERT, BATCH, FAVOUR = CODES.first

# What each question can be answered with.
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
    """The next question, to one of the seats."""
    s.turn = seat
    s.phase = phase


def tile_in_use(s):
    """Return the tile on the space of the road that the cursor is at [2.16]."""
    return s.road[s.cursor]


def earn(me, source, points):
    """Points at once, above what there was [D25]."""
    me.earned[source] += points


def lose(me, points):
    """Points are lost, but nobody has fewer than none [2.25, 2.29]."""
    me.earned[LOST] -= min(points, points_of(me))


def points_of(me):
    """All points of a player so far."""
    total = 0
    for source in range(SOURCES):
        total += me.earned[source]
    return total


def held(me, kinds):
    """How many cubes of the first `kinds` kinds a player has."""
    count = 0
    for kind in range(kinds):
        count += me.cubes[kind]
    return count


def find(seats, seat):
    """Where a seat stands in a row of circles, or NONE."""
    for place, found in enumerate(seats):
        if found == seat:
            return place
    return NONE
