"""Ranks from points and tie-breaks, margins, and the potential of a position under a reward convention.

A reward is the change of the potential (Ng, Harada and Russell, 1999). So the rewards of a seat add up to the potential
at the end. `rules` are the game's. `batch/rewards.py` explains the conventions.
"""

from typing import Any

rules: Any

RANK, WIN, POINTS, LEAD = 0, 1, 2, 3


def rank_reward(place, equals, seats):
    """Return the reward of a rank that `equals` seats share: 1 for the first, -1 for the last, evenly spaced.

    There must be at least two seats.
    """
    return 1.0 - (2 * (place - 1) + equals - 1) / (seats - 1)


def rank(table, seats, out):
    """Write each seat's rank into `out`: 1 is best, and equal seats share a rank. Larger is better in every column."""
    for p in range(seats):
        out[p] = 1
        for other in range(seats):
            if beats(table, other, p):
                out[p] += 1


def beats(table, one, other):
    """Return whether row `one` has the larger number in the first column in which it differs from row `other`."""
    for column in range(table.shape[1]):
        if table[one, column] != table[other, column]:
            return table[one, column] > table[other, column]
    return False


def potential(kind, s, seat, table, ranks):
    """Return the potential for a seat in the convention `kind`. For RANK and WIN, the potential is 0 before the end.

    `table` (seats, len(SCORES)) and `ranks` (seats,) are scratch space.
    """
    if kind < POINTS and not s.over:
        return 0.0
    rules.scores(s, table)
    if kind == POINTS:
        return 1.0 * table[seat, 0]
    if kind == LEAD:
        return 1.0 * points_margin(seat, s.seats, table)
    rank(table, s.seats, ranks)
    equals = 0
    for p in range(s.seats):
        equals += 1 if ranks[p] == ranks[seat] else 0
    if kind == WIN:
        return 1.0 / equals if ranks[seat] == 1 else 0.0
    return rank_reward(ranks[seat], equals, s.seats)


def margin(seat, seats, values):
    """Return the value of a seat less the highest value of another seat; for a single seat, its value."""
    most, found = 0, False
    for p in range(seats):
        if p != seat and (not found or values[p] > most):
            most, found = values[p], True
    return values[seat] - most


def points_margin(seat, seats, table):
    """Return the margin, as in `margin`, in the first column of a table. Kernels cannot take the column as a slice."""
    most, found = 0, False
    for p in range(seats):
        if p != seat and (not found or table[p, 0] > most):
            most, found = table[p, 0], True
    return table[seat, 0] - most


def state_potential(states, kind, seat, table, ranks):
    return potential(kind, states[0], seat, table, ranks)
