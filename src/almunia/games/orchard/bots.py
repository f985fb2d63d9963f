"""What counts in Orchard: the score, with what has been chosen but not yet carried out."""

from .components import TOKEN_COST
from .rules import NONE, harvested, promised


def evaluate(s, table, out):
    """Points of every seat, its choice of this round included."""
    for p in range(s.seats):
        me = s.seat[p]
        out[p] = harvested(s, me) - TOKEN_COST * me.rotten
        if me.choice != NONE:
            out[p] += promised(s, me)
