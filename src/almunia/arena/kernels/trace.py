"""Whole plays between built-in bots, with every decision written down, inside one call of a twin."""

from typing import Any, NamedTuple

from ...core.kernels.batch_step import BYTE
from ...core.kernels.policies import SEEN, choose
from ...core.kernels.scoring import rank
from ...engine.kernels.rng import shake
from .simulate import BOT_SEED, PLAY_SEED

rules: Any  # given by the twin
observe: Any  # given by the twin


class Decisions(NamedTuple):
    """What is written of each decision."""

    observations: Any  # (decisions, tensor_size) float32
    parts: Any  # the same memory as records of their parts
    masks: Any  # (decisions, bytes) uint8, a bit for each action that is legal, the lowest first
    actions: Any  # (decisions,) int32
    seats: Any  # (decisions,) int8


def trace_many(states, seats, seeds, kinds, work, starts, found, legal, results):
    """Play once for each row of `seeds` (plays, 2), and write its decisions from row `starts[i]` on (plays + 1,).

    `states` holds the blank state with its options, and the play; `legal` (ACTIONS,) is scratch space. A play has as
    many decisions as it has room.
    """
    for i in range(len(seeds)):
        states[1] = states[0]
        s = states[1]
        rules.setup(s, seats, seeds[i, PLAY_SEED])
        shake(work.rng, seeds[i, BOT_SEED])
        for row in range(starts[i], starts[i + 1]):
            seat = s.turn
            work.states[SEEN] = s
            observe.mask(work.states[SEEN], seat)
            observe.tensor(work.states[SEEN], seat, found.parts[row])
            for k in range(rules.legal(s, legal)):
                found.masks[row, legal[k] // BYTE] |= 1 << (legal[k] % BYTE)
            action = choose(kinds[seat], seat, work)
            found.actions[row], found.seats[row] = action, seat
            rules.apply(s, action)
        results.endings[i] = s.over
        results.decisions[i] = starts[i + 1] - starts[i]
        rules.scores(s, results.score_table[i])
        rank(results.score_table[i], seats, results.ranks[i])
