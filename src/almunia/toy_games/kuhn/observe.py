"""Kuhn poker as one seat knows it."""

from almunia.engine.kernels.rng import clear_rng, randbelow, reseed_rng

from . import components as box
from .rules import SEATS, UNKNOWN, EndReason

# The parts of an observation, with their shapes. A spectator has the view of seat 0 without its card.
TENSOR_SHAPES = {
    "card": (box.CARDS,),  # own card
    "stakes": (SEATS,),  # chips in the pot, from the reader's own seat on; / 2
    "decisions": (1,),  # decisions so far; / 3
}

# The fields of the state by who may see them; a field of a seat follows a dot. Partly: a seat sees its own card, and
# both cards after a showdown.
VISIBILITY = {
    "nobody": "rng",
    "partly": "seat.card",
    "everybody": "seats turn phase over turns reveals seat.stake",
}


def mask(s, seat):
    """Hide the random generator and, unless they were shown, the cards of other seats [2.2, 4.1, 4.2]."""
    clear_rng(s.rng)
    for p in range(s.seats):
        if p != seat and s.over != EndReason.SHOWDOWN:
            s.seat[p].card = UNKNOWN


def determinize(s, seat, rng, out):
    """Draw each hidden card from the cards that no seat holds."""
    reseed_rng(s.rng, rng)
    for p in range(s.seats):
        if s.seat[p].card == UNKNOWN:
            s.seat[p].card = draw(s, rng)


def draw(s, rng):
    """Return a random card that no seat holds."""
    left = box.CARDS
    for p in range(s.seats):
        left -= s.seat[p].card != UNKNOWN
    skipped = randbelow(rng, left)
    for card in range(1, box.CARDS + 1):
        if s.seat[0].card != card and s.seat[1].card != card:
            if skipped == 0:
                return card
            skipped -= 1
    return UNKNOWN


def tensor(s, seat, out):
    """Write the parts of TENSOR_SHAPES as `seat` sees them."""
    own = max(seat, 0)
    if s.seat[own].card != UNKNOWN:
        out.card[s.seat[own].card - 1] = 1
    for i in range(s.seats):
        out.stakes[i] = s.seat[(own + i) % s.seats].stake / 2
    out.decisions[0] = s.turns / 3


def may_see(s, seat):
    """Return True, because both players see every pass and bet [3.1]."""
    return True


def legal_is_public(s):
    """Return True, because a player can always pass and bet [3.1-3.3]."""
    return True
