"""Write the observation of a seat into buffers, in one call."""

from typing import Any

rules: Any
observe: Any


def observe_into(states, seat, legal, count, seen, parts, numbers, mask):
    """Write the masked state, the observation and the action mask of a seat, from row 0 of `states`.

    The first `count` entries of `legal` are the actions of the seat to move. `seen` (1,) is a state, and `parts` (1,)
    an observation as a record. `numbers` is the same memory as float32. `mask` is int8 with an entry for each action.
    """
    seen[0] = states[0]
    s = seen[0]
    observe.mask(s, seat)
    for i in range(len(numbers)):
        numbers[i] = 0.0
    observe.tensor(s, seat, parts[0])
    for i in range(len(mask)):
        mask[i] = 0
    if s.turn == seat:
        for i in range(count):
            mask[legal[i]] = 1
