"""What a seat sees, written into buffers in one call.

`rules` and `observe` are the game's.
"""

from typing import Any

rules: Any  # given by the twin
observe: Any  # given by the twin


def look(states, seat, legal, count, seen, parts, numbers, mask):
    """Write what the seat sees of the first state: masked, as numbers, and which actions it may choose.

    `legal` are the actions of the seat to move, of which the first `count` count, `seen` (1,) a state, `parts` (1,) an
    observation as a record and `numbers` the same memory as float32, `mask` (ACTIONS,) int8.
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
