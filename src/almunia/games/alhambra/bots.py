"""The bots of Alhambra: their levels, and the evaluation of positions."""

from . import components as box
from .rules import scores
from .rules.building import fitting
from .rules.money import holding, pays_exactly
from .rules.scoring import longest_wall, points_for_buildings
from .rules.state import EMPTY, Phase, bit, lowest, size

LEVELS = {"beginner": "greedy,noise=14", "medium": "turn", "hard": "search:150"}

VALUE_SCALE = 100  # hundredths in a point
WIN_CHANCE = {  # by seats, fitted by `python -m benchmarks.analysis`
    2: (0.09, 1.448, 2.07, 93.6),
    3: (-0.159, 0.582, 3.528, 128.1),
    4: (-0.335, 1.13, 2.881, 129.5),
    5: (-0.396, 1.29, 2.575, 127.5),
    6: (-0.662, 1.044, 3.087, 124.2),
}
LUCK_HORIZON = (1, 0.22)  # fitted by `python -m benchmarks.analysis`
WEIGHTS = {  # in `evaluate`, tuned in games of greedy bots, and in `evaluate_leaf`
    "next_round": (65, 85),  # percent of the points that the next round would give now
    "later": (9, 55),  # the same for each later round
    "built": (123, 120),  # a tile in the Alhambra
    "reserved": (38, 40),  # a tile on the reserve board
    "money": (58, 45),  # each unit of a currency up to USEFUL, while the bag is full
    "money_at_end": (21, 45),  # the same when the bag is empty
    "spare": (21, 12),  # each further unit
    "buys": (31, 0),  # a tile on the market that a seat can pay for
    "exact": (136, 0),  # a tile on the market that a seat can pay for exactly
    "action": (712, 260),  # another action after an exact payment
    "door": (46, 45),  # a side where the Alhambra can still grow
}
BY_ACTION, LEAF = 0, 1  # indexes of weights
USEFUL = 13
DOORS = 4  # the most doors that count


def evaluate(s, weights, table, out):
    """Write each seat's points, and before the end add expected points, in hundredths of a point.

    Before the end, the result of `in_progress` is added for the seat to move.
    """
    write_values(s, weights[0], BY_ACTION, table, out)


def evaluate_leaf(s, weights, table, out):
    """Write the same values as `evaluate`, with the weights of leaves."""
    write_values(s, weights[0], LEAF, table, out)


def write_values(s, w, use, table, out):
    """Write the values of all seats, with the weights at index `use`."""
    scores(s, table)
    for p in range(s.seats):
        out[p] = VALUE_SCALE * table[p, 0]
    if s.over:
        return
    me = s.seat[s.turn]
    coming = tiles_that_fit(s, me)
    me.built |= coming
    for p in range(s.seats):
        out[p] += expected_points(s, w, use, p)
    me.built ^= coming
    out[s.turn] += in_progress(s, w, use, me)


def tiles_that_fit(s, me):
    """Return the tiles that the seat to move is about to place and that fit on an empty cell."""
    tiles = s.bought | me.leftover
    if s.phase == Phase.PAY:
        tiles |= bit(s.market[s.square])
    elif s.phase == Phase.REBUILD:
        tiles |= bit(s.tile)
    return fitting(s, me, tiles)


def expected_points(s, w, use, p):
    """Return the value of a seat's coming scoring rounds, tiles, doors and money, as if the rounds were held now."""
    me = s.seat[p]
    wall = longest_wall(me)
    coming = s.due or s.scoring_cards + 1
    total = w.built[use] * size(me.built) + w.reserved[use] * size(me.reserve) + w.door[use] * min(DOORS, doors(s, me))
    for held in range(coming, box.ROUNDS + 1):
        weight = w.next_round[use] if held == coming else w.later[use]
        total += weight * (points_for_buildings(s, p, held) + wall)
    return total + value_of_money(s, w, use, me)


def value_of_money(s, w, use, me):
    """Return the value of a seat's money and of the tiles that it can buy."""
    total = 0
    unit = w.money_at_end[use] + (w.money[use] - w.money_at_end[use]) * s.bag_size // box.TILES
    for currency in range(box.CURRENCIES):
        money = holding(me, currency, box.VALUES)
        total += unit * min(money, USEFUL) + w.spare[use] * max(0, money - USEFUL)
        tile = s.market[currency]
        if tile != EMPTY and money >= box.PRICE[tile]:
            total += w.buys[use] + w.exact[use] * pays_exactly(me, currency, box.VALUES, box.PRICE[tile])
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


def in_progress(s, w, use, me):
    """Return the value of the action that an exact payment gives or has given, less the money still owed.

    If no exact payment is possible, one more unit of money counts as lost. The result is 0 unless a payment, or an
    action after an exact payment, is due.
    """
    if s.phase == Phase.PAY:
        exact = pays_exactly(me, s.square, s.least, s.owing)
        return w.action[use] * exact - w.money[use] * s.owing - w.money[use] * (not exact)
    if s.phase == Phase.ACT and s.bought:
        return w.action[use]
    return 0
