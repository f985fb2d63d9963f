"""How good a position is, for a game whose `bots.py` does not say it, or not all of it.

A game may have `evaluate`, `action_values` and `evaluate_leaf`, each by itself. These are used for those it lacks.
"""

from typing import Any, NamedTuple

rules: Any  # given by the twin
bots: Any  # given by the twin


class Trial(NamedTuple):
    """What an action is tried out on."""

    states: Any  # (1,) of the game's dtype
    table: Any  # (most seats, len(SCORES)) int64, for scores
    values: Any  # (most seats,) int64, for evaluations
    notes: Any  # (SCRATCH_SIZE,) int64, whatever the game's own way wants to note


def evaluate(s, table, out):
    """Write how good the position is for every seat: its points so far."""
    rules.scores(s, table)
    for p in range(s.seats):
        out[p] = table[p, 0]


def action_values(s, actions, count, trial, out):
    """Write how far each of the first `count` actions puts the seat to move ahead: do each of them, and evaluate."""
    seat, seats = s.turn, s.seats
    for i in range(count):
        trial.states[0] = s
        rules.apply(trial.states[0], actions[i])
        bots.evaluate(trial.states[0], trial.table, trial.values)
        out[i] = lead(seat, seats, trial.values)


def lead(seat, seats, values):
    """How far the values put a seat ahead of the best other one; alone, its value."""
    most, found = 0, False
    for p in range(seats):
        if p != seat and (not found or values[p] > most):
            most, found = values[p], True
    return values[seat] - most


def evaluate_leaf(s, table, out):
    """Write how good the position is for every seat, looking beyond the turn: the evaluation, which does not."""
    bots.evaluate(s, table, out)
