"""Setup: the starting player, start tiles and hands [2]."""

from ....core.contract import NONE
from ....engine.kernels.rng import randbelow, seed_rng
from .. import components as box
from ..components import EMPTY
from .decks import draw_card


def setup(s, seats, seed):
    """Set up the play for the first turn [1.6, 2.1-2.5, D3]."""
    seed_rng(s.rng, seed)
    s.seats = seats
    s.last = s.chosen[0] = s.chosen[1] = NONE
    for cell in range(box.CELLS):
        s.space[cell] = EMPTY
    for building in range(box.BUILDINGS):
        s.stock[building] = box.STOCK[building]
    for kind in range(box.KINDS):
        s.shuffled[kind] = box.CARDS[kind]
    for p in range(seats):
        me = s.seat[p]
        me.farmers = box.FARMERS
        me.joker, me.extra = box.JOKER_ACTIVE, box.EXTRA_ACTIVE
        me.start = draw_start_tile(s, p)
        for deck in range(box.DECKS):
            for _ in range(box.DEALT[deck]):
                draw_card(s, p, deck)
    s.first = s.turn = randbelow(s.rng, seats)


def draw_start_tile(s, p):
    """Return the building of a random start tile that no seat before `p` has [1.4, 2.5]."""
    left = -p
    for building in range(box.BUILDINGS):
        left += box.START_TILES[building]
    pick = randbelow(s.rng, left)
    building = NONE
    while pick >= 0:
        building += 1
        pick -= box.START_TILES[building]
        for other in range(p):
            pick += s.seat[other].start == building
    return building
