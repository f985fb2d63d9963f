"""Beam search for the best whole turn: to the end of the seat's turn, or until something hidden is revealed.

A beam keeps the best few positions after each decision. The game's `evaluate_leaf` evaluates the end of each turn. The
decision that leads to the best end is chosen.

`rules` and `bots` are the game's modules.
"""

from typing import Any, NamedTuple

from ....core.kernels.play import MAX_DECISIONS
from ....core.kernels.scoring import margin
from .beam import AFTER, BEFORE, DETERMINIZED, INF, OBSERVED, determinize, evaluate_actions, insert, noisy_value

rules: Any
bots: Any


class Plan(NamedTuple):
    """The legal actions and their values. The arrays of values are indexed by code."""

    actions: Any  # (ACTIONS,) int32, the legal actions
    best_value: Any  # (ACTIONS,) int64, of the best end of the turn after the action, in this determinization
    value_sum: Any  # (ACTIONS,) int64, over all determinizations
    first_action: Any  # (BEAMS, width) int32, the decision that led to a position of the beam


def choose(seat, determinizations, plan, work):
    """Return the action with the best average end of the turn over the determinizations."""
    count = rules.legal(work.states[OBSERVED], plan.actions)
    for k in range(count):
        plan.value_sum[plan.actions[k]] = 0
    for _ in range(determinizations):
        determinize(seat, work)
        add_best_values(count, plan, work)
    best = plan.actions[0]
    for k in range(1, count):
        if plan.value_sum[plan.actions[k]] > plan.value_sum[best]:
            best = plan.actions[k]
    return best


def add_best_values(count, plan, work):
    """Add the value of its best end of the turn to each action's sum.

    An action that the beam has dropped gets 1 less than the worst value.

    Otherwise a dropped action could tie with the best one, and be chosen by its code.
    """
    for k in range(count):
        plan.best_value[plan.actions[k]] = -INF
    look_ahead(plan, work)
    worst = INF
    for k in range(count):
        value = plan.best_value[plan.actions[k]]
        worst = min(worst, value) if value > -INF else worst
    for k in range(count):
        plan.value_sum[plan.actions[k]] += max(worst - 1, plan.best_value[plan.actions[k]])


def look_ahead(plan, work):
    """Run the beam from the determinization to the end of the turn, and write `plan.best_value`."""
    work.beam[BEFORE, 0] = work.states[DETERMINIZED]
    size = 1
    for depth in range(MAX_DECISIONS):
        steps = find_steps(size, work)
        size = 0
        for j in range(steps):
            parent, action = work.step_parent[j], work.step_action[j]
            first = action if depth == 0 else plan.first_action[BEFORE, parent]
            s = work.beam[AFTER, size]
            work.beam[AFTER, size] = work.beam[BEFORE, parent]
            rules.apply(s, action)
            if is_same_turn(s, work.states[DETERMINIZED]):
                plan.first_action[AFTER, size] = first
                size += 1
            else:
                plan.best_value[first] = max(plan.best_value[first], turn_value(s, work))
        if size == 0:
            return
        for j in range(size):
            work.beam[BEFORE, j] = work.beam[AFTER, j]
            plan.first_action[BEFORE, j] = plan.first_action[AFTER, j]


def find_steps(size, work):
    """Write the best steps from the positions of the beam, and return their number."""
    steps = 0
    for i in range(size):
        s = work.beam[BEFORE, i]
        count = rules.legal(s, work.actions)
        evaluate_actions(s, count, work)
        for k in range(count):
            steps = insert(noisy_value(k, work), i, work.actions[k], steps, work)
    return steps


def is_same_turn(s, start):
    """Return whether the turn of `start` continues and nothing hidden has been revealed since."""
    return not s.over and s.turn == start.turn and s.turns == start.turns and s.reveals == start.reveals


def turn_value(s, work):
    """Return the lead of the seat whose turn it was, by `evaluate_leaf`."""
    bots.evaluate_leaf(s, work.trial.table, work.trial.values)
    return margin(work.states[DETERMINIZED].turn, s.seats, work.trial.values)
