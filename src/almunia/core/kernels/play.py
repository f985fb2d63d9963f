"""Operations on a single play.

`rules` and `observe` are the game's. `states` is an array of states, of which these functions use the first.
"""

from typing import Any

from ...engine.kernels.rng import randbelow
from .scoring import rank

rules: Any
observe: Any

ILLEGAL = -1
MAX_DECISIONS = 100_000  # decisions after which a random or simulated play is stopped


def reset(states, seats, seed, out):
    """Set up a play in a zeroed state with its options, write its legal actions into `out`, and return their number."""
    s = states[0]
    rules.setup(s, seats, seed)
    return rules.legal(s, out)


def legal_actions(states, out):
    return rules.legal(states[0], out)


def step(states, action, out, count):
    """Apply an action if it is among the `count` legal actions in `out`; write the next legal actions into `out`.

    Return the number of next legal actions. If the action is illegal, return ILLEGAL and change nothing.
    """
    if not contains_sorted(out, count, action):
        return ILLEGAL
    s = states[0]
    rules.apply(s, action)
    return rules.legal(s, out)


def contains_sorted(out, count, action):
    """Return whether an action is among the first `count` entries of `out`, which are in ascending order."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if out[middle] < action:
            low = middle + 1
        else:
            high = middle
    return low < count and out[low] == action


def scores(states, table):
    """Write points and tie-breaks of every seat into `table` (seats, len(SCORES))."""
    rules.scores(states[0], table)


def mask(states, seat):
    observe.mask(states[0], seat)


def determinize(states, seat, rng, out):
    observe.determinize(states[0], seat, rng, out)


def ranks(states, table, out):
    """Write the rank of every seat into `out` (seats,), from points and tie-breaks."""
    s = states[0]
    rules.scores(s, table)
    rank(table, s.seats, out)


def tensor(states, seat, out):
    """Write the observation of a seat into `out` (1,), a record of float32."""
    observe.tensor(states[0], seat, out[0])


def random_play(states, seats, seed, rng, out, limit):
    """Set up a play, and play random actions to its end or to `limit` decisions. Return the number of decisions."""
    s = states[0]
    rules.setup(s, seats, seed)
    count = rules.legal(s, out)
    decisions = 0
    while count > 0 and decisions < limit:
        rules.apply(s, out[randbelow(rng, count)])
        decisions += 1
        count = rules.legal(s, out)
    return decisions
