"""Beam search for a seat that no opponent can affect.

The candidates are the legal actions. The search compares the evaluations (`bots.evaluate`) of the best ends of the game
that a beam reaches after each candidate, in many determinizations. A determinization also fixes the future random
numbers. A beam keeps the best few positions after every decision until the end of the game, and its result is the best
end. In each determinization, all remaining candidates are tried. Fewer candidates remain as the budget is used up.

If there are opponents, they cannot change the points of the seat (`bots.SEATS_INDEPENDENT`). In a beam, opponents take
their first legal action. In each determinization all seats play greedily once, to estimate the opponents' evaluations.

`rules`, `observe` and `bots` are the game's modules.
"""

from typing import Annotated, Any, NamedTuple

from ....core.kernels.evaluation import EvalScratch
from ....core.kernels.play import MAX_DECISIONS
from ....engine.kernels.rng import randbelow

rules: Any
observe: Any
bots: Any

OBSERVED, DETERMINIZED, AFTER_CANDIDATE = 0, 1, 2  # indexes of Workspace.states
BEFORE, AFTER = 0, 1  # indexes of Workspace.beam
STATES, BEAMS = 3, 2
TIE_NOISE = 1 << 16  # values are multiplied by this, and a random number below it breaks ties
INF = 1 << 40  # above every value


class Workspace(NamedTuple):
    """The arrays of a beam search, with their dtypes and shapes, as `allocate` makes them."""

    states: Annotated[Any, "state", STATES]  # the observation, a determinization, the position after a candidate
    beam: Annotated[Any, "state", BEAMS, "width"]  # the positions before a decision, and after it
    clairvoyant: Annotated[Any, "int64", 1]  # 1 if the observation is clairvoyant
    rng: Annotated[Any, "int64", 4]  # the bot's random number generator
    actions: Annotated[Any, "int32", "actions"]  # the legal actions; scratch space of `observe.determinize`
    evaluation: EvalScratch  # for evaluations
    action_values: Annotated[Any, "int64", "actions"]  # one-ply evaluations
    step_value: Annotated[Any, "int64", "width"]  # the best steps from the beam: value with noise, descending
    step_parent: Annotated[Any, "int64", "width"]  # index of the position before the step
    step_action: Annotated[Any, "int64", "width"]


class Candidates(NamedTuple):
    """The candidates, the best first."""

    action: Annotated[Any, "int64", "actions"]
    value_sum: Annotated[Any, "int64", "actions"]  # evaluations reached, over the determinizations
    determinizations: Annotated[Any, "int64", "actions"]  # number in which the candidate was tried
    greedy_sum: Annotated[Any, "int64", "seats"]  # of all seats' evaluations after greedy playouts
    rounds: Annotated[Any, "int64", 1]  # number of determinizations


def rank_candidates(seat, candidates, work):
    """Write all legal actions as candidates with zero sums, the best one-ply evaluation first. Return their number."""
    determinize(seat, work)
    s = work.states[DETERMINIZED]
    count = rules.legal(s, work.actions)
    evaluate_actions(s, count, work)
    for i in range(count):
        candidates.action[i], candidates.value_sum[i] = work.actions[i], noisy_value(i, work)
        candidates.determinizations[i] = 0
    sort_candidates(count, candidates)
    for i in range(count):
        candidates.value_sum[i] = 0
    for p in range(len(candidates.greedy_sum)):
        candidates.greedy_sum[p] = 0
    candidates.rounds[0] = 0
    return count


def evaluate_candidates(count, seat, candidates, work):
    """Try the first `count` candidates in another determinization, and sort them by their sums."""
    # 1. Add the evaluation that a beam reaches after each candidate.
    determinize(seat, work)
    for i in range(count):
        s = work.states[AFTER_CANDIDATE]
        work.states[AFTER_CANDIDATE] = work.states[DETERMINIZED]
        rules.apply(s, candidates.action[i])
        skip_opponents(s, seat, work)
        candidates.value_sum[i] += beam_value(seat, work)
        candidates.determinizations[i] += 1
    candidates.rounds[0] += 1
    # 2. Estimate the opponents' evaluations.
    if work.states[DETERMINIZED].seats > 1:
        add_greedy_playout(candidates, work)
    # 3. Sort.
    sort_candidates(count, candidates)


def sort_candidates(count, candidates):
    for i in range(1, count):
        action, value_sum, tried = candidates.action[i], candidates.value_sum[i], candidates.determinizations[i]
        slot = i
        while slot > 0 and candidates.value_sum[slot - 1] < value_sum:
            candidates.action[slot] = candidates.action[slot - 1]
            candidates.value_sum[slot] = candidates.value_sum[slot - 1]
            candidates.determinizations[slot] = candidates.determinizations[slot - 1]
            slot -= 1
        candidates.action[slot], candidates.value_sum[slot] = action, value_sum
        candidates.determinizations[slot] = tried


def determinize(seat, work):
    """Write a random determinization of the observation. A clairvoyant observation is copied unchanged."""
    work.states[DETERMINIZED] = work.states[OBSERVED]
    if not work.clairvoyant[0]:
        observe.determinize(work.states[DETERMINIZED], seat, work.rng, work.actions)


def evaluate_actions(s, count, work):
    """Write the one-ply evaluations of the first `count` entries of `work.actions` into `work.action_values`."""
    bots.action_values(s, work.actions, count, work.evaluation, work.action_values)


def noisy_value(i, work):
    """Return TIE_NOISE times the evaluation at index `i`, plus a random number below TIE_NOISE that breaks ties."""
    return work.action_values[i] * TIE_NOISE + randbelow(work.rng, TIE_NOISE)


def skip_opponents(s, seat, work):
    """Play the first legal action of every other seat until it is this seat's turn or the game is over."""
    for _ in range(MAX_DECISIONS):
        if s.turn == seat or rules.legal(s, work.actions) == 0:
            return
        rules.apply(s, work.actions[0])


def add_greedy_playout(candidates, work):
    """Play greedily in all seats from the determinization to the end, and add the evaluations to `greedy_sum`."""
    s = work.beam[BEFORE, 0]
    work.beam[BEFORE, 0] = work.states[DETERMINIZED]
    for _ in range(MAX_DECISIONS):
        count = rules.legal(s, work.actions)
        if count == 0:
            break
        evaluate_actions(s, count, work)
        best = 0
        for i in range(1, count):
            if work.action_values[i] > work.action_values[best]:
                best = i
        rules.apply(s, work.actions[best])
    bots.evaluate(s, *work.evaluation.weights, work.evaluation.table, work.evaluation.values)
    for p in range(s.seats):
        candidates.greedy_sum[p] += work.evaluation.values[p]


def beam_value(seat, work):
    """Return the best evaluation for this seat at the ends that a beam reaches from the position after a candidate."""
    best, size = -INF, 1
    work.beam[BEFORE, 0] = work.states[AFTER_CANDIDATE]
    for _ in range(MAX_DECISIONS):
        if size == 0:
            break
        # 1. Ends of the game are results. Find the best steps from the other positions.
        for i in range(size):
            s = work.beam[BEFORE, i]
            if s.over:
                bots.evaluate(s, *work.evaluation.weights, work.evaluation.table, work.evaluation.values)
                best = max(best, work.evaluation.values[seat])
        size = find_steps(size, work)
        # 2. Apply the steps and replace the beam.
        for j in range(size):
            work.beam[AFTER, j] = work.beam[BEFORE, work.step_parent[j]]
            rules.apply(work.beam[AFTER, j], work.step_action[j])
            skip_opponents(work.beam[AFTER, j], seat, work)
        for j in range(size):
            work.beam[BEFORE, j] = work.beam[AFTER, j]
    return best


def find_steps(size, work):
    """Write the best steps from the positions of the beam, at most as many as its width. Return their number."""
    steps = 0
    for i in range(size):
        s = work.beam[BEFORE, i]
        count = rules.legal(s, work.actions)
        evaluate_actions(s, count, work)
        for k in range(count):
            steps = insert_step(noisy_value(k, work), i, work.actions[k], steps, work)
    return steps


def insert_step(value, parent, action, steps, work):
    """Insert a step into the sorted list of the best `steps` steps if the step fits. Return the new length."""
    slot = steps
    if steps == len(work.step_value):
        slot -= 1
        if value <= work.step_value[slot]:
            return steps
    while slot > 0 and work.step_value[slot - 1] < value:
        work.step_value[slot] = work.step_value[slot - 1]
        work.step_parent[slot] = work.step_parent[slot - 1]
        work.step_action[slot] = work.step_action[slot - 1]
        slot -= 1
    work.step_value[slot], work.step_parent[slot], work.step_action[slot] = value, parent, action
    return min(steps + 1, len(work.step_value))
