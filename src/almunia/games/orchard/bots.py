"""The bots of Orchard: their levels, and the evaluation of positions and actions."""

from ...core.contract import NONE
from ...core.kernels.scoring import margin
from . import components as box
from .rules import LAST_DIE, NOWHERE, chosen, die_on, harvested, in_supply, visible

SEATS_INDEPENDENT = True  # all players get the same cards, and no player can change another orchard
LEVELS = {
    "beginner": "greedy,noise=128",
    "easy": "greedy,epsilon=0.45",
    "medium": "greedy,epsilon=0.2",
    "hard": "greedy,epsilon=0.05",
}
WIN_CHANCE = {  # by seats, fitted by `python -m benchmarks.analysis --plays 300`
    2: (-0.482, 0.174, 5.62, 8.0),
    3: (-1.324, 0.521, 7.846, 8.0),
    4: (-1.609, 0.549, 6.512, 8.0),
    5: (-1.687, 0.0, 8.384, 8.0),
    6: (-1.801, 0.101, 7.13, 8.0),
}

SCRATCH_SIZE = box.CELLS
NOTE = 5  # bits of a cell's note: 0 for an empty cell, else 1 + fruit, and in the higher bits the step of the die
FRUIT = 2  # bits of a note for the fruit
COUNT = 4  # bits for the number of dice of one fruit


def evaluate(s, table, out):
    """Write each seat's points to `out`, with the points of a choice that is not carried out yet."""
    for p in range(s.seats):
        me = s.seat[p]
        out[p] = harvested(s, me) - box.TOKEN_COST * me.rotten
        if me.choice != NONE:
            out[p] += pending_points(s, me)


def pending_points(s, me):
    number, turned, row, column = chosen(me)
    return gain(number, turned, covered(me, turned, row, column), supply(me), box.LADDER[s.edition])


def action_values(s, actions, count, scratch, out):
    """Write the margin of the seat to move after each of the first `count` actions to `out`.

    The points do not depend on the tree that gets a contested last die.
    """
    evaluate(s, scratch.table, scratch.values)
    ahead, me, notes = margin(s.turn, s.seats, scratch.values), s.seat[s.turn], scratch.notes
    note_cells(me, notes)
    stock, ladder = supply(me), box.LADDER[s.edition]
    for i in range(count):
        out[i] = ahead
        if actions[i] < LAST_DIE:
            way, cell = actions[i] // box.CELLS, actions[i] % box.CELLS
            slot, turned = way // box.QUARTERS, way % box.QUARTERS
            under = 0
            for k in range(box.TREES):
                under |= notes[cell + box.OFFSET[turned, k]] << (NOTE * k)
            out[i] += gain(me.hand[slot], turned, under, stock, ladder)


def gain(number, turned, under, stock, ladder):
    """Return the points from a card laid on cells with the packed notes `under` [4, 5.2, 6.4].

    `stock` is the packed count of the dice in the supply, and `ladder` has the points of each step.
    """
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
        total += ladder[1] * min(unpack_count(bare, fruit), unpack_count(stock, fruit))
    return total


def fruit_of(note):
    """Return the fruit in a note, or -1 for an empty cell."""
    return (note & ((1 << FRUIT) - 1)) - 1


def unpack_count(packed, fruit):
    return (packed >> (COUNT * fruit)) & ((1 << COUNT) - 1)


def supply(me):
    """Return the packed count of the dice in the supply, by fruit."""
    stock = 0
    for fruit in range(box.FRUITS):
        stock |= in_supply(me, fruit) << (COUNT * fruit)
    return stock


def covered(me, turned, row, column):
    """Return the packed notes of the cells under a card at this place, one note for each tree."""
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
