"""Ranks from points and tie-breaks, and what a position is worth to a seat under a reward convention.

A reward is the change of this worth, so the rewards of a seat add up to what the end was worth to it.
`rules` are the game's. `batch/rewards.py` says what the conventions mean.
"""

from typing import Any

rules: Any  # given by the twin

RANK, WIN, POINTS, LEAD = 0, 1, 2, 3


def rank_reward(place, equals, seats):
    """Return the reward of a rank that `equals` seats share: 1 for the first, -1 for the last, evenly spaced."""
    return 1.0 - (2 * (place - 1) + equals - 1) / (seats - 1)


def rank(table, seats, out):
    """Write each seat's rank: 1 is best, and equals share. Larger is better in every column."""
    for p in range(seats):
        out[p] = 1
        for other in range(seats):
            if beats(table, other, p):
                out[p] += 1


def beats(table, one, other):
    """Is the row of `one` better than that of `other`, the first columns counting most?"""
    for column in range(table.shape[1]):
        if table[one, column] != table[other, column]:
            return table[one, column] > table[other, column]
    return False


def worth(kind, s, seat, table, ranks):
    """What the position is worth to the seat; `table` (seats, len(SCORES)) and `ranks` (seats,) are scratch space."""
    if kind < POINTS and not s.over:
        return 0.0
    rules.scores(s, table)
    if kind == POINTS:
        return 1.0 * table[seat, 0]
    if kind == LEAD:
        return 1.0 * lead(table, seat, s.seats)
    rank(table, s.seats, ranks)
    equals = 0
    for p in range(s.seats):
        equals += 1 if ranks[p] == ranks[seat] else 0
    if kind == WIN:
        return 1.0 / equals if ranks[seat] == 1 else 0.0
    return rank_reward(ranks[seat], equals, s.seats)


def lead(table, seat, seats):
    """How many points a seat has more than the best other one; alone, its points."""
    most, found = 0, False
    for p in range(seats):
        if p != seat and (not found or table[p, 0] > most):
            most, found = table[p, 0], True
    return table[seat, 0] - most


def worth_in(states, kind, seat, table, ranks):
    """What the first of the states is worth to the seat."""
    return worth(kind, states[0], seat, table, ranks)
