"""High Card: the rules.

Read this module together with RULES.md: a mark such as [3.1] names a paragraph there. Each rule is a
plain function of the state `s`.
"""

from enum import IntEnum

from almunia.core.codes import Codes
from almunia.engine.kernels.rng import randbelow, seed_rng
from almunia.engine.state_dtype import i1, record_dtype, state_dtype

from . import components as box

SEATS = box.SEATS
NO_CARD = 0  # cards are numbered from 1
NONE = -1  # no seat

# The places of a card. For a card in a hand, the place is the number of the seat.
DECK = SEATS
TABLE = SEATS + 1
OUT = SEATS + 2
UNKNOWN = SEATS + 3  # in the deck or another hand: hidden from a seat (observe.py)


class Phase(IntEnum):
    """The question to the seat to move."""

    PLAY = 0  # choose the card to play [3.1]


class EndReason(IntEnum):
    """The reason why a play ended; `over` is 0 while it runs."""

    NO_CARDS = 1  # [4.1]


SEAT = record_dtype(
    cards=i1,  # number of cards in the hand; public
    shown=i1,  # card played in this round, or NO_CARD
    won=i1,  # rounds won
)

STATE = state_dtype(
    hand=i1,  # the option `hand`
    where=(i1, box.CARDS + 1),  # by number: a seat, DECK, TABLE or OUT
    last=i1,  # seat that won the last round, or NONE
    seat=(SEAT, SEATS),
)

# An action is one integer: here, the number of the card to play.
CODES = Codes(PLAY={"card": box.CARDS + 1})
ACTIONS = CODES.total

SCORES = ("rounds", "last round")


# --- Setup [2] ---------------------------------------------------------------------------------


def setup(s, seats, seed):
    """Deal a hand to each player from the shuffled cards; the first player leads [2.1, 2.2]."""
    seed_rng(s.rng, seed)
    s.seats = seats
    s.last = NONE
    for number in range(1, box.CARDS + 1):
        s.where[number] = DECK
    for p in range(seats):
        for _ in range(box.HANDS[s.hand]):
            draw(s, p)


# --- A round [3] -------------------------------------------------------------------------------


def legal(s, out):
    """Write every card of the hand into `out`, ascending, and return their number: 0 at the end [3.1, 4.1]."""
    n = 0
    for number in range(1, box.CARDS + 1):
        if s.where[number] == s.turn:
            out[n] = number
            n += 1
    return n


def apply(s, number):
    """Play the card and give the turn to the next player; end the round if all have played [3.1].

    The caller has checked that the card is in the hand.
    """
    me = s.seat[s.turn]
    s.where[number] = TABLE
    me.shown = number
    me.cards -= 1
    s.reveals += 1
    s.turns += 1
    s.turn = (s.turn + 1) % s.seats
    if s.seat[s.turn].shown != NO_CARD:
        end_round(s)


def end_round(s):
    """Score the highest card, let all draw, and let the winner lead, unless the hands are empty [3.2-3.4, 4.1]."""
    winner = highest(s)
    s.seat[winner].won += 1
    s.last = winner
    s.turn = winner
    for p in range(s.seats):
        s.where[s.seat[p].shown] = OUT
        s.seat[p].shown = NO_CARD
    draw_for_all(s)
    if s.seat[winner].cards == 0:
        s.over = EndReason.NO_CARDS


def highest(s):
    """Return the seat with the highest card of this round [3.2]."""
    best = 0
    for p in range(1, s.seats):
        if s.seat[p].shown > s.seat[best].shown:
            best = p
    return best


def draw_for_all(s):
    """Let each player draw a card, the winner of the round first, if the deck has enough cards [3.3, D1]."""
    if in_deck(s) < s.seats:
        return
    for i in range(s.seats):
        draw(s, (s.last + i) % s.seats)
    s.reveals += 1


def draw(s, seat):
    """Move a random card from the deck into a hand."""
    left = randbelow(s.rng, in_deck(s))
    for number in range(1, box.CARDS + 1):
        if s.where[number] == DECK:
            if left == 0:
                s.where[number] = seat
                s.seat[seat].cards += 1
                return
            left -= 1


def in_deck(s):
    """Return the number of cards in the deck, computed from public information."""
    left = box.CARDS
    for number in range(1, box.CARDS + 1):
        left -= s.where[number] == TABLE or s.where[number] == OUT
    for p in range(s.seats):
        left -= s.seat[p].cards
    return left


# --- Scoring [4] -------------------------------------------------------------------------------


def scores(s, out):
    """Write each seat's rounds won and, as a tie-break, whether it won the last round [1.2, 4.2, D2]."""
    for p in range(s.seats):
        out[p, 0] = s.seat[p].won
        out[p, 1] = s.last == p
