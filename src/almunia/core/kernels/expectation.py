"""Samples of what a position leads to: determinize it, play on greedily, and evaluate.

`rules`, `observe` and `bots` are the game's.
"""

from typing import Annotated, Any, NamedTuple

from .play import MAX_DECISIONS, contains_sorted
from .policies import PolicyScratch, playout
from .scoring import rank

rules: Any
observe: Any
bots: Any

ANYTHING = -1  # as the action: none is applied


class Workspace(NamedTuple):
    """Scratch space, with dtypes and shapes for `workspaces.allocate`."""

    policy: PolicyScratch
    kinds: Annotated[Any, "int64", "seats"]  # the policy of each seat
    ranks: Annotated[Any, "int8", "seats"]


def advance(states, seat, action, work, is_legal):
    """Fill in the hidden parts of each observation of a seat, (n,), and apply an action if it is legal there.

    Write whether the action is legal, (n,).
    """
    scratch = work.policy
    for i in range(states.shape[0]):
        s = states[i]
        observe.determinize(s, seat, scratch.rng, scratch.scratch)
        is_legal[i] = 1
        if action != ANYTHING:
            count = rules.legal(s, scratch.actions)
            if contains_sorted(scratch.actions, count, action):
                rules.apply(s, action)
            else:
                is_legal[i] = 0


def mask(states, seat):
    """Hide everything that a seat may not know in each state, (n,)."""
    for i in range(states.shape[0]):
        observe.mask(states[i], seat)


def evaluate(states, turns, work, values, shares):
    """Play each state, (n,), on for some turns or to its end. Write values, (n, seats), in units of `bots.evaluate`.

    At the end, values are points, and the shares of the win, (n, seats), are written, too.
    """
    scratch, evaluation = work.policy, work.policy.evaluation
    for i in range(states.shape[0]):
        s = states[i]
        stop, decisions = s.turns + turns, 0
        while not s.over and s.turns < stop and decisions < MAX_DECISIONS:
            decisions += playout(s, work.kinds, scratch, 1)
        if s.over:
            write_result(s, work, values[i], shares[i])
        else:
            bots.evaluate_leaf(s, *evaluation.weights, evaluation.table, evaluation.values)
            for p in range(s.seats):
                values[i, p] = evaluation.values[p]


def write_result(s, work, values, shares):
    """Write the points in units of `bots.evaluate` and the shares of the win, both (seats,)."""
    table = work.policy.evaluation.table
    rules.scores(s, table)
    rank(table, s.seats, work.ranks)
    winners = 0
    for p in range(s.seats):
        winners += 1 if work.ranks[p] == 1 else 0
    for p in range(s.seats):
        values[p] = bots.VALUE_SCALE * table[p, 0]
        shares[p] = 1.0 / winners if work.ranks[p] == 1 else 0.0
