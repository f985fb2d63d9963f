"""What two cards and a space would earn in Oregon, in points; for the bots."""

from . import components as box
from .components import BUILT, EMPTY, JOKER, LANDS, NOWHERE, Building
from .rules import holds, opens
from .scoring import farmers_around, makes_group

JOKER_VALUE, EXTRA_VALUE = 2, 4  # of an active token
FAR = 1 << 20  # beyond all points


def best_farmer(s, p):
    """The most that a farmer can earn `p` with two landscape cards in hand, or 0."""
    best = 0
    if s.seat[p].farmers > 0:
        for one in range(LANDS):
            for other in range(one, LANDS):
                if holds(s, p, one, box.NONE) and holds(s, p, other, one):
                    best = max(best, best_space(s, p, box.ROW[one, other]))
    return best


def best_pair(s):
    """The most that two cards in hand can earn the seat to move, or 0."""
    best = 0
    for one in range(box.KINDS + 1):
        if holds(s, s.turn, one, box.NONE):
            best = max(best, best_partner(s, one))
    return best


def best_partner(s, one):
    """The most that this card can earn the seat to move with another one of the hand."""
    best, p = -FAR, s.turn
    for other in range(box.KINDS + 1):
        if holds(s, p, other, one) and opens(s, one, other):
            best = max(best, best_space(s, p, box.ROW[one, other]) - cost(one, other))
    return max(best, -JOKER_VALUE)


def cost(one, other):
    """What is given up by playing these cards, beside the cards themselves."""
    return JOKER_VALUE if JOKER in (one, other) else 0


def best_space(s, p, row):
    """The most that `p` can earn on the spaces of a row of box.OPENED."""
    best = -FAR
    for i in range(box.LENGTH[row]):
        cell = box.OPENED[row, i]
        if s.space[cell] == EMPTY:
            best = max(best, promised(s, p, box.PLACED[row], cell))
    return best


def promised(s, p, what, cell):
    """What `p` gains by a farmer or a building here, on the best of the others."""
    if what == box.FARMER:
        return farmer_gain(s, p, cell)
    most = 0
    for other in range(s.seats):
        if other != p:
            most = max(most, building_gain(s, other, what, cell))
    return building_gain(s, p, what, cell) - most


def farmer_gain(s, p, cell):
    """What a farmer of `p` earns here [8.2, 9.1]."""
    gain = box.GROUP_POINTS if makes_group(s, p, cell) else 0
    for i in range(box.TOUCHES):
        spot = box.TOUCHING[cell, i]
        if spot != NOWHERE and s.space[spot] >= BUILT:
            gain += value_of(s, p, s.space[spot] - BUILT, farmers_around(s, spot) + 1)
    return gain


def building_gain(s, p, building, cell):
    """What a building here earns the farmers of `p` [10.1]."""
    gain = 0
    for i in range(box.TOUCHES):
        spot = box.TOUCHING[cell, i]
        if spot != NOWHERE and s.space[spot] == p:
            gain += value_of(s, p, building, farmers_around(s, cell))
    return gain


def value_of(s, p, building, crowd):
    """What a building is worth to one farmer of `p`, with so many farmers around it."""
    points = box.POINTS[building]
    match building:
        case Building.CHURCH:
            return crowd
        case Building.COAL_MINE:
            return box.AVERAGE[0]
        case Building.GOLD_MINE:
            return box.AVERAGE[1]
        case Building.WAREHOUSE:
            return points + JOKER_VALUE * (1 - s.seat[p].joker)
        case Building.TRAIN_STATION:
            return points + EXTRA_VALUE * (1 - s.seat[p].extra)
    return points
