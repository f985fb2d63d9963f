"""Observations of Orchard."""

from ...core.contract import NONE
from ...engine.kernels.rng import clear_rng, randbelow, reseed_rng
from . import components as box
from .rules import NO_CARD, SEATS, Edition, Phase, cards_left, contested, fill_up, list_placements, stack_double_sided

# The parts of an observation, with their shapes.
TENSOR_SHAPES = {
    # own visible trees: 0 to 2 by fruit, 3 rotten ones; the start card's top left tree is at row 16, column 16
    "trees": (box.FRUITS + 1, box.SIDE, box.SIDE),
    "dice": (box.SIDE, box.SIDE),  # own dice: points / 10
    "hand": (box.HAND, box.CARDS),  # by slot: the card's number minus 1, one-hot
    "unseen": (box.CARDS,),  # cards that may still be in the deck, by number minus 1
    "supply": (box.FRUITS,),  # own dice left of each fruit / 5
    "to_place": (1,),  # cards still to be laid / 8
    "players": (SEATS, 3),  # from the reader's own seat on: points / 50, tokens used / 2, still playing
    "question": (len(Phase),),  # the phase, one-hot; PLACE if another seat is asked about a die
    "choice": (box.HAND, box.QUARTERS),  # own placement chosen in this round: the slot and the quarter turns
    "choice_at": (2, box.SIDE),  # row and column of that placement
    "last_die": (box.FRUITS, 3),  # by fruit: in question, given to the first tree, given to the second tree
}

# Who may see the fields of the state; the fields of a seat follow a dot. Partly: the drawn part of the deck and of a
# fixed deal is public; the phase hides whether another seat is asked about a last die.
VISIBILITY = {
    "nobody": "rng",
    "owner": "seat.choice seat.last_die",
    "partly": "deck deal phase",
    "everybody": (
        "seats turn over turns reveals edition half reduced drawn seat.stuck seat.hand seat.laid seat.card seat.turned "
        "seat.cell seat.trees seat.die_cell seat.die_step seat.rotten"
    ),
}


def mask(s, seat):
    """Hide everything that `seat` may not know [D8, D11]."""
    clear_rng(s.rng)
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


def determinize(s, seat, rng, out):
    """Guess the unseen cards, and the choices of other seats before the seat to move.

    `out` is scratch space for placements.
    """
    reseed_rng(s.rng, rng)
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
    """Choose a random placement for a player, and random answers about last dice."""
    me.choice = out[randbelow(rng, list_placements(me, out))]
    fruit = contested(me)
    while fruit != NONE:
        me.last_die[fruit] = randbelow(rng, 2)
        fruit = contested(me)


def tensor(s, seat, out):
    """Write the parts of TENSOR_SHAPES for `seat`. A spectator (-1) gets the orchard and the hand of seat 0."""
    own = max(seat, 0)
    write_orchard(s, s.seat[own], out)
    write_cards(s, s.seat[own], out)
    for i in range(s.seats):
        write_player(s, s.seat[(own + i) % s.seats], i, out)
    out.question[s.phase] = 1
    if s.seat[own].choice != NONE:
        write_choice(s, s.seat[own], out)


def write_orchard(s, me, out):
    for row in range(box.SIDE):
        for kind in range(box.FRUITS + 1):
            trees = me.trees[kind, row]
            while trees:
                lowest = trees & -trees
                out.trees[kind, row, box.BIT_OF[lowest % box.BIT_MODULUS]] = 1
                trees ^= lowest
    for die in range(box.DICE):
        if me.die_cell[die] != NONE:
            row, column = me.die_cell[die] // box.SIDE, me.die_cell[die] % box.SIDE
            out.dice[row, column] = box.LADDER[s.edition, me.die_step[die]] / 10
            out.supply[die // box.DICE_EACH] -= 1 / box.DICE_EACH
    for fruit in range(box.FRUITS):
        out.supply[fruit] += 1


def write_cards(s, me, out):
    for slot in range(box.HAND):
        if me.hand[slot] != NO_CARD:
            out.hand[slot, me.hand[slot] - 1] = 1
    for card in range(box.CARDS):
        out.unseen[card] = 1
    for i in range(s.drawn):
        out.unseen[s.deck[i] - 1] = 0
    out.to_place[0] = (box.GAME_CARDS[s.reduced] - me.laid) / (box.DEALT - 1)


def write_player(s, me, i, out):
    points = -box.TOKEN_COST * me.rotten
    for die in range(box.DICE):
        points += box.LADDER[s.edition, me.die_step[die]]
    out.players[i, 0] = points / 50
    out.players[i, 1] = me.rotten / box.TOKENS
    out.players[i, 2] = 1 - me.stuck


def write_choice(s, me, out):
    """Write the choice, the question about a last die, and the answers [D2]."""
    way, cell = me.choice // box.CELLS, me.choice % box.CELLS
    out.choice[way // box.QUARTERS, way % box.QUARTERS] = 1
    out.choice_at[0, cell // box.SIDE] = 1
    out.choice_at[1, cell % box.SIDE] = 1
    if s.phase == Phase.DIE:
        out.last_die[contested(me), 0] = 1
    for fruit in range(box.FRUITS):
        if me.last_die[fruit] != NONE:
            out.last_die[fruit, 1 + me.last_die[fruit]] = 1


def legal_is_public(s):
    """Return whether all viewers may know the legal actions [3.1, 3.4, D8, D14].

    The actions are public only with one player, while there are cards left to draw.
    """
    return s.seats == 1 and cards_left(s) > 0


def may_see(s, seat):
    """Return whether `seat` may see an action: always with one player, else only as the seat to move [D8]."""
    return s.seats == 1 or s.turn == seat
