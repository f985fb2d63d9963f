"""Evaluation of Caylus positions, in hundredths of a point.

The weights depend on one another, so change them together.
"""

from ...core.contract import NONE
from . import components as box
from .components import Class, Cube, Effect, Line, Special
from .rules.building import in_supply, site
from .rules.castle import building_site, houses_in
from .rules.state import LEFT, LINES, RIGHT, SINGLES, Phase, Stage, find, points_of

VALUE_SCALE = 100  # hundredths per point
LEVELS = {"beginner": "greedy,noise=90"}
SEARCH = {"exploration": 0.05, "lead_scale": 5.0, "rollout_decisions": 10.0, "prior_visits": 2.5}
WIN_CHANCE = {  # by seats, fitted by `python -m benchmarks.analysis`
    2: (-0.001, 0.804, 1.024, 14.8),
    3: (-0.352, 0.746, 0.972, 13.9),
    4: (-0.647, 0.781, 0.965, 13.7),
    5: (-0.769, 0.626, 1.318, 13.8),
}

SOON = 5  # number of last turns in which values fall
ENOUGH = 2  # cubes of a common kind; further cubes count less
WEIGHTS = {
    "cube": (149, 105, 200, 121, 208),  # by kind, during the game
    "cube_at_end": (32, 51, 37, 41, 428),
    "crowd": 132,  # subtracted for each cube of a common kind beyond ENOUGH
    "money": 50,
    "money_at_end": 24,
    "favour": 127,  # a favour that can still be used
    "column": (43, 95, 3, 50),  # by line of favours, for each column that the marker has advanced
    "guest": 8,  # an own building, for each remaining turn; other players may use it
    "bonus": 115,  # a building that gives its owner a cube, for each remaining turn
    "residence": 45,  # a residence, as a site for prestige buildings
    "most": 43,  # the chance to give the most batches
    "more": 135,  # each batch after the first that a worker in the castle can give
    "circle": 139,  # the worker on the first circle of the castle
    "safe": 82,  # percent of a worker's value, up to the provost's space
    "beyond": 5,  # the same beyond that space
    "yields": 142,  # percent of a worker's value, by effect
    "trades": 78,
    "builds": 134,
    "gate": 60,  # workers on special buildings
    "guild": 29,
    "stables": 79,
    "inn": 16,
    "hold_inn": 95,
}


def evaluate(s, weights, table, out):
    """Write the value of the position for each seat to `out`, (seats,) int64."""
    w = weights[0]
    left = turns_left(s)
    for p in range(s.seats):
        out[p] = VALUE_SCALE * points_of(s.seat[p])
        if not s.over:
            out[p] += (
                holdings(s, w, p, left)
                + property_of(s, w, p, left)
                + section_bonus(s, w, p)
                + workers_out(s, w, p, left)
            )
    if not s.over:
        out[s.turn] += in_progress(s, w, left)


def turns_left(s):
    """Return an estimate of the number of turns that follow this turn."""
    spaces = box.TRIGGER[box.GAME_SECTIONS[s.reduced] - 1] - s.bailiff
    return max(0, (2 * spaces + 2) // 3)


def fading(full, left):
    """Return the part of a value that is left when it falls linearly to zero in the last SOON turns."""
    return full if left >= SOON else full * left // SOON


def worth(full, end, left):
    """Return a value that changes linearly from `full` to `end` in the last SOON turns."""
    return full if left >= SOON else end + fading(full - end, left)


def cube(w, kind, left):
    return worth(w.cube[kind], w.cube_at_end[kind], left)


def holdings(s, w, p, left):
    """Return the value of a player's money, cubes and favour markers."""
    me = s.seat[p]
    value = me.money * worth(w.money, w.money_at_end, left)
    for kind in range(box.KINDS_OF_CUBE):
        value += me.cubes[kind] * cube(w, kind, left)
        if kind < box.COMMON:
            value -= fading(w.crowd * max(0, me.cubes[kind] - ENOUGH), left)
    for line in range(LINES):
        value += fading(me.favour[line] * w.column[line], left)
    return value


def property_of(s, w, p, left):
    """Return the value of a player's buildings, apart from their points."""
    value = 0
    for space in range(box.ROAD):
        if s.owner[space] == p:
            value += tile_value(w, s.road[space], left)
    return value


def tile_value(w, tile, left):
    """Return the value of owning a tile, apart from its points."""
    value = box.INCOME[tile] * left * w.money
    if box.CLASS[tile] == Class.RESIDENTIAL:
        return value + fading(w.residence, left)
    if box.EFFECT[tile] == Effect.IDLE:
        return value
    return value + w.guest * left + (w.bonus * left if box.HAS_BONUS[tile] else 0)


def section_bonus(s, w, p):
    """Return the value of a player's favours or loss from the current section, which grows towards the scoring."""
    if s.section == box.SECTIONS:
        return 0
    houses = s.seat[p].houses[s.section]
    due = w.favour * box.DUE_FAVOURS[s.section, houses] + VALUE_SCALE * box.DUE_POINTS[s.section, houses]
    near = max(1, 7 - (box.TRIGGER[s.section] - s.bailiff))
    if 2 * houses_in(s, s.section) > box.SPACES[s.section]:
        near = 7
    return due * near // 7


# --- workers out ------------------------------------------------------------------------------------------------------


def workers_out(s, w, p, left):
    """Return the expected gains of a player's placed workers."""
    value = w.hold_inn * (s.inn[RIGHT] == p) * min(left, 1) + w.inn * (s.inn[LEFT] == p) * min(left, 1)
    for space in range(box.ROAD):
        if s.worker[space] == p and is_to_come(s, space):
            sure = w.safe if space < s.provost else w.beyond
            if s.stage == Stage.ROAD:
                sure = 100
            value += sure * use(s, w, p, s.road[space], left) // 100
    for special in range(SINGLES):
        if s.special[special] == p and s.progress == 0:
            value += special_value(s, w, p, special, left)
    circle = find(s.stables, p)
    if circle != NONE and s.seats > circle:
        value += w.stables * max(0, find(s.order, p) - circle)
    circle = find(s.castle, p)
    if circle != NONE and (s.stage < Stage.CASTLE or (s.stage == Stage.CASTLE and circle >= s.cursor)):
        value += castle_value(s, w, p, left) + w.circle * (circle == 0)
    return value


def is_to_come(s, space):
    """Return whether the worker on this space may still use its building in this turn."""
    if s.stage < Stage.ROAD:
        return True
    if s.stage > Stage.ROAD or space >= s.provost or space < s.cursor:
        return False
    return space > s.cursor or s.progress == 0 or s.phase in (Phase.PRODUCE, Phase.TRADE, Phase.BUILD, Phase.CONVERT)


def special_value(s, w, p, special, left):
    """Return the value of a player's worker on a special building with one circle."""
    me = s.seat[p]
    match special:
        case Special.GATE:
            return w.gate
        case Special.TRADING_POST:
            return box.POST_MONEY * worth(w.money, w.money_at_end, left)
        case Special.MERCHANTS_GUILD:
            return w.guild
    if me.cubes[Cube.CLOTH] < box.JOUST_CLOTH or me.money < box.JOUST_MONEY:
        return 0
    return max(0, w.favour - cube(w, Cube.CLOTH, left) - worth(w.money, w.money_at_end, left))


def use(s, w, p, tile, left):
    """Return the value of a player's worker on a building of the road."""
    match box.EFFECT[tile]:
        case Effect.PRODUCE:
            return best_yield(w, tile, left) * w.yields // 100
        case Effect.TRADE:
            return best_trade(s, w, p, tile, left) * w.trades // 100
        case Effect.BUILD:
            return best_building(s, w, p, box.BUILDS[tile], left) * w.builds // 100
    me = s.seat[p]
    if me.cubes[Cube.CLOTH] == 0 or me.money == 0:
        return 0
    gain = VALUE_SCALE * box.POINTS[box.RESIDENCE] + tile_value(w, box.RESIDENCE, left)
    return max(0, gain - cube(w, Cube.CLOTH, left) - worth(w.money, w.money_at_end, left))


def best_yield(w, tile, left):
    best = 0
    for kind in range(box.KINDS_OF_CUBE):
        value = 0
        for other in range(box.KINDS_OF_CUBE):
            value += box.YIELD[tile, kind, other] * cube(w, other, left)
        best = max(best, value)
    return best


def best_trade(s, w, p, tile, left):
    """Return the largest gain from the building's trades that the player can pay, or 0."""
    best, me = 0, s.seat[p]
    common = cube(w, Cube.FOOD, left)
    for option in range(box.TRADES[tile]):
        fits = me.money >= box.PAY_MONEY[tile, option]
        money = worth(w.money, w.money_at_end, left) * (box.GAIN_MONEY[tile, option] - box.PAY_MONEY[tile, option])
        value = money + VALUE_SCALE * box.GAIN_POINTS[tile, option]
        value += common * (box.GAIN_COMMON[tile, option] - box.PAY_COMMON[tile, option] - box.PAY_ANY[tile, option])
        count = 0
        for kind in range(box.KINDS_OF_CUBE):
            fits = fits and me.cubes[kind] >= box.PAY_CUBES[tile, option, kind]
            value += cube(w, kind, left) * (box.GAIN_CUBES[tile, option, kind] - box.PAY_CUBES[tile, option, kind])
            count += me.cubes[kind] * (kind < box.COMMON)
        if fits and count >= box.PAY_COMMON[tile, option] + box.PAY_ANY[tile, option]:
            best = max(best, value)
    return best


def best_building(s, w, p, kind, left):
    """Return the largest gain from a building of a class that the player can build, or 0."""
    if site(s, p, kind) == NONE:
        return 0
    best = 0
    for tile in range(box.FIRST_BUILT, box.FIRST_BUILT + box.BUILT):
        if box.CLASS[tile] == kind:
            best = max(best, building_gain(s, w, p, tile, left))
    return best


def building_gain(s, w, p, tile, left):
    """Return the gain from building a tile, less its price, or 0 if the player lacks cubes or no copy is left."""
    me, price, rest = s.seat[p], box.COST_ANY[tile] * cube(w, Cube.FOOD, left), -box.COST_ANY[tile]
    for kind in range(box.KINDS_OF_CUBE):
        if me.cubes[kind] < box.COST[tile, kind]:
            return 0
        price += box.COST[tile, kind] * cube(w, kind, left)
        rest += me.cubes[kind] - box.COST[tile, kind]
    value = VALUE_SCALE * box.POINTS[tile] + w.favour * box.FAVOURS[tile] + tile_value(w, tile, left) - price
    if box.CLASS[tile] == Class.PRESTIGE:
        value -= tile_value(w, box.RESIDENCE, left)
    return value if rest >= 0 and in_supply(s, tile) > 0 else 0


def castle_value(s, w, p, left):
    """Return the value of a player's worker in the castle, or 0 if the castle is full."""
    section, me = building_site(s), s.seat[p]
    if section == NONE:
        return 0
    possible = batches(me)
    if possible == 0:
        return w.most * (me.batches > 0) - VALUE_SCALE * box.NO_BATCH * (me.batches == 0)
    gain = VALUE_SCALE * box.BATCH_POINTS[section] - 3 * cube(w, Cube.FOOD, left)
    return w.most + max(0, gain) + w.more * (possible - 1)


def batches(me):
    """Return the number of batches that the player could give, each of food and two other kinds."""
    for n in range(me.cubes[Cube.FOOD]):
        others = 0
        for kind in range(1, box.KINDS_OF_CUBE):
            others += min(me.cubes[kind], n + 1)
        if others < 2 * (n + 1):
            return n
    return 0 + me.cubes[Cube.FOOD]


# --- the decision in progress -----------------------------------------------------------------------------------------


def in_progress(s, w, left):
    """Return the value of what the seat to move has yet to use, take or give."""
    value = s.granted * w.favour + (s.take - s.give_common) * cube(w, Cube.FOOD, left)
    if s.give_any > 0:
        value -= cheapest(w, s.seat[s.turn], left)
    if s.phase == Phase.RESOURCE:
        value += cube(w, Cube.STONE, left)
    elif s.phase == Phase.BUILDING:
        value += best_by_favour(s, w, left)
    elif s.phase == Phase.BONUS:
        value += cube(w, Cube.FOOD, left)
    return value


def cheapest(w, me, left):
    """Return the lowest value among the player's common cubes and a gold."""
    least = cube(w, Cube.GOLD, left)
    for kind in range(box.COMMON):
        if me.cubes[kind] > 0:
            least = min(least, cube(w, kind, left))
    return least


def best_by_favour(s, w, left):
    """Return the value of the best building that the marker allows, without the favour's discount, or 0."""
    best, level = 0, s.seat[s.turn].favour[Line.BUILDINGS]
    for kind in (Class.WOOD, Class.STONE, Class.PRESTIGE):
        if level >= box.BUILDS_FROM[kind]:
            best = max(best, best_building(s, w, s.turn, kind, left))
    return best
