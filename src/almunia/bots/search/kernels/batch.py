"""Turn beams in the rows of a batch: one call plays on until the row waits for another opponent or a learner.

`observe` is the game's module.
"""

from typing import Any

from ....core.kernels.batch_step import ANSWER, advance
from ....engine.kernels.rng import shake
from .beam import OBSERVED
from .turn_beam import choose

observe: Any  # given by the twin


def run(place, i, determinizations, given, games, work, rivals, memories, plan, space):
    """Choose and play in row `i` while it waits for the opponent in this place.

    `memories[i, place]` holds the number of the row's deal and the bot's memory, as `StatefulBot` describes it.
    """
    states, slots, seen = games.states, games.slots, space.states
    seats = len(rivals.kinds) + 1
    while slots[i].waiting and (states[i].turn - slots[i].own - 1 + seats) % seats == place:
        restore_rng(i, place, slots[i], memories, space.rng)
        seat = states[i].turn
        seen[OBSERVED] = states[i]
        observe.mask(seen[OBSERVED], seat)
        given[i] = choose(seat, determinizations, plan, space)
        for k in range(4):
            memories[i, place, 1 + k] = space.rng[k]
        slots[i].waiting = 0
        advance(ANSWER, i, i + 1, given, games, work, rivals)


def restore_rng(i, place, slot, memories, rng):
    """Restore the random number generator of this place in this row, seeding it if the row has a new deal."""
    if memories[i, place, 0] != slot.dealt:
        memories[i, place, 0] = slot.dealt
        shake(rng, slot.bot_seed ^ place)
    else:
        for k in range(4):
            rng[k] = memories[i, place, 1 + k]
