"""Loop that plays games between greedy bots, each with its own weights.

`rules` and `observe` are the game's modules.
"""

from typing import Any

from ...core.kernels.policies import OBSERVED, greedy_action
from ...engine.kernels.rng import seed_rng
from .simulate import BOT_SEED, PLAY_SEED

rules: Any
observe: Any


def play_weighted(states, seats, seeds, weights, work, limit, score_tables):
    """Play once for each row of `seeds` (plays, 2), and write the scores (plays, seats, scores).

    `weights` (plays, seats) are the records of the weights by seat. `states` has two rows: the blank state with its
    options, and the play. A play stops after `limit` decisions.
    """
    for i in range(len(seeds)):
        states[1] = states[0]
        s = states[1]
        rules.setup(s, seats, seeds[i, PLAY_SEED])
        seed_rng(work.rng, seeds[i, BOT_SEED])
        decisions = 0
        while not s.over and decisions < limit:
            seat = s.turn
            work.evaluation.weights[0][0] = weights[i, seat]
            work.states[OBSERVED] = s
            observe.mask(work.states[OBSERVED], seat)
            rules.apply(s, greedy_action(seat, work))
            decisions += 1
        rules.scores(s, score_tables[i])
