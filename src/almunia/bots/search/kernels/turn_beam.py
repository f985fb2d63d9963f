"""Beam search for the best whole turn: to the end of the seat's turn, or until something hidden is revealed.

A beam keeps the best few positions after each decision. The game's `evaluate_leaf` evaluates the end of each turn. The
bot chooses the first decision with the best ends over all determinizations.

`rules`, `observe` and `bots` are the game's modules.
"""

from typing import Annotated, Any, NamedTuple

from ....core.kernels.batch_step import OPPONENT_STEP, step_rows
from ....core.kernels.play import MAX_DECISIONS
from ....core.kernels.scoring import margin
from ....engine.kernels.rng import seed_rng
from .beam import AFTER, BEAMS, BEFORE, DETERMINIZED, INF, OBSERVED, determinize, find_steps

rules: Any
observe: Any
bots: Any


class Plan(NamedTuple):
    """The legal actions and their values. The arrays of values are indexed by code."""

    actions: Annotated[Any, "int32", "actions"]  # the legal actions
    best_value: Annotated[Any, "int64", "actions"]  # of the best end of the turn, in this determinization
    value_sum: Annotated[Any, "int64", "actions"]  # over all determinizations
    first_action: Annotated[Any, "int32", BEAMS, "width"]  # the decision that led to a position of the beam


def choose(seat, determinizations, plan, work):
    """Return the action with the highest sum of best ends over the determinizations; the first of equal actions."""
    count = rules.legal(work.states[OBSERVED], plan.actions)
    for k in range(count):
        plan.value_sum[plan.actions[k]] = 0
    for _ in range(determinizations):
        determinize(seat, work)
        add_best_values(count, plan, work)
    best = plan.actions[0]
    for k in range(1, count):
        if plan.value_sum[plan.actions[k]] > plan.value_sum[best]:
            best = plan.actions[k]
    return best


def add_best_values(count, plan, work):
    """Add the value of the best end of the turn after each action to the action's sum.

    An action that the beam has dropped gets 1 less than the worst value, so that the action cannot tie with the best.
    """
    for k in range(count):
        plan.best_value[plan.actions[k]] = -INF
    look_ahead(plan, work)
    worst = INF
    for k in range(count):
        value = plan.best_value[plan.actions[k]]
        worst = min(worst, value) if value > -INF else worst
    for k in range(count):
        plan.value_sum[plan.actions[k]] += max(worst - 1, plan.best_value[plan.actions[k]])


def look_ahead(plan, work):
    """Run the beam from the determinization to the end of the turn or a reveal, and write `plan.best_value`."""
    work.beam[BEFORE, 0] = work.states[DETERMINIZED]
    size = 1
    for depth in range(MAX_DECISIONS):
        steps = find_steps(size, work)
        size = 0
        for j in range(steps):
            parent, action = work.step_parent[j], work.step_action[j]
            first = action if depth == 0 else plan.first_action[BEFORE, parent]
            s = work.beam[AFTER, size]
            work.beam[AFTER, size] = work.beam[BEFORE, parent]
            rules.apply(s, action)
            if is_same_turn(s, work.states[DETERMINIZED]):
                plan.first_action[AFTER, size] = first
                size += 1
            else:
                plan.best_value[first] = max(plan.best_value[first], turn_value(s, work))
        if size == 0:
            return
        for j in range(size):
            work.beam[BEFORE, j] = work.beam[AFTER, j]
            plan.first_action[BEFORE, j] = plan.first_action[AFTER, j]


def is_same_turn(s, start):
    return not s.over and s.turn == start.turn and s.turns == start.turns and s.reveals == start.reveals


def turn_value(s, work):
    """Return the lead of the seat whose turn it was, by `evaluate_leaf`."""
    bots.evaluate_leaf(s, *work.evaluation.weights, work.evaluation.table, work.evaluation.values)
    return margin(work.states[DETERMINIZED].turn, s.seats, work.evaluation.values)


def play_row(slot, i, determinizations, actions, arrays, scratch, opponents, memories, plan, work):
    """Choose and apply actions in row `i` of a batch while it waits for the opponent of this slot.

    `memories[i, slot]` holds the number of the row's episode and the bot's memory, as `StatefulBot` describes it.
    """
    states, row, memory = arrays.states, arrays.rows[i], memories[i, slot]
    seats = len(opponents.kinds) + 1
    while row.awaits_opponent and (states[i].turn - row.learner_seat - 1 + seats) % seats == slot:
        # 1. Restore the random number generator, or seed it if the row has a new game.
        if memory[0] != row.episode:
            memory[0] = row.episode
            seed_rng(work.rng, row.bot_seed ^ slot)
        else:
            for k in range(4):
                work.rng[k] = memory[1 + k]
        # 2. Choose from the masked state.
        seat = states[i].turn
        work.states[OBSERVED] = states[i]
        observe.mask(work.states[OBSERVED], seat)
        actions[i] = choose(seat, determinizations, plan, work)
        for k in range(4):
            memory[1 + k] = work.rng[k]
        # 3. Step the row.
        row.awaits_opponent = 0
        step_rows(OPPONENT_STEP, i, i + 1, actions, arrays, scratch, opponents)
