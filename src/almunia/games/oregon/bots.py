"""What counts in Oregon: points, what lies face down, the tokens, and what the cards chosen will earn."""

from ...core.loops import wide
from . import components as box
from .components import BUILT, EMPTY, JOKER, LANDS, NOWHERE, Building
from .rules import Phase, chosen_row, holds, opens
from .scoring import farmers_around, makes_group

SEARCH = {"explore": 0.05, "spread": 10.0, "tries": 40.0}  # whoever plays on makes the most of each turn

JOKER_VALUE, EXTRA_VALUE = 2, 4  # of an active token, in points
USELESS = -2  # a building card whose stack is empty
FAR = 1 << 20  # beyond all points


def evaluate(s, table, out):
    """Points of every seat, with expected tiles, tokens and cards; for the seat to move, what it has begun."""
    for p in range(s.seats):
        out[p] = standing(s, p)
    if s.over:
        return
    match s.phase:
        case Phase.SECOND:
            out[s.turn] += best_partner(s, wide(s.chosen[0]))
        case Phase.SPACE:
            out[s.turn] += best_space(s, chosen_row(s)) - cost(wide(s.chosen[0]), wide(s.chosen[1]))
        case Phase.FIRST:
            if s.again:
                out[s.turn] += best_pair(s)


def standing(s, p):
    """The points of a seat, its tiles at their average, its tokens and the cards it holds."""
    me = s.seat[p]
    value = wide(me.score)
    if s.over:
        return value
    for sort in range(box.SORTS):
        value += wide(box.AVERAGE[sort]) * me.tiles[sort]
    return value + JOKER_VALUE * me.joker + EXTRA_VALUE * me.extra + value_of_hand(s, p)


def value_of_hand(s, p):
    """A point for each landscape card and for one building card that can be used; useless ones are a burden."""
    value, useful = 0, 0
    for kind in range(box.KINDS):
        held = wide(s.seat[p].hand[kind])
        if kind < LANDS:
            value += held
        elif s.stock[kind - LANDS] > 0:
            useful += held
        else:
            value += USELESS * held
    return value + min(useful, 1)


def best_pair(s):
    """The most that two cards in hand can earn."""
    best = -FAR
    for kind in range(box.KINDS + 1):
        if holds(s, kind, box.NONE):
            best = max(best, best_partner(s, kind))
    return max(best, 0)


def best_partner(s, one):
    """The most that this card can earn with another one of the hand."""
    best = -FAR
    for other in range(box.KINDS + 1):
        if holds(s, other, one) and opens(s, one, other):
            best = max(best, best_space(s, wide(box.ROW[one, other])) - cost(one, other))
    return max(best, -JOKER_VALUE)


def cost(one, other):
    """What is given up by playing these cards, beside the cards themselves."""
    return JOKER_VALUE if JOKER in (one, other) else 0


def best_space(s, row):
    """The most that can be earned on the spaces of a row of box.OPENED."""
    best = -FAR
    for i in range(box.LENGTH[row]):
        cell = wide(box.OPENED[row, i])
        if s.space[cell] == EMPTY:
            best = max(best, promised(s, wide(box.PLACED[row]), cell))
    return best


def promised(s, what, cell):
    """What the seat to move gains by a farmer or a building here, on the best of the others."""
    if what == box.FARMER:
        return farmer_gain(s, wide(s.turn), cell)
    most = 0
    for p in range(s.seats):
        if p != s.turn:
            most = max(most, building_gain(s, p, what, cell))
    return building_gain(s, wide(s.turn), what, cell) - most


def farmer_gain(s, p, cell):
    """What a farmer of `p` earns here [8.2, 9.1]."""
    gain = box.GROUP_POINTS if makes_group(s, p, cell) else 0
    for i in range(box.TOUCHES):
        spot = wide(box.TOUCHING[cell, i])
        if spot != NOWHERE and s.space[spot] >= BUILT:
            gain += value_of(s, p, wide(s.space[spot]) - BUILT, farmers_around(s, spot) + 1)
    return gain


def building_gain(s, p, building, cell):
    """What a building here earns the farmers of `p` [10.1]."""
    gain = 0
    for i in range(box.TOUCHES):
        spot = wide(box.TOUCHING[cell, i])
        if spot != NOWHERE and s.space[spot] == p:
            gain += value_of(s, p, building, farmers_around(s, cell))
    return gain


def value_of(s, p, building, crowd):
    """What a building is worth to one farmer of `p`, with so many farmers around it."""
    points = wide(box.POINTS[building])
    match building:
        case Building.CHURCH:
            return crowd
        case Building.COAL_MINE:
            return wide(box.AVERAGE[0])
        case Building.GOLD_MINE:
            return wide(box.AVERAGE[1])
        case Building.WAREHOUSE:
            return points + JOKER_VALUE * (1 - s.seat[p].joker)
        case Building.TRAIN_STATION:
            return points + EXTRA_VALUE * (1 - s.seat[p].extra)
    return points
