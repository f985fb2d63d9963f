"""The seven stages of a turn of Caylus, step by step [2]."""

from ....core.contract import NONE
from .. import components as box
from ..components import Special
from .building import become_residence
from .castle import clear_castle, finish, is_due, move_bailiff, reward_builders, score_section
from .favours import use_favour
from .placing import at_home, pass_on, settle_order
from .road import owner_bonus, use_building
from .state import BAILIFF_MOVED, BONUS_TAKEN, EMPTY, LEFT, LINES, REWARDED, RIGHT, USED, Phase, Stage, ask, find

# --- from step to step ---------------------------------------------------------------------------------------


def settle(s):
    """Take steps until a player has a question to answer or the play is over [D34]."""
    while s.phase == Phase.NOTHING and not s.over:
        step(s)


def step(s):
    """Take the next step: first for cubes owed, then for favours, then of the stage [4.2, 4.5, D31]."""
    if s.give_any + s.give_common > 0:
        s.phase = Phase.GIVE
    elif s.take > 0:
        s.phase = Phase.TAKE
    elif s.granted > 0:
        use_favour(s)
    else:
        go_on(s)


def go_on(s):
    """Take the next step of the current stage [2]."""
    match s.stage:
        case Stage.INCOME:
            take_income(s)
        case Stage.PLACING:
            next_to_place(s)
        case Stage.SPECIAL:
            next_special(s)
        case Stage.PROVOST:
            next_to_move(s)
        case Stage.ROAD:
            next_on_road(s)
        case Stage.CASTLE:
            next_in_castle(s)
        case Stage.END:
            next_at_end(s)


def begin(s, stage):
    """Begin a stage, and mark all lines of favours as unused [4.3, D12]."""
    s.stage = stage
    s.cursor = s.progress = 0
    for p in range(s.seats):
        for line in range(LINES):
            s.seat[p].used[line] = 0


# --- 1: income [2.1] -----------------------------------------------------------------------------------------


def take_income(s):
    """Give every player the income of a turn, and begin placing workers [2.1, 2.20]."""
    for p in range(s.seats):
        s.seat[p].money += box.BASE_INCOME
    for space in range(box.ROAD):
        tile, owner = s.road[space], s.owner[space]
        if tile != EMPTY and owner != NONE:
            s.seat[owner].money += box.INCOME[tile]
    begin(s, Stage.PLACING)


# --- 2: placing workers [2.2-2.7] ----------------------------------------------------------------------------


def next_to_place(s):
    """Take a step of placing workers [2.2, 2.3, D26]."""
    seat = s.order[s.cursor]
    if s.passed[s.seats - 1] != NONE:
        begin(s, Stage.SPECIAL)
    elif find(s.passed, seat) != NONE:
        s.cursor = (s.cursor + 1) % s.seats
    elif at_home(s, seat) == 0:
        pass_on(s)
    else:
        ask(s, seat, Phase.PLACE)


# --- 3: special buildings [2.8-2.14] -------------------------------------------------------------------------


def next_special(s):
    """Take a step of the special buildings [1.3, 2.14]."""
    if s.cursor > Special.INN:
        begin(s, Stage.PROVOST)
    elif s.cursor == Special.INN:
        use_inn(s)
    elif s.cursor == Special.STABLES:
        settle_order(s)
        s.cursor += 1
    elif s.special[s.cursor] != NONE and s.progress != USED:
        s.progress = USED
        use_special(s, s.cursor, s.special[s.cursor])
    else:
        s.special[s.cursor] = NONE
        s.progress = 0
        s.cursor += 1


def use_special(s, special, seat):
    """Use the Gate, Trading Post, Merchants' Guild or Joust Field for the worker's player [2.8-2.11]."""
    match special:
        case Special.GATE:
            ask(s, seat, Phase.GATE)
        case Special.TRADING_POST:
            s.seat[seat].money += box.POST_MONEY
        case Special.MERCHANTS_GUILD:
            ask(s, seat, Phase.GUILD)
        case Special.JOUST_FIELD:
            ask(s, seat, Phase.JOUST)


def use_inn(s):
    """Take a step of the Inn [2.13, D2]."""
    if s.inn[LEFT] != NONE:
        s.inn[RIGHT] = s.inn[LEFT]
        s.inn[LEFT] = NONE
        s.cursor += 1
    elif s.inn[RIGHT] != NONE and s.progress != USED:
        s.progress = USED
        ask(s, s.inn[RIGHT], Phase.INN)
    else:
        s.cursor += 1


# --- 4: the provost [2.15] -----------------------------------------------------------------------------------


def next_to_move(s):
    """Ask the next player on the bridge to move the provost, or begin the next stage [2.15, D32]."""
    if s.cursor == s.seats:
        begin(s, Stage.ROAD)
    else:
        ask(s, s.passed[s.cursor], Phase.PROVOST)


# --- 5: buildings on the road [2.16-2.22] --------------------------------------------------------------------


def next_on_road(s):
    """Take a step of the road [2.16, 2.18, D5, D28, D29]."""
    space = s.cursor
    if space == box.ROAD:
        begin(s, Stage.CASTLE)
    elif s.worker[space] == NONE or space >= s.provost or s.progress == BONUS_TAKEN:
        s.worker[space] = NONE
        if s.pending[space] != NONE:
            become_residence(s, space)
        s.progress = 0
        s.cursor += 1
    elif s.progress == USED:
        s.progress = BONUS_TAKEN
        owner_bonus(s, space)
    else:
        s.progress = USED
        use_building(s, space)


# --- 6: the castle [2.23-2.26] -------------------------------------------------------------------------------


def next_in_castle(s):
    """Take a step of the castle [2.24, 2.26]."""
    if s.progress == REWARDED:
        clear_castle(s)
        begin(s, Stage.END)
    elif s.cursor == s.seats or s.castle[s.cursor] == NONE:
        s.progress = REWARDED
        reward_builders(s)
    else:
        ask(s, s.castle[s.cursor], Phase.BATCH)


# --- 7: the end of the turn [2.27-2.30] ----------------------------------------------------------------------


def next_at_end(s):
    """Take a step of the end of a turn [2.28-2.30, 3.3, D15, D37]."""
    if s.progress != BAILIFF_MOVED:
        move_bailiff(s)
        s.progress = BAILIFF_MOVED
    elif s.section == box.GAME_SECTIONS[s.reduced]:
        finish(s)
    elif not is_due(s, s.section):
        next_turn(s)
    elif s.cursor < s.seats:
        score_section(s, s.order[s.cursor])
        s.cursor += 1
    else:
        s.section += 1
        s.cursor = 0


def next_turn(s):
    """Clear the bridge and begin the next turn. Two players swap places in the turn order [2.30, 5.1, D33]."""
    s.turns += 1
    for place in range(s.seats):
        s.passed[place] = NONE
    if s.seats == 2:
        s.order[0], s.order[1] = s.order[1], s.order[0]
    begin(s, Stage.INCOME)
