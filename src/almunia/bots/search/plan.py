"""The best whole turn: what a seat's decisions lead to by the end of its turn, or until something comes to light.

A beam keeps the most promising positions after each decision. Where the turn ends, or something comes
to light, the game's `outlook` says what it was worth, and the decision behind which the best end was found is taken.

`rules` and `bots` are the game's.
"""

from typing import Any, NamedTuple

from ...core.evaluation import lead
from ...core.loops import LIMIT
from .beam import AFTER, BEFORE, FAR, GUESS, SEEN, foresee, guess, keep, worth

rules: Any  # given by the twin
bots: Any  # given by the twin


class Plan(NamedTuple):
    """What is known of the decisions of this moment, by their codes."""

    actions: Any  # (ACTIONS,) int32, those that are legal
    best: Any  # (ACTIONS,) int64, the best end of the turn that was found behind one in this guess
    total: Any  # (ACTIONS,) int64, the same added up over all guesses
    first: Any  # (BEAMS, width) int32, the decision that a position of the beam began with


def choose(seat, guesses, plan, paper):
    """The action behind which the best ends of the turn were found, on the average of some guesses."""
    count = rules.legal(paper.states[SEEN], plan.actions)
    for k in range(count):
        plan.total[plan.actions[k]] = 0
    for _ in range(guesses):
        guess(seat, paper)
        add_best_ends(count, plan, paper)
    chosen = plan.actions[0]
    for k in range(1, count):
        if plan.total[plan.actions[k]] > plan.total[chosen]:
            chosen = plan.actions[k]
    return chosen


def add_best_ends(count, plan, paper):
    """Add to each action the best end of the turn behind it; one that the beam has dropped gets the worst of these."""
    for k in range(count):
        plan.best[plan.actions[k]] = -FAR
    look_ahead(plan, paper)
    worst = FAR
    for k in range(count):
        best = plan.best[plan.actions[k]]
        worst = min(worst, best) if best > -FAR else worst
    for k in range(count):
        plan.total[plan.actions[k]] += max(worst, plan.best[plan.actions[k]])


def look_ahead(plan, paper):
    """Follow the beam from the guess to the end of the turn."""
    paper.beam[BEFORE, 0] = paper.states[GUESS]
    size = 1
    for depth in range(LIMIT):
        found = most_promising(size, paper)
        size = 0
        for j in range(found):
            parent, action = paper.parent[j], paper.step[j]
            first = action if depth == 0 else plan.first[BEFORE, parent]
            s = paper.beam[AFTER, size]
            paper.beam[AFTER, size] = paper.beam[BEFORE, parent]
            rules.apply(s, action)
            if goes_on(s, paper.states[GUESS]):
                plan.first[AFTER, size] = first
                size += 1
            else:
                plan.best[first] = max(plan.best[first], outcome(s, paper))
        if size == 0:
            return
        for j in range(size):
            paper.beam[BEFORE, j] = paper.beam[AFTER, j]
            plan.first[BEFORE, j] = plan.first[AFTER, j]


def most_promising(size, paper):
    """List the best steps from the positions of the beam; returns how many there are."""
    found = 0
    for i in range(size):
        s = paper.beam[BEFORE, i]
        count = rules.legal(s, paper.actions)
        foresee(s, count, paper)
        for k in range(count):
            found = keep(worth(k, paper), i, paper.actions[k], found, paper)
    return found


def goes_on(s, start):
    """Is it still the same turn, with nothing new come to light?"""
    return not s.over and s.turn == start.turn and s.turns == start.turns and s.reveals == start.reveals


def outcome(s, paper):
    """How far the seat whose turn it was is ahead, with what later turns are likely to bring."""
    bots.outlook(s, paper.table, paper.values)
    return lead(paper.states[GUESS].turn, s.seats, paper.values)
