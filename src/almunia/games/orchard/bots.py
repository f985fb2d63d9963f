"""What counts in Orchard: the score, with what has been chosen but not yet carried out."""

from . import components as box
from .rules import NONE, bare, chosen, die_on, freed, harvested, in_supply, visible


def evaluate(s, table, out):
    """Points of every seat, its choice of this round included."""
    for p in range(s.seats):
        me = s.seat[p]
        out[p] = harvested(s, me) - box.TOKEN_COST * me.rotten
        if me.choice != NONE:
            out[p] += promised(s, me)


def promised(s, me):
    """What the choice will add to the score, before it is carried out [4, 5.2, 6.4]."""
    number, turned, row, column = chosen(me)
    steps = box.LADDER[s.edition]
    total = 0
    for fruit in range(box.FRUITS):
        total += steps[1] * min(bare(me, fruit), in_supply(me, fruit) + freed(me, fruit))
    for k in range(box.TREES):
        line, place = row + box.DOWN[turned, k], column + box.RIGHT[turned, k]
        below_it = visible(me, line, place)
        if below_it != NONE:
            die = die_on(me, below_it, line, place)
            step = me.die_step[die] if die != NONE else 0
            if below_it != box.FRUIT[number, turned, k]:
                total -= box.TOKEN_COST + steps[step]
            elif die != NONE:
                total += steps[min(step + 1, box.TOP[s.edition])] - steps[step]
    return total
