"""How good a position is, for a game whose `bots.py` does not say it, or not all of it.

A game may bring `evaluate`, `foresee` and `outlook`, each by itself; these stand in for those that it does not bring.
"""

from typing import Any

rules: Any  # given by the twin
bots: Any  # given by the twin


def evaluate(s, table, out):
    """Write how good the position is for every seat: its points so far."""
    rules.scores(s, table)
    for p in range(s.seats):
        out[p] = table[p, 0]


def foresee(s, states, place, actions, count, notes, table, values, out):
    """Write how far each of the first `count` actions puts the seat to move ahead: do each of them, and evaluate."""
    seat, seats = s.turn, s.seats
    for i in range(count):
        states[place] = s
        rules.apply(states[place], actions[i])
        bots.evaluate(states[place], table, values)
        out[i] = lead(seat, seats, values)


def lead(seat, seats, values):
    """How far the values put a seat ahead of the best other one; alone, its value."""
    most, found = 0, False
    for p in range(seats):
        if p != seat and (not found or values[p] > most):
            most, found = values[p], True
    return values[seat] - most


def outlook(s, table, out):
    """Write how good the position is for every seat, looking beyond the turn: the evaluation, which does not."""
    bots.evaluate(s, table, out)
