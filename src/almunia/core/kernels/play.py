"""The few loops that run inside one call of a twin: a whole step, a whole random play.

`rules` and `observe` are the game's. `states` are arrays of states; the loops use the first.
"""

from typing import Any

from ...engine.kernels.rng import below, shake  # noqa: F401 - kernels look shake up here
from .scoring import rank

rules: Any  # given by the twin
observe: Any  # given by the twin

ILLEGAL = -1
LIMIT = 100_000  # decisions after which a random or simulated play is stopped


def begin(states, seats, seed, out):
    """Set up a play and list its legal actions; returns how many there are."""
    s = states[0]
    rules.setup(s, seats, seed)
    return rules.legal(s, out)


def listing(states, out):
    """List the legal actions; returns how many there are."""
    return rules.legal(states[0], out)


def step(states, action, out, count):
    """Do an action if it is among the `count` legal ones in `out`, and list the next ones.

    Returns how many those are, or ILLEGAL, and then nothing has changed.
    """
    if not holds(out, count, action):
        return ILLEGAL
    s = states[0]
    rules.apply(s, action)
    return rules.legal(s, out)


def holds(out, count, action):
    """Is the action among the first `count` of `out`, which ascend?"""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if out[middle] < action:
            low = middle + 1
        else:
            high = middle
    return low < count and out[low] == action


def scores(states, table):
    """Points and tie-breaks of every seat."""
    rules.scores(states[0], table)


def mask(states, seat):
    """Blank what the seat may not know."""
    observe.mask(states[0], seat)


def determinize(states, seat, rng, out):
    """Guess what the seat may not know."""
    observe.determinize(states[0], seat, rng, out)


def ranks(states, table, out):
    """The rank of every seat, from points and tie-breaks."""
    s = states[0]
    rules.scores(s, table)
    rank(table, s.seats, out)


def tensor(states, seat, out):
    """The observation of a seat."""
    observe.tensor(states[0], seat, out[0])


def random_play(states, seats, seed, rng, out, limit):
    """Play evenly chosen actions to the end or the limit; returns how many were chosen."""
    s = states[0]
    rules.setup(s, seats, seed)
    count = rules.legal(s, out)
    decisions = 0
    while count > 0 and decisions < limit:
        rules.apply(s, out[below(rng, count)])
        decisions += 1
        count = rules.legal(s, out)
    return decisions
