"""What a seat may know of an Orchard play: all but the deck, and what others have just chosen."""

from ...core.chance import below, forget, renew
from ...core.contract import NONE
from ...core.layout import starts
from . import components as box
from .rules import NO_CARD, SEATS, Edition, Phase, contested, fill_up, list_placements, stack_double_sided

# The parts of an observation, with their shapes.
TENSOR = {
    "trees": (box.FRUITS + 1, box.SIDE, box.SIDE),  # own visible trees by fruit; last, rotten ones
    "dice": (box.SIDE, box.SIDE),  # own dice: points / 10
    "hand": (box.HAND, box.CARDS),  # one card a row
    "unseen": (box.CARDS,),  # cards that may still be in the deck
    "supply": (box.FRUITS,),  # own dice left / 5
    "to_place": (1,),  # cards still to be laid / 8
    "standing": (SEATS, 3),  # from the reader's own seat on: points / 50, tokens used / 2, still playing
    "question": (len(Phase),),  # what the reader is asked; a placement while others are
    "choice": (box.HAND, box.QUARTERS),  # own placement chosen in this round: the card and its turn
    "choice_at": (2, box.SIDE),  # its row and its column
    "last_die": (box.FRUITS, 3),  # asked about by the question; given to the first tree, to the second one
}

(
    TREES_AT,
    DICE_AT,
    HAND_AT,
    UNSEEN_AT,
    SUPPLY_AT,
    TO_PLACE_AT,
    STANDING_AT,
    QUESTION_AT,
    CHOICE_AT,
    CHOSEN_CELL_AT,
    LAST_DIE_AT,
    _,
) = starts(TENSOR)

# Who may see the fields of the state, those of a seat behind a dot. Partly: the deck as far as it has
# been drawn, likewise a fixed deal; and whether another seat is asked about a last die.
KNOWN = {
    "nobody": "rng",
    "owner": "seat.choice seat.last_die",
    "partly": "deck deal phase",
    "everybody": (
        "seats turn over turns reveals edition half drawn seat.stuck seat.hand seat.laid seat.card seat.turned "
        "seat.cell seat.trees seat.die_cell seat.die_step seat.rotten"
    ),
}


def mask(s, seat):
    """Blank the deck, the luck to come, and what other seats have chosen in this round [D8, D11]."""
    forget(s.rng)
    for i in range(s.drawn, box.CARDS):
        s.deck[i] = NO_CARD
    for i in range(s.drawn, box.DEALT):
        s.deal[i] = NO_CARD
    for p in range(s.seats):
        if p != seat:
            s.seat[p].choice = NONE
            for fruit in range(box.FRUITS):
                s.seat[p].last_die[fruit] = NONE
    if s.turn != seat:
        s.phase = Phase.PLACE


def redeal(s, seat, rng, out):
    """Shuffle the cards not seen into the deck, and let others choose evenly among their placements."""
    renew(s.rng, rng)
    if s.edition == Edition.OF_2018 and s.drawn < box.DEALT and s.deal[0] == NO_CARD:
        stack_double_sided(s, s.drawn, rng)
        fill_up(s, box.DEALT, rng)
    else:
        fill_up(s, s.drawn, rng)
    if s.deal[0] != NO_CARD:
        for i in range(box.DEALT):
            s.deal[i] = s.deck[i]
    if not s.over:
        for p in range(s.turn):
            if p != seat and not s.seat[p].stuck:
                guess_choice(s.seat[p], rng, out)


def guess_choice(me, rng, out):
    """Any placement this player could have chosen, with any answers about a last die."""
    me.choice = out[below(rng, list_placements(me, out))]
    fruit = contested(me)
    while fruit != NONE:
        me.last_die[fruit] = below(rng, 2)
        fruit = contested(me)


def tensor(s, seat, out):
    """Write the parts of TENSOR, one after the other, as `seat` sees them; a spectator sees seat 0's."""
    own = max(seat, 0)
    write_orchard(s, s.seat[own], out)
    write_cards(s, s.seat[own], out)
    for i in range(s.seats):
        write_standing(s, s.seat[(own + i) % s.seats], STANDING_AT + 3 * i, out)
    out[QUESTION_AT + s.phase] = 1
    if s.seat[own].choice != NONE:
        write_choice(s, s.seat[own], out)


def write_orchard(s, me, out):
    """Trees and dice of one orchard, and the dice left for it."""
    for row in range(box.SIDE):
        for kind in range(box.FRUITS + 1):
            trees = me.trees[kind, row]
            while trees:
                lowest = trees & -trees
                out[TREES_AT + kind * box.CELLS + row * box.SIDE + box.BIT_OF[lowest % 37]] = 1
                trees ^= lowest
    for die in range(box.DICE):
        if me.die_cell[die] != NONE:
            out[DICE_AT + me.die_cell[die]] = box.LADDER[s.edition, me.die_step[die]] / 10
            out[SUPPLY_AT + die // box.DICE_EACH] -= 1 / box.DICE_EACH
    for fruit in range(box.FRUITS):
        out[SUPPLY_AT + fruit] += 1


def write_cards(s, me, out):
    """The hand, and how many cards are still to come."""
    for slot in range(box.HAND):
        if me.hand[slot] != NO_CARD:
            out[HAND_AT + slot * box.CARDS + me.hand[slot] - 1] = 1
    for card in range(box.CARDS):
        out[UNSEEN_AT + card] = 1
    for i in range(s.drawn):
        out[UNSEEN_AT + s.deck[i] - 1] = 0
    out[TO_PLACE_AT] = (box.DEALT - me.laid) / (box.DEALT - 1)


def write_standing(s, me, at, out):
    """What everybody knows of one player."""
    points = -box.TOKEN_COST * me.rotten
    for die in range(box.DICE):
        points += box.LADDER[s.edition, me.die_step[die]]
    out[at] = points / 50
    out[at + 1] = me.rotten / box.TOKENS
    out[at + 2] = 1 - me.stuck


def write_choice(s, me, out):
    """The choice of this seat, and whom the last dice of fruits go to: what is asked and what was answered [D2]."""
    cell = me.choice % box.CELLS
    out[CHOICE_AT + me.choice // box.CELLS] = 1
    out[CHOSEN_CELL_AT + cell // box.SIDE] = 1
    out[CHOSEN_CELL_AT + box.SIDE + cell % box.SIDE] = 1
    if s.phase == Phase.DIE:
        out[LAST_DIE_AT + 3 * contested(me)] = 1
    for fruit in range(box.FRUITS):
        if me.last_die[fruit] != NONE:
            out[LAST_DIE_AT + 3 * fruit + 1 + me.last_die[fruit]] = 1


def may_see(s, seat):
    """With several players a choice stays hidden until all have chosen [D8]."""
    return s.seats == 1 or s.turn == seat
