"""Samples of the results that a position leads to: determinize it, and play to the end greedily.

`rules` and `observe` are the game's.
"""

from typing import Annotated, Any, NamedTuple

from .play import MAX_DECISIONS, contains_sorted
from .policies import PolicyScratch, playout
from .scoring import WIN, potential

rules: Any
observe: Any

ANYTHING = -1  # as the seat: the states are true; as the action: none is applied


class Workspace(NamedTuple):
    """Scratch space, with dtypes and shapes for `workspaces.allocate`."""

    policy: PolicyScratch
    kinds: Annotated[Any, "int64", "seats"]  # the policy of each seat
    ranks: Annotated[Any, "int8", "seats"]


def sample(states, seat, action, work, is_legal, points, shares):
    """Play each state, (n,), to the end. The states are observations of a seat, or true states.

    A state is determinized for `seat`, and the action is applied. The function writes whether the action is legal there
    (n,). If it is, the function also writes the points and the shares of the win, both (n, seats).
    """
    scratch, table = work.policy, work.policy.evaluation.table
    for i in range(states.shape[0]):
        s = states[i]
        if seat != ANYTHING:
            observe.determinize(s, seat, scratch.rng, scratch.scratch)
        is_legal[i] = 1
        if action != ANYTHING:
            count = rules.legal(s, scratch.actions)
            if not contains_sorted(scratch.actions, count, action):
                is_legal[i] = 0
                continue
            rules.apply(s, action)
        playout(s, work.kinds, scratch, MAX_DECISIONS)
        rules.scores(s, table)
        for p in range(s.seats):
            points[i, p] = table[p, 0]
            shares[i, p] = potential(WIN, s, p, table, work.ranks)
