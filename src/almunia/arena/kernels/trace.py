"""Whole plays between built-in bots, with a trace of every decision, in one call."""

from typing import Any, NamedTuple

from ...core.kernels.policies import OBSERVED, choose
from ...core.kernels.scoring import rank
from ...engine.kernels.rng import seed_rng
from .simulate import BOT_SEED, PLAY_SEED

rules: Any
observe: Any


class Decisions(NamedTuple):
    """The columns of decisions, as arrays."""

    observations: Any  # (decisions, tensor_size) float32
    parts: Any  # the same memory as records of their parts
    masks: Any  # (decisions, bytes) uint8, a bit for each legal action, the lowest first
    actions: Any  # (decisions,) int32
    seats: Any  # (decisions,) int8


def trace_many(states, seats, seeds, kinds, work, starts, out, legal, results):
    """Play once for each row of `seeds` (plays, 2). Write the decisions of play i into `out`, from row `starts[i]` on.

    `states` has two rows: the blank state with its options, and the play. `starts` (plays + 1,) also sets the number of
    decisions of each play. The results of plays are written into `results`. `legal` (ACTIONS,) is scratch space.
    """
    for i in range(len(seeds)):
        states[1] = states[0]
        s = states[1]
        rules.setup(s, seats, seeds[i, PLAY_SEED])
        seed_rng(work.rng, seeds[i, BOT_SEED])
        for row in range(starts[i], starts[i + 1]):
            seat = s.turn
            work.states[OBSERVED] = s
            observe.mask(work.states[OBSERVED], seat)
            observe.tensor(work.states[OBSERVED], seat, out.parts[row])
            for k in range(rules.legal(s, legal)):
                out.masks[row, legal[k] // 8] |= 1 << (legal[k] % 8)
            action = choose(kinds[seat], seat, work)
            out.actions[row], out.seats[row] = action, seat
            rules.apply(s, action)
        results.endings[i] = s.over
        results.decisions[i] = starts[i + 1] - starts[i]
        rules.scores(s, results.score_table[i])
        rank(results.score_table[i], seats, results.ranks[i])
