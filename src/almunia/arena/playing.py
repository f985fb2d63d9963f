"""Whole plays between built-in bots inside one call of a twin."""

from typing import Any

from ..bots.choosing import choose
from ..core.chance import shake

rules: Any  # given by the twin
observe: Any  # given by the twin

PLAY_SEED, BOT_SEED = 0, 1  # columns of `seeds`


def play_many(states, seen, seats, seeds, kinds, rng, out, tries, table, limit, scores, endings, decisions):
    """Play once for each row of `seeds`, and write its scores, ending and number of decisions.

    `states` holds the blank state with its options, and the play; `seen` is for the bots. A play that
    reaches `limit` decisions stops there, with ending 0.
    """
    for i in range(len(seeds)):
        states[1] = states[0]
        rules.setup(states[1], seats, seeds[i, PLAY_SEED])
        shake(rng, seeds[i, BOT_SEED])
        decisions[i] = play_on(states, seen, kinds, rng, out, tries, table, limit)
        rules.scores(states[1], table)
        endings[i] = states[1].over
        for p in range(seats):
            for column in range(len(rules.SCORES)):
                scores[i, p, column] = table[p, column]


def play_on(states, seen, kinds, rng, out, tries, table, limit):
    """Play to the end, each seat by its kind of bot; returns the number of decisions."""
    s = states[1]
    decisions = 0
    while not s.over and decisions < limit:
        seat = s.turn
        seen[0] = s
        observe.mask(seen[0], seat)
        rules.apply(s, choose(kinds[seat], seen, seat, rng, out, tries, table))
        decisions += 1
    return decisions
