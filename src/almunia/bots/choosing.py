"""How the built-in bots choose, as plain text that runs in every build.

`rules`, `observe` and `bots` are the game's. A bot is given `seen`, an array of states whose
first is masked for its seat and whose others are its scratch paper.
"""

from typing import Any

from ..core.chance import below

rules: Any  # given by the twin
observe: Any  # given by the twin
bots: Any  # given by the twin

RANDOM, GREEDY = 0, 1
STATES = 3  # what a bot needs of `seen`: the masked state, a guess, and a trial
FAR = 1 << 40  # beyond every evaluation


def choose(kind, seen, seat, rng, out, tries, table):
    """An action for the seat to move; `out` and `tries` (ACTIONS,) and `table` are scratch paper."""
    if kind == GREEDY:
        return greedy(seen, seat, rng, out, tries, table)
    return out[below(rng, rules.legal(seen[0], out))]


def greedy(seen, seat, rng, out, tries, table):
    """The action whose position evaluates best, one guess at the hidden part deep; ties by lot."""
    seen[1] = seen[0]
    observe.redeal(seen[1], seat, rng, tries)
    count = rules.legal(seen[1], out)
    best, chosen, equals = -FAR, out[0], 0
    for i in range(count):
        seen[2] = seen[1]
        rules.apply(seen[2], out[i])
        value = bots.evaluate(seen[2], seat, table)
        if value > best:
            best, chosen, equals = value, out[i], 1
        elif value == best:
            equals += 1
            if below(rng, equals) == 0:
                chosen = out[i]
    return chosen
