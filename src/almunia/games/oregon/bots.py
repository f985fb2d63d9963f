"""The bots of Oregon: their levels, and the evaluation of positions in hundredths of a point.

`evaluate_leaf` values the turns to come, with weights close to a regression on a seat's final lead over the mean:
first over 5,000 plays of greedy bots, then over 500 plays of bots that searched with the first weights.
"""

from . import components as box
from .components import BUILT, EMPTY, JOKER, LANDS, NOWHERE, Building, Terrain
from .rules.phases import chosen_row, holds, opens
from .rules.scoring import farmers_around, makes_group
from .rules.state import Phase

VALUE_SCALE = 100  # the value of one point
SEARCH = {
    "lead_scale": 10.0,
    "prior_visits": 4.0,
    "rollout_decisions": 0.0,
    "rollout_rounds": 1.0,
    "rollout_candidates": 40.0,
}
LEVELS = {"beginner": "greedy,noise=12", "hard": "search:150"}
WIN_CHANCE = {  # by seats, fitted by `python -m benchmarks.analysis`
    2: (0.261, 2.021, 1.981, 37.0),
    3: (0.173, 2.826, 2.084, 48.2),
    4: (-0.067, 2.048, 2.031, 60.1),
}
LUCK_HORIZON = (4, 0.75)  # fitted by `python -m benchmarks.analysis`

WEIGHTS = {
    "tile": 134,  # percent of the average points of a tile
    "joker": 214,  # an active token
    "extra": 219,
    "landscape": 64,  # a landscape card in hand
    "building": 88,  # a usable building card in hand, once
    "useless": -225,  # a building card whose stack is empty
    "near": (4, 7, 2, 1),  # an empty space next to a farmer, by terrain and remaining round
    # At the end of a turn, in `evaluate_leaf`:
    "joker_hope": 260,  # an active token
    "extra_hope": 340,
    "farmer_soon": 66,  # percent of the gain of the best farmer in hand
    "farmer_later": 2,  # the same for each remaining round
    "unplaced": 35,  # each unplaced farmer beyond the fewest of any seat, for each remaining round
    "promise": (7, 7, 5, 0),  # an empty space next to a farmer, by terrain and remaining round
    "group_hope": 110,  # a group that one more farmer would complete
}

FAR = 1 << 20  # more than any gain


def evaluate(s, weights, table, out):
    """Write each seat's points and, before the end, the values of its tiles, tokens and cards.

    Before the end, the result of `in_progress` is added for the seat to move.
    """
    w = weights[0]
    for p in range(s.seats):
        out[p] = position_value(s, w, p)
    if s.over:
        return
    rounds = rounds_left(s)
    for cell in range(box.CELLS):
        p = s.space[cell]
        if EMPTY < p < BUILT:
            out[p] += rounds * room(s, w.near, cell)
    out[s.turn] += in_progress(s, w)


def position_value(s, w, p):
    """Return a seat's points, and before the end add the value of its tiles, tokens and cards in hand."""
    me = s.seat[p]
    value = VALUE_SCALE * me.score
    if s.over:
        return value
    return value + tiles(s, w, p) + w.joker * me.joker + w.extra * me.extra + value_of_hand(s, w, p)


def tiles(s, w, p):
    value = 0
    for sort in range(box.SORTS):
        value += box.AVERAGE[sort] * s.seat[p].tiles[sort]
    return w.tile * value


def value_of_hand(s, w, p):
    """Return the value of the landscape cards, of one usable building card and of useless cards."""
    value, useful = 0, 0
    for kind in range(box.KINDS):
        held = s.seat[p].hand[kind]
        if kind < LANDS:
            value += w.landscape * held
        elif s.stock[kind - LANDS] > 0:
            useful += held
        else:
            value += w.useless * held
    return value + w.building * min(useful, 1)


def rounds_left(s):
    """Return the fewest unplaced farmers of a seat."""
    rounds = box.FARMERS
    for p in range(s.seats):
        rounds = min(rounds, s.seat[p].farmers)
    return rounds


def room(s, value, cell):
    """Return the sum of a value, given by terrain, over the empty spaces next to a cell."""
    total = 0
    for i in range(box.TOUCHES):
        spot = box.TOUCHING[cell, i]
        if spot != NOWHERE and s.space[spot] == EMPTY:
            total += value[box.TERRAIN[spot]]
    return total


def in_progress(s, w):
    """Return the best gain from the chosen cards, or from any two cards in an extra turn, or 0 in other phases.

    The value of a joker is subtracted from a gain that uses the joker.
    """
    p = s.turn
    match s.phase:
        case Phase.SECOND:
            return best_partner(s, w, s.chosen[0])
        case Phase.SPACE:
            return best_space(s, w, p, chosen_row(s)) - cost(w, s.chosen[0], s.chosen[1])
        case Phase.FIRST:
            if s.again:
                return best_pair(s, w)
    return 0


def evaluate_leaf(s, weights, table, out):
    """Write each seat's points, and before the end add an estimate of the points to come."""
    w = weights[0]
    if s.over:
        evaluate(s, weights, table, out)
        return
    rounds = rounds_left(s)
    for p in range(s.seats):
        me = s.seat[p]
        out[p] = VALUE_SCALE * me.score + tiles(s, w, p) + w.joker_hope * me.joker + w.extra_hope * me.extra
        out[p] += (w.farmer_soon + w.farmer_later * rounds) * best_farmer(s, w, p) // 100
        out[p] += w.unplaced * rounds * (me.farmers - rounds) + expected_points(s, w, p, rounds)
    out[s.turn] += in_progress(s, w)


def expected_points(s, w, p, rounds):
    """Return an estimate of the points that the farmers of `p` will earn from new buildings and a group."""
    value, group = 0, 0
    for cell in range(box.CELLS):
        if s.space[cell] == p:
            value += room(s, w.promise, cell)
            if group == 0 and s.seat[p].farmers > 0 and completes_group(s, p, cell):
                group = w.group_hope
    return value * rounds + group


def completes_group(s, p, cell):
    """Return whether another farmer next to the farmer at `cell` would complete a group."""
    for i in range(box.SIDES):
        spot = box.BESIDE[cell, i]
        if spot != NOWHERE and s.space[spot] == EMPTY and box.TERRAIN[spot] != Terrain.WATER:
            if makes_group(s, p, spot):
                return True
    return False


# --- gains from two cards and a space -------------------------------------------------------


def best_farmer(s, w, p):
    """Return the highest gain of `p` from a farmer with two landscape cards in hand, or 0."""
    best = 0
    if s.seat[p].farmers > 0:
        for one in range(LANDS):
            for other in range(one, LANDS):
                if holds(s, p, one, box.NONE) and holds(s, p, other, one):
                    best = max(best, best_space(s, w, p, box.ROW[one, other]))
    return best


def best_pair(s, w):
    """Return the highest gain of the seat to move from two cards in hand, or 0."""
    best = 0
    for one in range(box.KINDS + 1):
        if holds(s, s.turn, one, box.NONE):
            best = max(best, best_partner(s, w, one))
    return best


def best_partner(s, w, one):
    """Return the highest gain of the seat to move from card `one` and a second card, at least minus a joker's value."""
    best, p = -FAR, s.turn
    for other in range(box.KINDS + 1):
        if holds(s, p, other, one) and opens(s, one, other):
            best = max(best, best_space(s, w, p, box.ROW[one, other]) - cost(w, one, other))
    return max(best, -w.joker)


def cost(w, one, other):
    return w.joker if JOKER in (one, other) else 0


def best_space(s, w, p, row):
    """Return the highest gain of `p` from placing on the spaces of a row of box.OPENED, or -FAR if all are occupied."""
    best = -FAR
    for i in range(box.LENGTH[row]):
        cell = box.OPENED[row, i]
        if s.space[cell] == EMPTY:
            best = max(best, net_gain(s, w, p, box.PLACED[row], cell))
    return best


def net_gain(s, w, p, what, cell):
    """Return the gain of `p` from a farmer, or from a building less the highest gain of another seat, at `cell`."""
    if what == box.FARMER:
        return farmer_gain(s, w, p, cell)
    most = 0
    for other in range(s.seats):
        if other != p:
            most = max(most, building_gain(s, w, other, what, cell))
    return building_gain(s, w, p, what, cell) - most


def farmer_gain(s, w, p, cell):
    """Return the gain of `p` from a farmer at `cell` and from the empty spaces next to it [8.2, 9.1]."""
    gain = VALUE_SCALE * box.GROUP_POINTS if makes_group(s, p, cell) else 0
    gain += (s.seat[p].farmers - 1) * room(s, w.near, cell)
    for i in range(box.TOUCHES):
        spot = box.TOUCHING[cell, i]
        if spot != NOWHERE and s.space[spot] >= BUILT:
            gain += value_of(s, w, p, s.space[spot] - BUILT, spot, 1)
    return gain


def building_gain(s, w, p, building, cell):
    """Return the gain of the farmers of `p` from a building at `cell` [10.1]."""
    gain = 0
    for i in range(box.TOUCHES):
        spot = box.TOUCHING[cell, i]
        if spot != NOWHERE and s.space[spot] == p:
            gain += value_of(s, w, p, building, cell, 0)
    return gain


def value_of(s, w, p, building, cell, more):
    """Return the value of a building at `cell` to one farmer of `p`, with `more` farmers next to it than now."""
    points = VALUE_SCALE * box.POINTS[building]
    match building:
        case Building.CHURCH:
            return VALUE_SCALE * (farmers_around(s, cell) + more)
        case Building.COAL_MINE:
            return w.tile * box.AVERAGE[0]
        case Building.GOLD_MINE:
            return w.tile * box.AVERAGE[1]
        case Building.WAREHOUSE:
            return points + w.joker * (1 - s.seat[p].joker)
        case Building.TRAIN_STATION:
            return points + w.extra * (1 - s.seat[p].extra)
    return points
