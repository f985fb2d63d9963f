"""Loops that repeat one operation inside one call, so that `bench` can time it.

Row 0 of `states` has the position to start from. The loops may overwrite all rows. Each loop returns a value that
depends on all passes, so that no compiler can remove a pass.
"""

from typing import Any

from ...engine.kernels.rng import randbelow

rules: Any
observe: Any


def random_plays(states, seats, first_seed, plays, rng, out, numbers, parts):
    """Play uniformly random actions in plays with seeds from `first_seed` on. Return the number of decisions.

    Unless `numbers` is empty, an observation is written at every decision, and `states` needs three rows instead of
    two. `parts` is an array of one record, which shares the memory of `numbers`.
    """
    decisions = 0
    for i in range(plays):
        states[1] = states[0]
        s = states[1]
        rules.setup(s, seats, first_seed + i)
        count = rules.legal(s, out)
        while count > 0:
            if len(numbers) > 0:
                write_observation(states, 1, 2, numbers, parts)
            rules.apply(s, out[randbelow(rng, count)])
            decisions += 1
            count = rules.legal(s, out)
    return decisions


def write_observation(states, source, work, numbers, parts):
    """Write the tensor of the seat to move in row `source` into `parts`, from a masked copy in row `work`."""
    states[work] = states[source]
    s = states[work]
    observe.mask(s, s.turn)
    for k in range(len(numbers)):
        numbers[k] = 0
    observe.tensor(s, s.turn, parts[0])


def copies(states, times):
    """Copy a state from row to row `times` times, change each copy, and return a sum."""
    total = 0
    for i in range(times):
        states[(i + 1) % 2] = states[i % 2]
        states[(i + 1) % 2].rng[0] += 1
        total += states[i % 2].rng[0]
    return total


def observations(states, times, numbers, parts):
    """Mask a copy and write its tensor `times` times, and return a sum."""
    total = 0.0
    for _ in range(times):
        write_observation(states, 0, 1, numbers, parts)
        total += numbers[0]
    return total


def determinizations(states, times, rng, out):
    """Copy the masked state in row 0 and determinize the copy, `times` times, and return a sum."""
    s = states[1]
    total = 0
    for _ in range(times):
        states[1] = states[0]
        observe.determinize(s, s.turn, rng, out)
        total += s.rng[0]
    return total
