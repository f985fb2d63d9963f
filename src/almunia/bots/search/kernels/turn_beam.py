"""The best whole turn: what a seat's decisions lead to by the end of its turn, or until something comes to light.

A beam keeps the most promising positions after each decision. Where the turn ends, or something comes
to light, the game's `evaluate_leaf` says what it was worth, and the decision behind which the best end was found is
taken.

`rules` and `bots` are the game's.
"""

from typing import Any, NamedTuple

from ....core.kernels.evaluation import lead
from ....core.kernels.play import LIMIT
from .beam import AFTER, BEFORE, FAR, GUESS, SEEN, foresee, guess, keep, worth

rules: Any  # given by the twin
bots: Any  # given by the twin


class Plan(NamedTuple):
    """What is known of the decisions of this moment, by their codes."""

    actions: Any  # (ACTIONS,) int32, those that are legal
    best: Any  # (ACTIONS,) int64, the best end of the turn that was found behind one in this guess
    total: Any  # (ACTIONS,) int64, the same added up over all guesses
    first: Any  # (BEAMS, width) int32, the decision that a position of the beam began with


def choose(seat, guesses, plan, work):
    """The action behind which the best ends of the turn were found, on the average of some guesses."""
    count = rules.legal(work.states[SEEN], plan.actions)
    for k in range(count):
        plan.total[plan.actions[k]] = 0
    for _ in range(guesses):
        guess(seat, work)
        add_best_ends(count, plan, work)
    chosen = plan.actions[0]
    for k in range(1, count):
        if plan.total[plan.actions[k]] > plan.total[chosen]:
            chosen = plan.actions[k]
    return chosen


def add_best_ends(count, plan, work):
    """Add to each action the best end of the turn behind it; one that the beam has dropped gets less than the worst.

    Else a dropped action could tie with the best one, and be chosen by its code.
    """
    for k in range(count):
        plan.best[plan.actions[k]] = -FAR
    look_ahead(plan, work)
    worst = FAR
    for k in range(count):
        best = plan.best[plan.actions[k]]
        worst = min(worst, best) if best > -FAR else worst
    for k in range(count):
        plan.total[plan.actions[k]] += max(worst - 1, plan.best[plan.actions[k]])


def look_ahead(plan, work):
    """Follow the beam from the guess to the end of the turn."""
    work.beam[BEFORE, 0] = work.states[GUESS]
    size = 1
    for depth in range(LIMIT):
        found = most_promising(size, work)
        size = 0
        for j in range(found):
            parent, action = work.parent[j], work.step[j]
            first = action if depth == 0 else plan.first[BEFORE, parent]
            s = work.beam[AFTER, size]
            work.beam[AFTER, size] = work.beam[BEFORE, parent]
            rules.apply(s, action)
            if goes_on(s, work.states[GUESS]):
                plan.first[AFTER, size] = first
                size += 1
            else:
                plan.best[first] = max(plan.best[first], outcome(s, work))
        if size == 0:
            return
        for j in range(size):
            work.beam[BEFORE, j] = work.beam[AFTER, j]
            plan.first[BEFORE, j] = plan.first[AFTER, j]


def most_promising(size, work):
    """List the best steps from the positions of the beam; returns how many there are."""
    found = 0
    for i in range(size):
        s = work.beam[BEFORE, i]
        count = rules.legal(s, work.actions)
        foresee(s, count, work)
        for k in range(count):
            found = keep(worth(k, work), i, work.actions[k], found, work)
    return found


def goes_on(s, start):
    """Is it still the same turn, with nothing new come to light?"""
    return not s.over and s.turn == start.turn and s.turns == start.turns and s.reveals == start.reveals


def outcome(s, work):
    """How far the seat whose turn it was is ahead, with what later turns are likely to bring."""
    bots.evaluate_leaf(s, work.table, work.values)
    return lead(work.states[GUESS].turn, s.seats, work.values)
