"""What counts in Orchard: the score, with what has been chosen but not yet carried out."""

from .components import TOKEN_COST
from .rules import NONE, harvested, promised


def evaluate(s, seat, table):
    """Points of the seat, its choice of this round included; the orchards of others do not matter."""
    me = s.seat[seat]
    points = harvested(s, me) - TOKEN_COST * me.rotten
    return points if me.choice == NONE else points + promised(s, me)
