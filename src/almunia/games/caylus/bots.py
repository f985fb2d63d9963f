"""What counts in Caylus: points, and what money, cubes, buildings, favours and workers out are likely to bring.

The numbers are in hundredths of a point, of which `UNIT` make one. They are judgements; the settings of the search were
tuned against the greedy bot. Whatever cannot be used any more is worth what it brings at the end of the game.
"""

import numpy as np

from ...core.contract import NONE
from . import components as box
from .components import Class, Cube, Effect, Line, Special
from .rules.building import in_supply, site
from .rules.castle import building_site, houses_in
from .rules.state import LEFT, LINES, RIGHT, SINGLES, Phase, Stage, find, points_of

UNIT = 100  # make a point
SEARCH = {"explore": 0.01, "spread": 5.0, "ahead": 4.0, "trust": 4.0}

CUBE = np.array([105, 105, 125, 115, 330], np.int64)  # in the course of the game
CUBE_AT_END = np.array([33, 33, 33, 33, 300], np.int64)
MONEY, MONEY_AT_END = 48, 25
SOON = 3  # turns from the end, things begin to lose their worth
FAVOUR = 240  # one that is still to be used
COLUMN = 45  # a marker, for each column it has come
GUEST = 22  # a building of one's own, for each turn that is left
RESIDENCE = 110  # a site for prestige buildings
MOST = 90  # perhaps most batches
REACHED = np.array([94, 72, 50, 26, 8, 0], np.int64)  # percent, by how far the provost would have to come
GATE, GUILD, STABLES, INN, HOLD_INN = 60, 45, 25, 30, 70


def evaluate(s, table, out):
    """How good the position is for every seat."""
    left = turns_left(s)
    for p in range(s.seats):
        out[p] = UNIT * points_of(s.seat[p])
        if not s.over:
            out[p] += holdings(s, p, left) + property_of(s, p, left) + hopes(s, p) + workers_out(s, p, left)
    if not s.over:
        out[s.turn] += begun(s, left)


def turns_left(s):
    """How many turns are likely to come, without this one."""
    spaces = box.TRIGGER[box.SECTIONS - 1] - s.bailiff
    return max(0, (2 * spaces + 2) // 3)


def worth(full, end, left):
    """What something is worth: less and less in the last turns."""
    return end + (full - end) * min(left, SOON) // SOON


def cube(kind, left):
    """What a cube is worth."""
    return worth(CUBE[kind], CUBE_AT_END[kind], left)


def holdings(s, p, left):
    """Money, cubes and markers."""
    me = s.seat[p]
    value = me.money * worth(MONEY, MONEY_AT_END, left)
    for kind in range(box.KINDS_OF_CUBE):
        value += me.cubes[kind] * cube(kind, left)
    for line in range(LINES):
        value += me.favour[line] * COLUMN * min(left, SOON) // SOON
    return value


def property_of(s, p, left):
    """Buildings of one's own: guests and income."""
    value = 0
    for space in range(box.ROAD):
        if s.owner[space] == p:
            value += tile_value(s.road[space], left)
    return value


def tile_value(tile, left):
    """What it is worth to own a tile, beyond its points."""
    value = box.INCOME[tile] * left * MONEY
    if box.CLASS[tile] == Class.RESIDENTIAL:
        return value + RESIDENCE * min(left, SOON) // SOON
    return value + GUEST * left if box.EFFECT[tile] != Effect.IDLE else value


def hopes(s, p):
    """What the section under construction will bring or cost, the surer the nearer it is."""
    if s.section == box.SECTIONS:
        return 0
    houses = s.seat[p].houses[s.section]
    due = FAVOUR * box.DUE_FAVOURS[s.section, houses] + UNIT * box.DUE_POINTS[s.section, houses]
    near = max(1, 7 - (box.TRIGGER[s.section] - s.bailiff))
    if 2 * houses_in(s, s.section) > box.SPACES[s.section]:
        near = 7
    return due * near // 7


# --- workers out ------------------------------------------------------------------------------------------------------


def workers_out(s, p, left):
    """What the workers of a player are likely to bring."""
    value = HOLD_INN * (s.inn[RIGHT] == p) * min(left, 1) + INN * (s.inn[LEFT] == p) * min(left, 1)
    for space in range(box.ROAD):
        if s.worker[space] == p and is_to_come(s, space):
            beyond = min(max(0, space + 1 - s.provost), len(REACHED) - 1)
            sure = 100 if s.stage == Stage.ROAD else REACHED[beyond]
            value += sure * use(s, p, s.road[space], left) // 100
    for special in range(SINGLES):
        if s.special[special] == p and not s.done:
            value += special_value(s, p, special, left)
    circle = find(s.stables, p)
    if circle != NONE and s.seats > circle:
        value += STABLES * max(0, find(s.order, p) - circle)
    circle = find(s.castle, p)
    if circle != NONE and (s.stage < Stage.CASTLE or (s.stage == Stage.CASTLE and circle >= s.place)):
        value += castle_value(s, p, left)
    return value


def is_to_come(s, space):
    """Will the worker there still use its building in this turn?"""
    if s.stage < Stage.ROAD:
        return True
    if s.stage > Stage.ROAD or space >= s.provost or space < s.place:
        return False
    return space > s.place or s.done == 0 or s.phase in (Phase.PRODUCE, Phase.TRADE, Phase.BUILD, Phase.CONVERT)


def special_value(s, p, special, left):
    """What a special building is worth to a worker there."""
    me = s.seat[p]
    match special:
        case Special.GATE:
            return GATE
        case Special.TRADING_POST:
            return box.POST_MONEY * worth(MONEY, MONEY_AT_END, left)
        case Special.MERCHANTS_GUILD:
            return GUILD
    if me.cubes[Cube.CLOTH] < box.JOUST_CLOTH or me.money < box.JOUST_MONEY:
        return 0
    return max(0, FAVOUR - cube(Cube.CLOTH, left) - worth(MONEY, MONEY_AT_END, left))


def use(s, p, tile, left):
    """What a worker on the building brings."""
    match box.EFFECT[tile]:
        case Effect.PRODUCE:
            return best_yield(tile, left)
        case Effect.TRADE:
            return best_trade(s, p, tile, left)
        case Effect.BUILD:
            return best_building(s, p, box.BUILDS[tile], left)
    me = s.seat[p]
    if me.cubes[Cube.CLOTH] == 0 or me.money == 0:
        return 0
    gain = UNIT * box.POINTS[box.RESIDENCE] + tile_value(box.RESIDENCE, left)
    return max(0, gain - cube(Cube.CLOTH, left) - worth(MONEY, MONEY_AT_END, left))


def best_yield(tile, left):
    """The most that a building produces."""
    best = 0
    for kind in range(box.KINDS_OF_CUBE):
        value = 0
        for other in range(box.KINDS_OF_CUBE):
            value += box.YIELD[tile, kind, other] * cube(other, left)
        best = max(best, value)
    return best


def best_trade(s, p, tile, left):
    """The most that a trade of the building brings beyond what it costs."""
    best, me = 0, s.seat[p]
    common = cube(Cube.FOOD, left)
    for option in range(box.TRADES[tile]):
        fits = me.money >= box.PAY_MONEY[tile, option]
        money = worth(MONEY, MONEY_AT_END, left) * (box.GAIN_MONEY[tile, option] - box.PAY_MONEY[tile, option])
        value = money + UNIT * box.GAIN_POINTS[tile, option]
        value += common * (box.GAIN_COMMON[tile, option] - box.PAY_COMMON[tile, option] - box.PAY_ANY[tile, option])
        count = 0
        for kind in range(box.KINDS_OF_CUBE):
            fits = fits and me.cubes[kind] >= box.PAY_CUBES[tile, option, kind]
            value += cube(kind, left) * (box.GAIN_CUBES[tile, option, kind] - box.PAY_CUBES[tile, option, kind])
            count += me.cubes[kind] * (kind < box.COMMON)
        if fits and count >= box.PAY_COMMON[tile, option] + box.PAY_ANY[tile, option]:
            best = max(best, value)
    return best


def best_building(s, p, kind, left):
    """The most that a building of a class brings beyond its cubes."""
    if site(s, p, kind) == NONE:
        return 0
    best = 0
    for tile in range(box.FIRST_BUILT, box.FIRST_BUILT + box.BUILT):
        if box.CLASS[tile] == kind:
            best = max(best, building_gain(s, p, tile, left))
    return best


def building_gain(s, p, tile, left):
    """What building a tile brings beyond its cubes; nothing if it cannot be paid for, or is gone."""
    me, price, rest = s.seat[p], box.COST_ANY[tile] * cube(Cube.FOOD, left), -box.COST_ANY[tile]
    for kind in range(box.KINDS_OF_CUBE):
        if me.cubes[kind] < box.COST[tile, kind]:
            return 0
        price += box.COST[tile, kind] * cube(kind, left)
        rest += me.cubes[kind] - box.COST[tile, kind]
    value = UNIT * box.POINTS[tile] + FAVOUR * box.FAVOURS[tile] + tile_value(tile, left) - price
    if box.CLASS[tile] == Class.PRESTIGE:
        value -= tile_value(box.RESIDENCE, left)
    return value if rest >= 0 and in_supply(s, tile) > 0 else 0


def castle_value(s, p, left):
    """What a worker in the castle is worth: batches, or the points that giving none costs."""
    section, me = building_site(s), s.seat[p]
    if section == NONE:
        return 0
    others = 0
    for kind in range(1, box.KINDS_OF_CUBE):
        others += me.cubes[kind] > 0
    if me.cubes[Cube.FOOD] == 0 or others < 2:
        return MOST * (me.batches > 0) - UNIT * box.NO_BATCH * (me.batches == 0)
    gain = UNIT * box.BATCH_POINTS[section] - 3 * cube(Cube.FOOD, left)
    return MOST + max(0, gain)


# --- what has been begun ----------------------------------------------------------------------------------------------


def begun(s, left):
    """What is owed to the seat to move, and what it is being asked."""
    value = s.granted * FAVOUR + (s.take - s.give_common) * cube(Cube.FOOD, left)
    if s.give_any > 0:
        value -= cheapest(s.seat[s.turn], left)
    if s.phase == Phase.RESOURCE:
        value += cube(Cube.STONE, left)
    elif s.phase == Phase.BUILDING:
        value += best_by_favour(s, left)
    elif s.phase == Phase.BONUS:
        value += cube(Cube.FOOD, left)
    return value


def cheapest(me, left):
    """The cube one would rather give."""
    least = cube(Cube.GOLD, left)
    for kind in range(box.COMMON):
        if me.cubes[kind] > 0:
            least = min(least, cube(kind, left))
    return least


def best_by_favour(s, left):
    """The best building that the marker allows, as if it were paid in full."""
    best, level = 0, s.seat[s.turn].favour[Line.BUILDINGS]
    for kind in (Class.WOOD, Class.STONE, Class.PRESTIGE):
        if level >= box.BUILDS_FROM[kind]:
            best = max(best, best_building(s, s.turn, kind, left))
    return best
