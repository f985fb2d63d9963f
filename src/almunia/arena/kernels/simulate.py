"""Whole plays between built-in bots in one call."""

from typing import Any, NamedTuple

from ...core.kernels.policies import playout
from ...core.kernels.scoring import rank
from ...engine.kernels.rng import seed_rng

rules: Any

PLAY_SEED, BOT_SEED = 0, 1  # columns of `seeds`


class Results(NamedTuple):
    """The results of plays, as arrays."""

    score_table: Any  # (plays, seats, len(SCORES)) int64
    ranks: Any  # (plays, seats) int8
    endings: Any  # (plays,) int8, the game's number for the reason of the end; 0 if the play was stopped
    decisions: Any  # (plays,) int64


def play_many(states, seats, seeds, kinds, work, limit, results):
    """Play once for each row of `seeds` (plays, 2), and write the results.

    `states` has two rows: the blank state with its options, and the play. `kinds` (seats,) are the kinds of the bots,
    or None if all bots choose at random. A play stops after `limit` decisions.
    """
    for i in range(len(seeds)):
        states[1] = states[0]
        s = states[1]
        rules.setup(s, seats, seeds[i, PLAY_SEED])
        seed_rng(work.rng, seeds[i, BOT_SEED])
        results.decisions[i] = playout(s, kinds, work, limit)
        results.endings[i] = s.over
        rules.scores(s, results.score_table[i])
        rank(results.score_table[i], seats, results.ranks[i])
