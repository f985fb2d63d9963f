"""What actions lead to, for a game whose `bots.py` knows no shorter way: do each of them, and evaluate."""

from typing import Any

rules: Any  # given by the twin
bots: Any  # given by the twin


def foresee(s, states, place, actions, count, notes, table, values, out):
    """Write how far each of the first `count` actions puts the seat to move ahead."""
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
