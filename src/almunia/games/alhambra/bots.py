"""The bots of Alhambra: their levels, and the evaluation of positions."""

from . import components as box
from .rules import scores
from .rules.building import fitting
from .rules.money import holding, pays_exactly
from .rules.scoring import count, longest_wall, points_for_buildings
from .rules.state import EMPTY, Phase, bit, lowest, size

LEVELS = {"easy": "greedy,epsilon=0.05", "medium": "turn", "hard": "search:150"}

VALUE_SCALE = 100  # hundredths in a point
WIN_CHANCE = {  # by seats, fitted by `python -m benchmarks.analysis`
    2: (0.09, 1.448, 2.07, 93.6),
    3: (-0.159, 0.582, 3.528, 128.1),
    4: (-0.335, 1.13, 2.881, 129.5),
    5: (-0.396, 1.29, 2.575, 127.5),
    6: (-0.662, 1.044, 3.087, 124.2),
}
WEIGHTS = {
    "next_round": (60, 64, 72),  # by round, percent of the points that it would give now, if it is the next
    "later": (12, 13, 1),  # by round, the same if it comes later
    "built": (143, 126, 107, 130, 122, 109),  # a tile in the Alhambra, by kind
    "reserved": 38,  # a tile on the reserve board
    "money": 58,  # each unit of a currency up to USEFUL, while the bag is full
    "money_at_end": 21,  # the same when the bag is empty
    "spare": 21,  # each further unit
    "buys": 31,  # a tile on the market that a seat can pay for
    "exact": 136,  # a tile on the market that a seat can pay for exactly
    "action": 712,  # another action after an exact payment
    "door": 46,  # a side where the Alhambra can still grow
}
USEFUL = 13
DOORS = 4  # the most doors that count


def evaluate(s, weights, table, out):
    """Write each seat's points, and before the end add expected points, in hundredths of a point.

    Before the end, the result of `in_progress` is added for the seat to move.
    """
    w = weights[0]
    scores(s, table)
    for p in range(s.seats):
        out[p] = VALUE_SCALE * table[p, 0]
    if s.over:
        return
    me = s.seat[s.turn]
    coming = tiles_that_fit(s, me)
    me.built |= coming
    for p in range(s.seats):
        out[p] += expected_points(s, w, p)
    me.built ^= coming
    out[s.turn] += in_progress(s, w, me)


def tiles_that_fit(s, me):
    """Return the tiles that the seat to move is about to place and that fit on an empty cell."""
    tiles = s.bought | me.leftover
    if s.phase == Phase.PAY:
        tiles |= bit(s.market[s.square])
    elif s.phase == Phase.REBUILD:
        tiles |= bit(s.tile)
    return fitting(s, me, tiles)


def expected_points(s, w, p):
    """Return the value of a seat's coming scoring rounds, tiles, doors and money, as if the rounds were held now."""
    me = s.seat[p]
    wall = longest_wall(me)
    coming = s.due or s.scoring_cards + 1
    total = w.reserved * size(me.reserve) + w.door * min(DOORS, doors(s, me))
    for kind in range(box.KINDS):
        total += w.built[kind] * count(s, p, kind)
    for held in range(coming, box.ROUNDS + 1):
        weight = w.next_round[held - 1] if held == coming else w.later[held - 1]
        total += weight * (points_for_buildings(s, p, held) + wall)
    return total + value_of_money(s, w, me)


def value_of_money(s, w, me):
    """Return the value of a seat's money and of the tiles that it can buy."""
    total = 0
    unit = w.money_at_end + (w.money - w.money_at_end) * s.bag_size // box.TILES
    for currency in range(box.CURRENCIES):
        money = holding(me, currency, box.VALUES)
        total += unit * min(money, USEFUL) + w.spare * max(0, money - USEFUL)
        tile = s.market[currency]
        if tile != EMPTY and money >= box.PRICE[tile]:
            total += w.buys + w.exact * pays_exactly(me, currency, box.VALUES, box.PRICE[tile])
    return total


def doors(s, me):
    """Return the number of open sides in an Alhambra that face empty cells."""
    found = doors_of(me, box.FOUNTAIN, box.HOME)
    tiles = me.built
    while tiles:
        tile = lowest(tiles)
        if s.cell[tile] >= 0:
            found += doors_of(me, tile, s.cell[tile])
        tiles &= tiles - 1
    return found


def doors_of(me, tile, cell):
    found = 0
    for side in range(box.SIDES):
        found += box.WALL[tile, side] == 0 and me.grid[box.NEXT[cell, side]] == EMPTY
    return found


def in_progress(s, w, me):
    """Return the value of the action that an exact payment gives or has given, less the money still owed.

    If no exact payment is possible, one more unit of money counts as lost. The result is 0 unless a payment, or an
    action after an exact payment, is due.
    """
    if s.phase == Phase.PAY:
        exact = pays_exactly(me, s.square, s.least, s.owing)
        return w.action * exact - w.money * s.owing - w.money * (not exact)
    if s.phase == Phase.ACT and s.bought:
        return w.action
    return 0
