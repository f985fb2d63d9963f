"""Observations of Alhambra [D8]."""

from ...core.contract import NONE
from ...engine.kernels.rng import clear_rng, randbelow, reseed_rng, shuffle
from . import components as box
from .rules.money import hand_sum, value_of
from .rules.scoring import competitors, count, longest_wall
from .rules.setting_up import insert, pile_span
from .rules.state import EMPTY, SCORING, SCORING_CARDS, SEATS, TURN_LIMIT, Memory, Phase, bit, lowest, offset

PLACES = 2 + box.MARKET + 1 + 2 * SEATS  # where a tile may be, for the part "tiles"
MIDDLE = box.SIDE // 2 - 1  # the fountain's row and column in an observation
TRIES = 200  # random hands to try before a hand that can pay is composed

HIDDEN, IN_MARKET, TO_POSITION = 0, 1, 1 + box.MARKET
WITH_DIRK = TO_POSITION + 1
BUILT = WITH_DIRK + 1
RESERVED = BUILT + SEATS

# The parts of an observation, with their shapes. Seats are counted from the reader's own seat.
TENSOR_SHAPES = {
    # 0 own tiles, 1 to 4 their walls by side; the fountain is at row 19, column 19
    "alhambra": (1 + box.SIDES, box.SIDE, box.SIDE),
    # where each tile is: 0 in the bag, 1 to 4 on a square, 5 to be positioned, 6 Dirk's, 7 to 12 built by a seat,
    # 13 to 18 reserved by a seat
    "tiles": (box.TILES, PLACES),
    "cells": (box.TILES, 2),  # of built tiles: rows south and columns east of the fountain / 20
    "money": (SEATS, box.CARDS),  # cards in hand / 3, if known: currency * 9 + value - 1
    "hands": (SEATS, 2),  # number of cards / 10, known value of the cards / 100
    "open_money": (2, box.CARDS),  # in the display / 2, among the discards / 3
    "counts": (SEATS + 1, box.KINDS),  # buildings of each kind / 11, Dirk last
    "walls": (SEATS,),  # longest wall / 20
    "points": (SEATS,),  # so far / 100
    "question": (len(Phase),),  # the phase, one-hot
    "turn": (SEATS,),  # the seat to move, one-hot
    "choice": (box.TILES + box.MARKET,),  # 0 to 53 the tile rebuilt or positioned, 54 to 57 the square being paid for
    "owing": (3,),  # still to be paid / 13, taken / 5, the bound for the next card / 36
    # cards left / 110, cards after setup / 110, tiles in the bag / 54, scoring cards seen / 2,
    # turns played / 100 for each seat, whether the market is short
    "stock": (6,),
    "due": (box.ROUNDS,),  # the scoring round that is due, one-hot, or zeros
    "left_over": (SEATS, box.TILES),  # the left-over tiles still to be positioned, by owner
}

# The visibility of the state's fields; the fields of a seat follow a dot. Partly: a hand is seen by its owner alone, or
# by all players if memory is perfect.
VISIBILITY = {
    "nobody": "rng bag deck",
    "partly": "seat.hand",
    "everybody": (
        "seats turn phase over turns reveals memory first seat.cards seat.built seat.reserve seat.leftover seat.grid "
        "seat.earned cell market display discard bag_size deck_size deck_at_first scoring_cards due dirk dirk_earned "
        "final bought tile square owing taken least"
    ),
}

# Hands are drawn uniformly from the unseen cards, although a starting hand was worth at least 20. So the deck is not
# exact, either [D8].
INEXACT_FIELDS = ("seat.hand", "deck")


def mask(s, seat):
    """Hide everything that `seat` may not know [D8]."""
    clear_rng(s.rng)
    for i in range(s.bag_size):
        s.bag[i] = EMPTY
    for i in range(s.deck_size):
        s.deck[i] = EMPTY
    for p in range(s.seats):
        if hides_hand(s, p, seat):
            for card in range(box.CARDS):
                s.seat[p].hand[card] = 0


def hides_hand(s, p, seat):
    """Return whether the hand of seat `p` is hidden from `seat` [2.3, D8]."""
    return p != seat and s.memory != Memory.PERFECT


def determinize(s, seat, rng, out):
    """Fill in everything hidden from `seat` at random [D8].

    A hidden hand that is paying gets cards that can pay. `out` is scratch space for cards.
    """
    reseed_rng(s.rng, rng)
    refill_bag(s, rng)
    unseen = gather_unseen_money(s, out)
    shuffle(rng, out, 0, unseen)
    if s.phase == Phase.PAY and hides_hand(s, s.turn, seat):
        let_pay(s, unseen, rng, out)
        unseen = deal(s.seat[s.turn], unseen, out)
    for p in range(s.seats):
        if hides_hand(s, p, seat) and (p != s.turn or s.phase != Phase.PAY):
            unseen = deal(s.seat[p], unseen, out)
    stack_deck(s, unseen, rng, out)


def deal(me, unseen, out):
    """Add the last `me.cards` of the first `unseen` cards of `out` to a hand, and return the number of cards left."""
    for i in range(unseen - me.cards, unseen):
        me.hand[out[i]] += 1
    return unseen - me.cards


def let_pay(s, unseen, rng, out):
    """Reorder `out` so that the payer's hand, at the end of the unseen cards, covers the money owed.

    Draw random hands up to TRIES times, then compose a hand from the highest cards that may be paid.
    """
    cards = s.seat[s.turn].cards
    for _ in range(TRIES):
        if worth(s, unseen - cards, unseen, out) >= s.owing:
            return
        for i in range(cards):
            swap(out, unseen - 1 - i, randbelow(rng, unseen - i))
    place = unseen
    for value in range(s.least, 0, -1):
        i = 0
        while i < place and worth(s, place, unseen, out) < s.owing:
            if out[i] == s.square * box.VALUES + value - 1:
                place -= 1
                swap(out, i, place)  # the card from `place` may fit too, so `i` stays
            else:
                i += 1


def worth(s, start, stop, out):
    """Return the sum of the cards `out[start:stop]` that can be paid: the square's currency, up to `s.least` [D3]."""
    total = 0
    for i in range(start, stop):
        value = value_of(out[i])
        if out[i] // box.VALUES == s.square and value <= s.least:
            total += value
    return total


def swap(out, i, j):
    out[i], out[j] = out[j], out[i]


def refill_bag(s, rng):
    n = 0
    inside = tiles_in_bag(s)
    while inside:
        s.bag[n] = lowest(inside)
        n += 1
        inside &= inside - 1
    shuffle(rng, s.bag, 0, n)


def tiles_in_bag(s):
    """Return the set of tiles that can be nowhere but in the bag."""
    inside = bit(box.TILES) - 1
    inside ^= s.dirk | s.bought
    for square in range(box.MARKET):
        if s.market[square] != EMPTY:
            inside ^= bit(s.market[square])
    for p in range(s.seats):
        inside ^= s.seat[p].built | s.seat[p].reserve | s.seat[p].leftover
    return inside


def gather_unseen_money(s, out):
    """Write the unseen money cards to `out`, and return their number."""
    copies = box.COPIES_FOR_TWO if s.seats == 2 else box.COPIES
    n = 0
    for card in range(box.CARDS):
        left = copies - s.discard[card]
        for place in range(box.DISPLAY):
            left -= s.display[place] == card
        for p in range(s.seats):
            left -= s.seat[p].hand[card]
        for _ in range(left):
            out[n] = card
            n += 1
    return n


def stack_deck(s, money, rng, out):
    """Make the first `money` cards of `out` the deck, and insert the undrawn scoring cards at random [2.6, D2]."""
    drawn = s.deck_at_first - s.deck_size
    s.deck_size = money
    for i in range(money):
        s.deck[i] = out[i]
    for card in range(SCORING_CARDS - 1, s.scoring_cards - 1, -1):  # the lower card first
        start, stop = pile_span(s, card)
        start = max(start, drawn)
        above = start + randbelow(rng, stop - start) - drawn
        insert(s, SCORING + card, above - (card - s.scoring_cards))


# --- Observations as numbers ----------------------------------------------------------------------------


def tensor(s, seat, out):
    """Write the parts of TENSOR_SHAPES for `seat`. A spectator (-1) gets the view of seat 0, without hidden money."""
    own = max(seat, 0)
    write_alhambra(s, s.seat[own], out)
    write_tiles(s, own, out)
    write_seats(s, own, out)
    write_money(s, out)
    write_question(s, own, out)
    for kind in range(box.KINDS):
        for i in range(s.seats):
            out.counts[i, kind] = count(s, (own + i) % s.seats, kind) / 11
        if competitors(s) > s.seats:
            out.counts[SEATS, kind] = count(s, s.seats, kind) / 11


def write_alhambra(s, me, out):
    write_cell(box.FOUNTAIN, box.HOME, out)
    tiles = me.built
    while tiles:
        write_cell(lowest(tiles), s.cell[lowest(tiles)], out)
        tiles &= tiles - 1


def write_cell(tile, cell, out):
    row, column = MIDDLE + offset(cell // box.SIDE), MIDDLE + offset(cell % box.SIDE)
    out.alhambra[0, row, column] = 1
    for side in range(box.SIDES):
        out.alhambra[1 + side, row, column] = box.WALL[tile, side]


def write_tiles(s, own, out):
    mark(tiles_in_bag(s), HIDDEN, out)
    for square in range(box.MARKET):
        if s.market[square] != EMPTY:
            mark(bit(s.market[square]), IN_MARKET + square, out)
    mark(s.bought, TO_POSITION, out)
    mark(s.dirk, WITH_DIRK, out)
    for i in range(s.seats):
        me = s.seat[(own + i) % s.seats]
        mark(me.leftover, TO_POSITION, out)
        mark(me.built, BUILT + i, out)
        mark(me.reserve, RESERVED + i, out)
        left = me.leftover
        while left:
            out.left_over[i, lowest(left)] = 1
            left &= left - 1
    for tile in range(box.TILES):
        if s.cell[tile] >= 0:
            out.cells[tile, 0] = offset(s.cell[tile] // box.SIDE) / 20
            out.cells[tile, 1] = offset(s.cell[tile] % box.SIDE) / 20


def mark(tiles, place, out):
    """Set `out.tiles[tile, place]` to 1 for each tile of a bit set."""
    while tiles:
        out.tiles[lowest(tiles), place] = 1
        tiles &= tiles - 1


def write_seats(s, own, out):
    for i in range(s.seats):
        me = s.seat[(own + i) % s.seats]
        for card in range(box.CARDS):
            out.money[i, card] = me.hand[card] / 3
        out.hands[i, 0] = me.cards / 10
        out.hands[i, 1] = hand_sum(me) / 100
        out.walls[i] = longest_wall(me) / 20
        for held in range(box.ROUNDS):
            out.points[i] += (me.earned[held, 0] + me.earned[held, 1]) / 100


def write_money(s, out):
    for place in range(box.DISPLAY):
        if s.display[place] != EMPTY:
            out.open_money[0, s.display[place]] += 1 / 2
    for card in range(box.CARDS):
        out.open_money[1, card] = s.discard[card] / 3


def write_question(s, own, out):
    out.question[s.phase] = 1
    out.turn[(s.turn - own + s.seats) % s.seats] = 1
    if s.tile != NONE:
        out.choice[s.tile] = 1
    if s.square != NONE:
        out.choice[box.TILES + s.square] = 1
    out.owing[0] = s.owing / 13
    out.owing[1] = s.taken / 5
    out.owing[2] = s.least / 36
    out.stock[0] = s.deck_size / 110
    out.stock[1] = s.deck_at_first / 110
    out.stock[2] = s.bag_size / 54
    out.stock[3] = s.scoring_cards / 2
    out.stock[4] = s.turns / (TURN_LIMIT * s.seats)
    out.stock[5] = s.final
    if s.due:
        out.due[s.due - 1] = 1


def may_see(s, seat):
    """Return True, because all actions are public."""
    return True


def legal_is_public(s):
    """Return whether all players know the legal actions: in ACT and PAY, only with perfect memory [D8]."""
    return s.memory == Memory.PERFECT or (s.phase != Phase.ACT and s.phase != Phase.PAY)
