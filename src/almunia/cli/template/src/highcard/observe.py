"""High Card as one seat knows it."""

from almunia.engine.kernels.rng import clear_rng, reseed_rng, shuffle

from . import components as box
from .rules import DECK, OUT, SEATS, TABLE, UNKNOWN, in_deck

# The parts of an observation, with their shapes.
TENSOR_SHAPES = {
    "hand": (box.CARDS,),  # own cards
    "table": (SEATS, box.CARDS),  # the card played in this round, from the reader's own seat on
    "out": (box.CARDS,),  # cards that are out of the game
    "won": (SEATS,),  # rounds won, from the reader's own seat on; / 5
}

# The fields of the state by who may see them; a field of a seat follows a dot. Partly: a seat sees the places of
# its own cards, and of the cards that have been played.
VISIBILITY = {
    "nobody": "rng",
    "partly": "where",
    "everybody": "seats turn phase over turns reveals hand last seat.cards seat.shown seat.won",
}


def mask(s, seat):
    """Hide the random generator, the deck and the other hands [2.1]."""
    clear_rng(s.rng)
    for number in range(1, box.CARDS + 1):
        if s.where[number] == DECK or (s.where[number] < SEATS and s.where[number] != seat):
            s.where[number] = UNKNOWN


def determinize(s, seat, rng, out):
    """Deal the unseen cards at random to the other hands and the deck."""
    reseed_rng(s.rng, rng)
    unseen = 0
    for number in range(1, box.CARDS + 1):
        if s.where[number] == UNKNOWN:
            out[unseen] = number
            unseen += 1
    shuffle(rng, out, 0, unseen)
    left = in_deck(s)
    for i in range(unseen):
        s.where[out[i]] = DECK if i < left else owner(s, seat, i - left)


def owner(s, seat, place):
    """Return the seat that gets card `place` when the other hands are filled in turn; DECK if all are full."""
    for p in range(s.seats):
        if p != seat:
            if place < s.seat[p].cards:
                return p
            place -= s.seat[p].cards
    return DECK


def tensor(s, seat, out):
    """Write the parts of TENSOR_SHAPES as `seat` sees them; a spectator has the view of seat 0 without its hand."""
    own = max(seat, 0)
    for number in range(1, box.CARDS + 1):
        out.hand[number - 1] = s.where[number] == seat
        out.out[number - 1] = s.where[number] == OUT
    for i in range(s.seats):
        other = s.seat[(own + i) % s.seats]
        if other.shown and s.where[other.shown] == TABLE:
            out.table[i, other.shown - 1] = 1
        out.won[i] = other.won / 5


def may_see(s, seat):
    """Return True, because cards are played face up [3.1]."""
    return True
