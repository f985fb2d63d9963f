"""Whole plays between built-in bots inside one call of a twin."""

from typing import Any, NamedTuple

from ...core.kernels.policies import play_on
from ...core.kernels.scoring import rank
from ...engine.kernels.rng import shake

rules: Any  # given by the twin

PLAY_SEED, BOT_SEED = 0, 1  # columns of `seeds`


class Results(NamedTuple):
    """What is written of each play."""

    score_table: Any  # (plays, seats, len(SCORES)) int64
    ranks: Any  # (plays, seats) int8
    endings: Any  # (plays,) int8, the game's number for how it ended; 0 if it was stopped
    decisions: Any  # (plays,) int64


def play_many(states, seats, seeds, kinds, work, limit, results):
    """Play once for each row of `seeds` (plays, 2), and write the results.

    `states` holds the blank state with its options, and the play; `kinds` (seats,) are those of the bots, or None if
    all play at random. A play that reaches `limit` decisions stops there.
    """
    for i in range(len(seeds)):
        states[1] = states[0]
        s = states[1]
        rules.setup(s, seats, seeds[i, PLAY_SEED])
        shake(work.rng, seeds[i, BOT_SEED])
        results.decisions[i] = play_on(s, kinds, work, limit)
        results.endings[i] = s.over
        rules.scores(s, results.score_table[i])
        rank(results.score_table[i], seats, results.ranks[i])
