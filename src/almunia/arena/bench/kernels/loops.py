"""Loops that repeat one thing often inside one call of a twin, to be timed from outside.

`states` holds two states: the position to start from and scratch space. What each loop returns
depends on all it did, so that no compiler can leave the work out.
"""

from typing import Any

from ....engine.kernels.rng import below

rules: Any  # given by the twin
observe: Any  # given by the twin


def random_plays(states, seats, first, times, rng, out, numbers, parts):
    """Whole plays of evenly chosen actions from seeds `first` on; returns the number of decisions.

    Unless `numbers` is empty, the seat to move observes at every decision; `states` are three then. `parts` is the
    record that lies where the numbers do.
    """
    decisions = 0
    for i in range(times):
        states[1] = states[0]
        s = states[1]
        rules.setup(s, seats, first + i)
        count = rules.legal(s, out)
        while count > 0:
            if len(numbers) > 0:
                write_observation(states, 1, 2, numbers, parts)
            rules.apply(s, out[below(rng, count)])
            decisions += 1
            count = rules.legal(s, out)
    return decisions


def write_observation(states, source, work, numbers, parts):
    """What the seat to move sees of one state, by way of a masked copy."""
    states[work] = states[source]
    s = states[work]
    observe.mask(s, s.turn)
    for k in range(len(numbers)):
        numbers[k] = 0
    observe.tensor(s, s.turn, parts[0])


def copies(states, times):
    """Copy a state to and fro, changing it each time."""
    total = 0
    for i in range(times):
        states[(i + 1) % 2] = states[i % 2]
        states[(i + 1) % 2].rng[0] += 1
        total += states[i % 2].rng[0]
    return total


def observations(states, times, numbers, parts):
    """Mask a copy and write its tensor."""
    total = 0.0
    for _ in range(times):
        write_observation(states, 0, 1, numbers, parts)
        total += numbers[0]
    return total


def redeals(states, times, rng, out):
    """Guess the hidden part of a masked copy."""
    s = states[1]
    total = 0
    for _ in range(times):
        states[1] = states[0]
        observe.redeal(s, s.turn, rng, out)
        total += s.rng[0]
    return total
