"""What counts in Orchard: the score, with what has been chosen but not yet carried out."""

from . import components as box
from .rules import LAST_DIE, NONE, chosen, die_on, harvested, in_supply, visible

BITS = 4  # hold a number of trees on a card
MASK = (1 << BITS) - 1


def evaluate(s, table, out):
    """Points of every seat, its choice of this round included."""
    for p in range(s.seats):
        me = s.seat[p]
        out[p] = harvested(s, me) - box.TOKEN_COST * me.rotten
        if me.choice != NONE:
            out[p] += promised(s, me)


def evaluate_after(s, states, place, action, table, out):
    """The same once the seat to move has chosen this: nothing needs to be laid for it."""
    me = s.seat[s.turn]
    before = me.choice
    if action < LAST_DIE:  # which of two trees gets the last die makes no difference to the points
        me.choice = action
    evaluate(s, table, out)
    me.choice = before


def promised(s, me):
    """What the choice will add to the score, before it is carried out [4, 5.2, 6.4]."""
    number, turned, row, column = chosen(me)
    steps = box.LADDER[s.edition]
    total, bare, freed = 0, 0, 0  # trees without a die, and dice on their way back: for each fruit a few bits
    for k in range(box.TREES):
        line, place = row + box.DOWN[turned, k], column + box.RIGHT[turned, k]
        fruit = visible(me, line, place)
        if fruit == NONE:
            continue
        die = die_on(me, fruit, line, place)
        step = me.die_step[die] if die != NONE else 0
        if fruit != box.FRUIT[number, turned, k]:
            total -= box.TOKEN_COST + steps[step]
            freed += (die != NONE) << (BITS * fruit)
        elif die == NONE:
            bare += 1 << (BITS * fruit)
        else:
            total += steps[min(step + 1, box.TOP[s.edition])] - steps[step]
    for fruit in range(box.FRUITS):
        wanted, back = (bare >> (BITS * fruit)) & MASK, (freed >> (BITS * fruit)) & MASK
        if wanted > 0:
            total += steps[1] * min(wanted, in_supply(me, fruit) + back)
    return total
