"""Turn beams in the rows of a batch. One call plays until the row waits for another opponent or the learner.

`observe` is the game's module.
"""

from typing import Any

from ....core.kernels.batch_step import OPPONENT_STEP, step_rows
from ....engine.kernels.rng import seed_rng
from .beam import OBSERVED
from .turn_beam import choose

observe: Any


def run(slot, i, determinizations, actions, arrays, scratch, opponents, memories, plan, space):
    """Choose and apply actions in row `i` while it waits for the opponent of this slot.

    `memories[i, slot]` holds the number of the row's episode and the bot's memory, as `StatefulBot` describes it.
    """
    states, rows, seen = arrays.states, arrays.rows, space.states
    seats = len(opponents.kinds) + 1
    while rows[i].awaiting_python and (states[i].turn - rows[i].learner_seat - 1 + seats) % seats == slot:
        restore_rng(i, slot, rows[i], memories, space.rng)
        seat = states[i].turn
        seen[OBSERVED] = states[i]
        observe.mask(seen[OBSERVED], seat)
        actions[i] = choose(seat, determinizations, plan, space)
        for k in range(4):
            memories[i, slot, 1 + k] = space.rng[k]
        rows[i].awaiting_python = 0
        step_rows(OPPONENT_STEP, i, i + 1, actions, arrays, scratch, opponents)


def restore_rng(i, slot, row, memories, rng):
    """Write the generator of this slot in this row into `rng`. Seed it if the row has a new game."""
    if memories[i, slot, 0] != row.episode:
        memories[i, slot, 0] = row.episode
        seed_rng(rng, row.bot_seed ^ slot)
    else:
        for k in range(4):
            rng[k] = memories[i, slot, 1 + k]
