"""The rules of Orchard, for one to six players.

A mark such as [3.1] names a paragraph of RULES.md. `s` is the state of a play, and `me` the part of
the state that belongs to one seat.
"""

from enum import IntEnum

from ...core.codes import Codes
from ...core.contract import NONE
from ...engine.kernels.rng import randbelow, seed_rng, shuffle
from ...engine.state_dtype import i1, i2, i8, record_dtype, state_dtype
from . import components as box

SEATS = 6  # maximum number of players [D8]
NO_CARD = 0  # cards are numbered from 1
NOWHERE = NONE  # the cell of a die in the supply
ROTTEN = box.FRUITS  # used in place of a fruit: the tree has a token [5.3]


class Phase(IntEnum):
    """The question that the seat to move is being asked."""

    PLACE = 0  # choose a card and its place [3.1]
    DIE = 1  # choose the tree that gets the last die of a fruit [D2]


class EndReason(IntEnum):
    """The reasons why a play has ended. `over` is 0 while the play runs."""

    LAST_CARD = 1  # a player has laid the last card, and no player can lay another one [6.2]
    STUCK = 2  # no player can lay a card, and none has laid the last [6.1]


class Edition(IntEnum):
    """The values of the option `edition` [D9]."""

    OF_2019 = 0
    OF_2018 = 1


SEAT = record_dtype(
    stuck=i1,  # 1 once no card can be laid [6.1, D5]
    hand=(i1, box.HAND),  # card numbers, or NO_CARD
    choice=i2,  # the placement chosen in this round, until it is carried out; or NONE
    last_die=(i1, box.FRUITS),  # the tree that gets the last die: 0 or 1, or NONE if not asked [D2]
    laid=i1,  # the number of cards in the orchard
    card=(i1, box.DEALT),  # the numbers of those cards, from the bottom up
    turned=(i1, box.DEALT),  # their quarter turns
    cell=(i2, box.DEALT),  # the cells of their top left trees
    # The visible trees: for each fruit, and last for rotten trees, a row is one integer whose bit c is column c. The
    # trees follow from the cards above, and are kept for speed.
    trees=(i8, (box.FRUITS + 1, box.SIDE)),
    die_cell=(i2, box.DICE),  # the cell of each die, or NOWHERE; the first five are apples
    die_step=(i1, box.DICE),  # its step on the ladder, 0 in the supply
    rotten=i1,  # tokens used
)

STATE = state_dtype(
    edition=i1,  # the option [D9]
    half=i1,  # 1 for the second nine cards [D10]
    deal=(i1, box.DEALT),  # numbers of a fixed deal, or zeros [D11]
    reduced=i1,  # the option: whether four cards make a game, and not nine [D15]
    deck=(i1, box.CARDS),  # all cards in the order of the shuffle
    drawn=i1,  # the number of cards drawn from the deck
    seat=(SEAT, SEATS),
)

# An action is an integer, the answer to the question of the phase:
CODES = Codes(
    # a card of the hand, its quarter turns clockwise, and then the cell of its top left tree (start card: 16, 16)
    PLACE={"slot": box.HAND, "turned": box.QUARTERS, "row": box.SIDE, "column": box.SIDE},
    LAST_DIE={"tree": 2},  # the tree that gets the last die
)
PLACE, LAST_DIE = CODES.first
ACTIONS = CODES.total

# A slot of the hand holds different cards in different plays, so the key of a PLACE action contains the card:
NUM_ACTION_KEYS = ACTIONS + (box.CARDS + 1) * box.QUARTERS * box.CELLS

SCORES = ("points", "rotten fruit spared", "dice")


def legal(s, out):
    """Write the legal actions into `out` in ascending order, and return their number."""
    if s.over:
        return 0
    match s.phase:
        case Phase.PLACE:
            return legal_place(s, out)
        case Phase.DIE:
            return legal_die(s, out)
    return 0


def apply(s, action):
    """Apply an action that the caller has checked to be legal."""
    match s.phase:
        case Phase.PLACE:
            apply_place(s, action)
        case Phase.DIE:
            apply_die(s, action - LAST_DIE)


def action_key(s, action):
    """Return the action's key: the key of a placement contains the card in place of its slot in the hand."""
    if action >= LAST_DIE:
        return action
    slot, rest = action // (box.QUARTERS * box.CELLS), action % (box.QUARTERS * box.CELLS)
    return ACTIONS + s.seat[s.turn].hand[slot] * box.QUARTERS * box.CELLS + rest


# --- Setting up [2] ------------------------------------------------------------------------


def setup(s, seats, seed):
    """Deal the start card and the first hand to every seat [2.1-2.3, 7.1]."""
    seed_rng(s.rng, seed)
    s.seats = seats
    stack_deck(s)
    first = s.half * box.DEALT
    s.drawn = first + 1 + box.HAND
    for p in range(seats):
        me = s.seat[p]
        clear(me)
        lay(me, s.deck[first], 0, box.CENTRE, box.CENTRE)
        for slot in range(box.HAND):
            me.hand[slot] = s.deck[first + 1 + slot]


def stack_deck(s):
    """Order the deck as the options `deal` and `edition` require [2.1, D9, D11]."""
    if s.deal[0] != NO_CARD:
        for i in range(box.DEALT):
            s.deck[i] = s.deal[i]
        fill_up(s, box.DEALT, s.rng)
    elif s.edition == Edition.OF_2018:
        stack_double_sided(s, 0, s.rng)
        fill_up(s, box.DEALT, s.rng)
    else:
        fill_up(s, 0, s.rng)


def fill_up(s, known, rng):
    """Put all other cards behind the first `known` cards of the deck, in random order."""
    n = known
    for number in range(1, box.CARDS + 1):
        if not among(s, number, known):
            s.deck[n] = number
            n += 1
    shuffle(rng, s.deck, known, box.CARDS)


def stack_double_sided(s, known, rng):
    """Put a random side of each unseen card of 2018 behind the first `known` cards, in random order [D9]."""
    n = known
    for card in range(box.DEALT):
        if not among(s, box.SIDES[card, 0], known) and not among(s, box.SIDES[card, 1], known):
            s.deck[n] = box.SIDES[card, randbelow(rng, 2)]
            n += 1
    shuffle(rng, s.deck, known, n)


def among(s, number, known):
    for i in range(known):
        if s.deck[i] == number:
            return True
    return False


def clear(me):
    """Initialize a zeroed seat: all dice in the supply, no choice, no answers about last dice [1.2, 1.3]."""
    me.choice = NONE
    for fruit in range(box.FRUITS):
        me.last_die[fruit] = NONE
    for die in range(box.DICE):
        me.die_cell[die] = NOWHERE


# --- Playing a card [3, 5] -------------------------------------------------------------------


def legal_place(s, out):
    """Write all placements of the cards in hand into `out`, and return their number [3.1]."""
    return list_placements(s.seat[s.turn], out)


def list_placements(me, out):
    """Write all placements of one player into `out` in ascending order, and return their number.

    If `out` is None, stop at the first placement and return 1, or return 0 if there is none.
    """
    n = 0
    top, bottom = top_row(me), bottom_row(me)
    for slot in range(box.HAND):
        number = me.hand[slot]
        if number == NO_CARD:
            continue
        for turned in range(box.QUARTERS):
            code = PLACE + (slot * box.QUARTERS + turned) * box.CELLS
            face = box.FACE[number, turned]
            for row in range(top - box.HEIGHT[turned] + 1, bottom + 1):
                if turned & 1:  # constant height and width make random plays 10% faster
                    columns = columns_for(me, face, row, box.SHORT, box.LONG)
                else:
                    columns = columns_for(me, face, row, box.LONG, box.SHORT)
                if out is None:  # Numba resolves this when it compiles, so it costs nothing
                    if columns:
                        return 1
                    continue
                while columns:
                    lowest = columns & -columns
                    out[n] = code + row * box.SIDE + box.BIT_OF[lowest % box.BIT_MODULUS]
                    n += 1
                    columns ^= lowest
    return n


def columns_for(me, face, row, height, width):
    """Return the columns, as bits, where a card can lie with its top left tree in this row [3.1].

    `face` has the card's trees, packed as in `components.FACE`. The trees must cover a tree [3.1, D1], but no rotten
    tree [5.5]. They may cover at most as many trees of another fruit as tokens are left [3.2, 5.1, 5.4].
    """
    covered = spoilt = one = two = three = 0
    for line in range(row, row + height):
        sound = me.trees[0, line] | me.trees[1, line] | me.trees[2, line]
        rotten = me.trees[ROTTEN, line]
        for column in range(width):
            differs = (sound & ~me.trees[face & box.FACE_MASK, line]) >> column
            covered |= sound >> column
            spoilt |= rotten >> column
            three |= two & differs
            two |= one & differs
            one |= differs
            face >>= box.FACE_BITS
    match box.TOKENS - me.rotten:
        case 0:
            return covered & ~spoilt & ~one
        case 1:
            return covered & ~spoilt & ~two
    return covered & ~spoilt & ~three


def top_row(me):
    row = 0
    while row_is_empty(me, row):
        row += 1
    return row


def bottom_row(me):
    row = box.SIDE - 1
    while row_is_empty(me, row):
        row -= 1
    return row


def row_is_empty(me, row):
    return me.trees[0, row] | me.trees[1, row] | me.trees[2, row] | me.trees[ROTTEN, row] == 0


def apply_place(s, action):
    """Store the placement, and ask the next question or end the round [3.1, 7.2, D8]."""
    s.seat[s.turn].choice = action
    ask_next(s)


def legal_die(s, out):
    """[D2]"""
    out[0], out[1] = LAST_DIE, LAST_DIE + 1
    return 2


def apply_die(s, tree):
    """Store the tree that gets the last die, and ask the next question or end the round [D2]."""
    me = s.seat[s.turn]
    me.last_die[contested(me)] = tree
    ask_next(s)


def ask_next(s):
    """Ask about a contested last die, or ask the next player, or end the round."""
    if contested(s.seat[s.turn]) != NONE:
        s.phase = Phase.DIE
        return
    s.phase = Phase.PLACE
    for p in range(s.turn + 1, s.seats):
        if not s.seat[p].stuck:
            s.turn = p
            return
    end_round(s)


def contested(me):
    """Return the first fruit whose last die can go to either of two trees, or NONE [D2, D3].

    Fruits for which the player has answered are left out.
    """
    for fruit in range(box.FRUITS):
        left = in_supply(me, fruit)
        if left <= 1 and me.last_die[fruit] == NONE and left + freed(me, fruit) == 1 and bare(me, fruit) == 2:
            return fruit
    return NONE


def in_supply(me, fruit):
    """Return the number of this fruit's dice in the supply [1.2]."""
    count = 0
    for die in range(fruit * box.DICE_EACH, (fruit + 1) * box.DICE_EACH):
        count += me.die_cell[die] == NOWHERE
    return count


def freed(me, fruit):
    """Return the number of this fruit's dice that the choice sends back to the supply [5.2]."""
    count = 0
    number, turned, row, column = chosen(me)
    for k in range(box.TREES):
        line, place = row + box.DOWN[turned, k], column + box.RIGHT[turned, k]
        if box.FRUIT[number, turned, k] != fruit and bears(me, fruit, line, place):
            count += die_on(me, fruit, line, place) != NONE
    return count


def bare(me, fruit):
    """Return the number of this fruit's trees without a die that the choice covers with the same fruit."""
    count = 0
    number, turned, row, column = chosen(me)
    for k in range(box.TREES):
        line, place = row + box.DOWN[turned, k], column + box.RIGHT[turned, k]
        if box.FRUIT[number, turned, k] == fruit and bears(me, fruit, line, place):
            count += die_on(me, fruit, line, place) == NONE
    return count


def chosen(me):
    """Return the choice as card number, quarter turns, row and column."""
    way, cell = me.choice // box.CELLS, me.choice % box.CELLS
    slot, turned = way // box.QUARTERS, way % box.QUARTERS
    return me.hand[slot], turned, cell // box.SIDE, cell % box.SIDE


def bears(me, fruit, row, column):
    """Return whether the visible tree of this cell bears this fruit, or a token if `fruit` is ROTTEN."""
    return (me.trees[fruit, row] >> column) & 1 == 1


def die_on(me, fruit, row, column):
    """Return the number of the die of this fruit that lies on a cell, or NONE."""
    for die in range(fruit * box.DICE_EACH, (fruit + 1) * box.DICE_EACH):
        if me.die_cell[die] == row * box.SIDE + column:
            return die
    return NONE


# --- Laying the cards of a round [3.3, 4, 5] ---------------------------------------------------


def end_round(s):
    """Lay the chosen cards, draw a card if any is left, and begin a round or end the play [3.3, 3.4, 7.2]."""
    for p in range(s.seats):
        if not s.seat[p].stuck:
            carry_out(s, s.seat[p])
    s.reveals += s.seats > 1
    s.turns += s.seats > 1  # a single player may undo actions that revealed nothing [D14]
    draw(s)
    see_who_can_place(s)


def carry_out(s, me):
    """Lay the chosen card: first spoil the covered trees of another fruit, then harvest the matching trees [D3]."""
    number, turned, row, column = chosen(me)
    for k in range(box.TREES):
        fruit = box.FRUIT[number, turned, k]
        line, place = row + box.DOWN[turned, k], column + box.RIGHT[turned, k]
        below_it = visible(me, line, place)
        if below_it != NONE and below_it != fruit:
            spoil(me, below_it, line, place)
    for k in range(box.TREES):
        fruit = box.FRUIT[number, turned, k]
        line, place = row + box.DOWN[turned, k], column + box.RIGHT[turned, k]
        if bears(me, fruit, line, place):
            harvest(s, me, fruit, box.SECOND[number, turned, k], line, place)
    me.hand[me.choice // box.CELLS // box.QUARTERS] = NO_CARD
    me.choice = NONE
    for fruit in range(box.FRUITS):
        me.last_die[fruit] = NONE
    lay(me, number, turned, row, column)


def visible(me, row, column):
    """Return the fruit of the visible tree in this cell, ROTTEN, or NONE."""
    for fruit in range(box.FRUITS + 1):
        if bears(me, fruit, row, column):
            return fruit
    return NONE


def spoil(me, fruit, row, column):
    """Put a token into the cell, and return its die, if any, to the supply [5.2, 5.3]."""
    die = die_on(me, fruit, row, column)
    if die != NONE:
        me.die_cell[die] = NOWHERE
        me.die_step[die] = 0
    me.rotten += 1
    me.trees[fruit, row] ^= 1 << column
    me.trees[ROTTEN, row] |= 1 << column


def harvest(s, me, fruit, second, row, column):
    """Raise the die on the tree below up to the top step, or put a new die there if this tree gets one [4.1-4.4, D2].

    `second` is 1 for the second tree of the fruit on the card, else 0.
    """
    die = die_on(me, fruit, row, column)
    if die == NONE:
        if me.last_die[fruit] != NONE and me.last_die[fruit] != second:
            return
        die = free_die(me, fruit)
        if die == NONE:
            return
        me.die_cell[die] = row * box.SIDE + column
    me.die_step[die] = min(me.die_step[die] + 1, box.TOP[s.edition])


def free_die(me, fruit):
    """Return the number of a die of this fruit in the supply, or NONE [4.2]."""
    for die in range(fruit * box.DICE_EACH, (fruit + 1) * box.DICE_EACH):
        if me.die_cell[die] == NOWHERE:
            return die
    return NONE


def lay(me, number, turned, row, column):
    """Add a card to the orchard, and show its trees in all cells without a token [2.2]."""
    me.card[me.laid] = number
    me.turned[me.laid] = turned
    me.cell[me.laid] = row * box.SIDE + column
    me.laid += 1
    for k in range(box.TREES):
        line, place = row + box.DOWN[turned, k], column + box.RIGHT[turned, k]
        if not bears(me, ROTTEN, line, place):
            me.trees[box.FRUIT[number, turned, k], line] |= 1 << place


# --- Drawing, and the end [3.4, 6] -------------------------------------------------------------


def draw(s):
    """Give the next card to every player who is still playing, while the deck lasts [3.4, 7.1]."""
    if cards_left(s) == 0:
        return
    for p in range(s.seats):
        me = s.seat[p]
        if not me.stuck:
            me.hand[0 if me.hand[0] == NO_CARD else 1] = s.deck[s.drawn]
    s.drawn += 1
    s.reveals += 1


def cards_left(s):
    """Return the number of cards that are still to be drawn in this game [2.1, D10, D15]."""
    return s.half * box.DEALT + box.GAME_CARDS[s.reduced] - s.drawn


def see_who_can_place(s):
    """Give the turn to the first seat that can lay a card, or end the play [6.1, 6.2, 7.3, D4, D5].

    A seat that cannot lay a card, and has not laid all cards of the game, is stuck.
    """
    s.turn = NONE
    done, cards = False, box.GAME_CARDS[s.reduced]
    for p in range(s.seats - 1, -1, -1):
        me = s.seat[p]
        done |= me.laid == cards
        if not me.stuck and can_place(me):
            s.turn = p
        else:
            me.stuck = me.laid < cards
    if s.turn == NONE:
        s.turn = 0
        s.over = EndReason.LAST_CARD if done else EndReason.STUCK


def can_place(me):
    """Return whether a card of the hand fits anywhere [6.1]."""
    return list_placements(me, None) > 0


# --- Scoring [6, 7] ----------------------------------------------------------------------------


def scores(s, out):
    """Write each seat's points, then unused tokens and dice in the orchard as tie-breaks [1.4, 6.4, 7.4, D6]."""
    for p in range(s.seats):
        me = s.seat[p]
        out[p, 0] = harvested(s, me) - box.TOKEN_COST * me.rotten
        out[p, 1] = box.TOKENS - me.rotten
        out[p, 2] = box.DICE - in_supply(me, 0) - in_supply(me, 1) - in_supply(me, 2)


def harvested(s, me):
    """Return the sum of all dice in the orchard [6.3]."""
    total = 0
    for die in range(box.DICE):
        total += box.LADDER[s.edition, me.die_step[die]]
    return total
