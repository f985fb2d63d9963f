"""What counts in Orchard: the score, with what has been chosen but not yet carried out."""

from ...core.contract import NONE
from ...core.kernels.evaluation import lead
from . import components as box
from .rules import LAST_DIE, NOWHERE, chosen, die_on, harvested, in_supply, visible

SOLITAIRE = True  # all are dealt the same cards, and nobody touches another one's orchard
LEVELS = {"easy": "greedy,slips=0.45", "medium": "greedy,slips=0.2", "hard": "greedy,slips=0.05"}

NOTES = box.CELLS
NOTE = 5  # bits that say what stands in a cell: 0 if nothing does, else 1 + fruit, and above it the step of the die
FRUIT = 2  # of them for the fruit
COUNT = 4  # bits that count dice of one fruit


def evaluate(s, table, out):
    """Points of every seat, its choice of this round included."""
    for p in range(s.seats):
        me = s.seat[p]
        out[p] = harvested(s, me) - box.TOKEN_COST * me.rotten
        if me.choice != NONE:
            out[p] += pending_points(s, me)


def pending_points(s, me):
    """Return what the choice will add to the score, before it is carried out."""
    number, turned, row, column = chosen(me)
    return gain(number, turned, covered(me, turned, row, column), supply(me), box.LADDER[s.edition])


def foresee(s, actions, count, trial, out):
    """How far each action puts the seat to move ahead: nothing needs to be laid for it.

    Which of two trees gets the last die makes no difference to the points.
    """
    evaluate(s, trial.table, trial.values)
    margin, me, notes = lead(s.turn, s.seats, trial.values), s.seat[s.turn], trial.notes
    note_cells(me, notes)
    stock, ladder = supply(me), box.LADDER[s.edition]
    for i in range(count):
        out[i] = margin
        if actions[i] < LAST_DIE:
            way, cell = actions[i] // box.CELLS, actions[i] % box.CELLS
            slot, turned = way // box.QUARTERS, way % box.QUARTERS
            under = 0
            for k in range(box.TREES):
                under |= notes[cell + box.OFFSET[turned, k]] << (NOTE * k)
            out[i] += gain(me.hand[slot], turned, under, stock, ladder)


def gain(number, turned, under, stock, ladder):
    """What a card adds to the score [4, 5.2, 6.4], laid on what `under` says, with `stock` in the supply."""
    total, bare = 0, 0
    for k in range(box.TREES):
        note = (under >> (NOTE * k)) & ((1 << NOTE) - 1)
        if note == 0:
            continue
        fruit, step = fruit_of(note), note >> FRUIT
        if fruit != box.FRUIT[number, turned, k]:
            total -= box.TOKEN_COST + ladder[step]
            stock += (step > 0) << (COUNT * fruit)
        elif step == 0:
            bare += 1 << (COUNT * fruit)
        else:
            total += ladder[min(step + 1, box.LADDER.shape[1] - 1)] - ladder[step]
    for fruit in range(box.FRUITS):
        total += ladder[1] * min(counted(bare, fruit), counted(stock, fruit))
    return total


def fruit_of(note):
    """The fruit that a note tells of, if something stands in its cell."""
    return (note & ((1 << FRUIT) - 1)) - 1


def counted(several, fruit):
    """How many of one fruit there are in a number that counts all of them."""
    return (several >> (COUNT * fruit)) & ((1 << COUNT) - 1)


def supply(me):
    """The dice in the supply, counted by fruit."""
    stock = 0
    for fruit in range(box.FRUITS):
        stock |= in_supply(me, fruit) << (COUNT * fruit)
    return stock


def covered(me, turned, row, column):
    """What a card would cover here, a note for each of its trees."""
    under = 0
    for k in range(box.TREES):
        line, place = row + box.DOWN[turned, k], column + box.RIGHT[turned, k]
        fruit = visible(me, line, place)
        if fruit != NONE:
            die = die_on(me, fruit, line, place)
            step = me.die_step[die] if die != NONE else 0
            under |= (fruit + 1 | step << FRUIT) << (NOTE * k)
    return under


def note_cells(me, notes):
    """Note of every cell what stands there."""
    for cell in range(box.CELLS):
        notes[cell] = 0
    for fruit in range(box.FRUITS):
        for row in range(box.SIDE):
            columns = me.trees[fruit, row]
            while columns:
                lowest = columns & -columns
                notes[row * box.SIDE + box.BIT_OF[lowest % box.BIT_MODULUS]] = fruit + 1
                columns ^= lowest
    for die in range(box.DICE):
        if me.die_cell[die] != NOWHERE:
            notes[me.die_cell[die]] |= me.die_step[die] << FRUIT
