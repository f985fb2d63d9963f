"""Setup: the road, the turn order, and the holdings of the players [1, 5.1]."""

from ....core.contract import NONE
from ....engine.kernels.rng import seed_rng, shuffle
from .. import components as box
from .stages import begin, settle
from .state import LEFT, RIGHT, SINGLES, Stage


def setup(s, seats, seed):
    """Set up the board, and go on to the first question [1.2, 2.1]."""
    lay_out(s, seats, seed)
    begin(s, Stage.INCOME)
    settle(s)


def lay_out(s, seats, seed):
    """Set up the board, a random turn order, and the holdings of the players [1.2-1.7, 5.1]."""
    seed_rng(s.rng, seed)
    s.seats = seats
    s.bailiff = s.provost = box.START_SPACE
    for space in range(box.ROAD):
        s.road[space] = space if space < box.NEUTRAL else box.FIXED[space]
        s.owner[space] = s.worker[space] = s.pending[space] = NONE
    shuffle(s.rng, s.road, 0, box.NEUTRAL)
    for place in range(box.SEATS):
        s.order[place] = place if place < seats else NONE
        s.passed[place] = s.castle[place] = NONE
    shuffle(s.rng, s.order, 0, seats)
    for place in range(SINGLES):
        s.special[place] = NONE
    for circle in range(box.CIRCLES):
        s.stables[circle] = NONE
    s.inn[LEFT] = s.inn[RIGHT] = NONE
    for place in range(seats):
        me = s.seat[s.order[place]]
        me.money = box.START_MONEY_OF_TWO[place] if seats == 2 else box.START_MONEY[place]
        for kind in range(box.KINDS_OF_CUBE):
            me.cubes[kind] = box.START_CUBES[kind]
