"""Loops that play many games between built-in bots in one call, and write results and traces.

`rules` and `observe` are the game's modules.
"""

from typing import Annotated, Any, NamedTuple

from ...core.kernels.policies import OBSERVED, choose, playout
from ...core.kernels.scoring import rank
from ...engine.kernels.rng import seed_rng

rules: Any
observe: Any

PLAY_SEED, BOT_SEED = 0, 1  # columns of `seeds`


class Results(NamedTuple):
    """The results of plays, as arrays with these dtypes and shapes."""

    score_table: Annotated[Any, "int64", "plays", "seats", "scores"]
    ranks: Annotated[Any, "int8", "plays", "seats"]
    ending: Annotated[Any, "int8", "plays"]  # the game's number for the reason of the end; 0 if the play was stopped
    decisions: Annotated[Any, "int64", "plays"]


class Decisions(NamedTuple):
    """The decisions of all plays, in order, as arrays."""

    observation: Any  # (decisions, tensor_size) float32
    parts: Any  # the same memory as records of their parts
    legal_actions: Any  # (decisions, bytes) uint8, a bit for each legal action, the lowest first
    action: Any  # (decisions,) int32
    seat: Any  # (decisions,) int8
    points: Any  # (decisions,) int64, of the seat, as far as it sees them


def play_many(states, seats, seeds, kinds, work, limit, results, trace):
    """Play once for each row of `seeds` (plays, 2), and write the results.

    `states` has two rows: the blank state with its options, and the play. `kinds` (seats,) are the kinds of the bots,
    or None if all bots choose at random and there is no `trace`. A play stops after `limit` decisions.

    `trace` is None, or arrays for all decisions. To write them, call twice: first without `trace`, which counts the
    decisions of each play, and then with `trace` and the same results and seeds.
    """
    first = 0
    for i in range(len(seeds)):
        states[1] = states[0]
        s = states[1]
        rules.setup(s, seats, seeds[i, PLAY_SEED])
        seed_rng(work.rng, seeds[i, BOT_SEED])
        if trace is None:
            results.decisions[i] = playout(s, kinds, work, limit)
        else:
            write_decisions(s, kinds, work, first, first + results.decisions[i], results.score_table[i], trace)
            first += results.decisions[i]
        results.ending[i] = s.over
        rules.scores(s, results.score_table[i])
        rank(results.score_table[i], seats, results.ranks[i])


def write_decisions(s, kinds, work, start, stop, table, trace):
    """Play on from `s`, and write the decisions into the rows `start` to `stop - 1` of `trace`.

    `table` (seats, len(SCORES)) is scratch space.
    """
    observed = work.states[OBSERVED]
    for row in range(start, stop):
        seat = s.turn
        work.states[OBSERVED] = s
        observe.mask(observed, seat)
        observe.tensor(observed, seat, trace.parts[row])
        for k in range(rules.legal(s, work.actions)):
            trace.legal_actions[row, work.actions[k] // 8] |= 1 << (work.actions[k] % 8)
        rules.scores(observed, table)
        trace.points[row] = table[seat, 0]
        action = choose(kinds[seat], seat, work)
        trace.action[row], trace.seat[row] = action, seat
        rules.apply(s, action)
