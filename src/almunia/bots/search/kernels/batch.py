"""Planned turns in the rows of a batch: one call plays on to the next question.

`observe` is the game's.
"""

from typing import Any

from ....core.kernels.batch_step import ANSWER, advance
from ....engine.kernels.rng import shake
from .beam import SEEN
from .turn_beam import choose

observe: Any  # given by the twin


def play(place, i, guesses, given, games, work, rivals, memories, plan, space):
    """Choose in row `i` while it waits for the opponent in this place; `StatefulBot` describes `memories`."""
    states, slots, seen = games.states, games.slots, space.states
    seats = len(rivals.kinds) + 1
    while slots[i].waiting and (states[i].turn - slots[i].own - 1 + seats) % seats == place:
        recall(i, place, slots[i], memories, space.rng)
        seat = states[i].turn
        seen[SEEN] = states[i]
        observe.mask(seen[SEEN], seat)
        given[i] = choose(seat, guesses, plan, space)
        for k in range(4):
            memories[i, place, 1 + k] = space.rng[k]
        slots[i].waiting = 0
        advance(ANSWER, i, i + 1, given, games, work, rivals)


def recall(i, place, slot, memories, rng):
    """Go on with the random numbers of this game; one that has just been dealt begins with its seed."""
    if memories[i, place, 0] != slot.dealt:
        memories[i, place, 0] = slot.dealt
        shake(rng, slot.bot_seed ^ place)
    else:
        for k in range(4):
            rng[k] = memories[i, place, 1 + k]
