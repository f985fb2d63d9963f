"""Checks of the rules and of evaluations, in both builds, and of the code for GPUs."""

import sys
from collections.abc import Sequence
from inspect import signature

import numpy as np

from ..core.kernels.policies import INF
from ..core.kernels.scoring import margin
from ..core.weights import MAX_WEIGHT, Weights, complete_weights, weights_array
from ..core.workspaces import allocate_policy_scratch, wrap_all
from ..engine import state_dtype
from ..play.play import Play
from .case import Case, Skipped, check, check_once, require

SEEDS = 200  # number of random plays that must end


@check
def legal_actions_ascend(case: Case) -> None:
    """Require that legal actions ascend, are in range, and exist until the play is over, and that a seat is to move."""
    for seed in range(3):
        for play in case.positions(case.compiled, seed):
            legal = np.array(play.legal_actions)
            require((np.diff(legal) > 0).all(), f"Legal actions do not ascend: {legal.tolist()}.")
            inside = not len(legal) or (legal[0] >= 0 and legal[-1] < case.compiled.rules.ACTIONS)
            require(inside, f"A legal action is outside 0 .. {case.compiled.rules.ACTIONS - 1}: {legal.tolist()}.")
            require(play.over == (len(legal) == 0), f"{len(legal)} actions are legal, but over is {play.over}.")
            require(0 <= play.turn < case.seats, f"The seat to move is {play.turn}.")


@check_once
def codes_are_laid_out_by_name(case: Case) -> None:
    """Require that CODES covers all codes, and that a constant with the name of a kind is its first code."""
    codes, package = case.plain.rules.CODES, f"{case.plain.package}.rules"
    require(codes.total == case.plain.rules.ACTIONS, f"CODES has {codes.total}, ACTIONS is {case.plain.rules.ACTIONS}.")
    for name, module in list(sys.modules.items()):
        if name == package or name.startswith(f"{package}."):
            for kind, first in zip(codes.names, codes.first, strict=True):
                value = vars(module).get(kind, first)
                require(value == first, f"{name} has {kind} = {value}, but CODES begins it at {first}.")


@check
def queries_are_pure(case: Case) -> None:
    """Require that listing legal actions and reading scores, texts and observations leave the state unchanged."""
    for play in case.positions(case.plain, 2, every=3):
        before = play.to_state()
        play.refresh()
        require(play.to_state() == before, "Listing the legal actions has changed the state.")
        require((play.score_table() == play.score_table()).all(), "Two calls return different scores.")
        for action in play.legal_actions[:5]:
            play.action_to_string(action)
            play.game.text.effect_text(play.state, action)
        for seat in case.observers():
            seen = play.observe(seat)
            seen.tensor()
            seen.score_table()
            seen.board()
        require(play.to_state() == before, "Reading a play has changed it.")


@check
def plays_end(case: Case) -> None:
    """Require that random plays end within the decisions of META, and that an ended play has ranks and a reason."""
    for seed in range(SEEDS):
        is_over = case.random_play(seed) <= case.max_decisions
        require(is_over, f"A random play (seed {seed}) was not over after the {case.max_decisions} decisions of META.")
    outcome = case.final_play(case.plain).outcome
    require(outcome is not None and len(outcome.ranks) == case.seats, f"The outcome is {outcome}.")
    require(outcome and 1 in outcome.ranks and outcome.reason.endswith("."), f"The outcome is {outcome}.")


@check
def every_seat_can_start(case: Case) -> None:
    """Require that every seat starts in some plays, or the same seat in all plays."""
    if case.has_fixed_deal:
        raise Skipped("A fixed deal may name the starting seat.")
    starters = {case.start(case.compiled, seed).turn for seed in range(SEEDS)}
    require(len(starters) in (1, case.seats), f"Of {case.seats} seats only {sorted(starters)} ever start.")


@check
def builds_agree(case: Case) -> None:
    """Require equal positions and observations in both builds, in a random and a greedy play."""
    for seed, bot in ((1, ""), (2, "greedy")):
        plain = case.start(case.plain, seed)
        for fast in case.positions(case.compiled, seed, bot=bot):
            if fast.actions:
                plain.apply(fast.actions[-1])
            where = f"after {len(plain.actions)} actions (seed {seed})"
            compare(plain, fast, where)
            if case.is_sampled(fast):
                compare_views(case, plain, fast, where)


def compare(plain: Play, fast: Play, where: str) -> None:
    require(plain.to_state() == fast.to_state(), f"The builds differ {where}.")
    require(plain.legal_actions == fast.legal_actions, f"The builds differ in the legal actions {where}.")
    require((plain.score_table() == fast.score_table()).all(), f"The builds differ in the scores {where}.")


def compare_views(case: Case, plain: Play, fast: Play, where: str) -> None:
    for seat in case.observers():
        seen, other = plain.observe(seat), fast.observe(seat)
        require(seen.to_state() == other.to_state(), f"The builds mask differently for seat {seat} {where}.")
        same = seen.tensor().tobytes() == other.tensor().tobytes()
        require(same, f"The builds differ in the tensor of seat {seat} {where}.")
        states = (seen.determinize(5).to_state(), other.determinize(5).to_state())
        require(states[0] == states[1], f"The builds determinize differently for seat {seat} {where}.")


@check_once
def compiles_for_gpus(case: Case) -> None:
    """Require that the kernel of batches, with rules, observations and greedy bots, compiles to PTX.

    The kernel must have no table in constant memory, and its float operations must be rounded as on a CPU. The check
    needs numba-cuda.
    """
    from ..batch.cuda import cached_ptx, has_numba_cuda, inexact_instructions

    if not has_numba_cuda():
        raise Skipped("numba-cuda is not installed: pip install 'almunia[gpu]'.")
    text = cached_ptx(case.compiled, "step_against")
    require(".entry" in text, "The kernel of batches did not compile to PTX.")
    require(".const" not in text, "The kernel has tables in constant memory, which holds only 64 KiB.")
    inexact = inexact_instructions(text)[:3]
    instead = "In sums, divide by an integer instead of multiplying by a fraction."
    require(not inexact, f"A graphics processor rounds {inexact} differently. {instead}")


@check
def action_values_match_evaluation(case: Case) -> None:
    """Require that `action_values` is pure, and returns the margin by `evaluate` after an action."""
    for play in case.positions(case.plain, every=4):
        before, actions = play.to_state(), play.legal_actions[:: 1 + len(play.legal_actions) // 8]
        values = action_values(play, actions) if actions else []
        require(play.to_state() == before, f"`action_values` changed the state after {len(play.actions)} actions.")
        for action, value in zip(actions, values, strict=True):
            after = play.copy()
            after.apply(action)
            expected = margin(play.turn, case.seats, evaluate(after))
            where = f"after {len(play.actions)} actions, before {play.action_to_string(action)!r}"
            require(value == expected, f"`action_values` returns {value}, and the evaluation is {expected}, {where}.")


@check
def evaluations_agree(case: Case) -> None:
    """Require that evaluation and leaf value are pure, equal in both builds, and equal to each other at the end."""
    plain = case.start(case.plain, 1)
    for fast in case.positions(case.compiled, 1):
        if fast.actions:
            plain.apply(fast.actions[-1])
        if not case.is_sampled(fast):
            continue
        before, where = plain.to_state(), f"after {len(plain.actions)} actions"
        evaluation, leaf = evaluate(plain), evaluate(plain, "evaluate_leaf")
        require(plain.to_state() == before, f"Evaluating a position has changed it {where}.")
        same = (evaluation == evaluate(fast)).all() and (leaf == evaluate(fast, "evaluate_leaf")).all()
        require(same, f"The builds evaluate differently {where}.")
        require(
            not plain.over or (evaluation == leaf).all(), f"At the end, {where}, the leaf value is not the evaluation."
        )


@check
def weights_are_valid(case: Case) -> None:
    """Require that WEIGHTS has integers, and that evaluations also work with other weights, in checked Python."""
    bots = case.plain.bots
    own = bots.WEIGHTS
    for name, function in (("evaluate", bots.evaluate), ("evaluate_leaf", bots.evaluate_leaf)):
        named = ["s", "weights", "table", "out"] if own else ["s", "table", "out"]
        try:
            signature(function).bind(*named)
        except TypeError:
            having = "with" if own else "without"
            require(False, f"In a game {having} WEIGHTS, write `{name}({', '.join(named)})`.")
    if not own:
        return
    complete_weights(case.plain, {})
    for number in (0, MAX_WEIGHT, -MAX_WEIGHT):
        weights: Weights = {name: np.full(np.shape(numbers), number).tolist() for name, numbers in own.items()}
        for play in case.positions(case.plain, every=4):
            for evaluator in ("evaluate", "evaluate_leaf"):
                highest = abs(evaluate(play, evaluator, weights)).max()
                where = f"after {len(play.actions)} actions, with every weight {number}"
                require(highest < INF, f"`{evaluator}` returns {highest}, which is not below 2**40, {where}.")


def action_values(play: Play, actions: Sequence[int]) -> list[int]:
    """Return the value of each of these actions for the seat to move, by the game's `action_values`."""
    game, work = play.game, allocate_policy_scratch(play.game)
    work.actions[: len(actions)] = actions
    wrapped = wrap_all(game, work)
    state = game.wrap(play.array)[0]
    game.kernel(game.bots).action_values(
        state, wrapped.actions, len(actions), wrapped.evaluation, wrapped.action_values
    )
    return work.action_values[: len(actions)].tolist()


def evaluate(play: Play, evaluator: str = "evaluate", weights: Weights | None = None) -> np.ndarray:
    """Return the values that the game's `evaluate` or `evaluate_leaf` writes for a position, int64 (seats,)."""
    game, out = play.game, np.zeros(play.seats, np.int64)
    function = getattr(game.kernel(game.bots), evaluator)
    given = None if weights is None else complete_weights(game, weights)
    weights_of_game = wrap_all(game, weights_array(game, given))
    function(game.wrap(play.array)[0], *weights_of_game, game.wrap(play.score_table()), game.wrap(out))
    return out


@check
def same_seed_same_play(case: Case) -> None:
    """Require that the same seed gives the same play, and that not all seeds give the same start.

    A fixed deal may have the same start for all seeds.
    """
    first, again = case.final_play(case.compiled, 3), case.final_play(case.compiled, 3)
    require(first.to_state() == again.to_state(), "The same seed and choices gave another play.")
    starts = {state_without_rng(case.start(case.compiled, seed)) for seed in range(20)}
    require(len(starts) > 1 or case.has_fixed_deal, "Every seed gives the same start.")


@check
def conservation_laws_hold(case: Case) -> None:
    """Require that the invariants of a game hold in every position: `broken` in its tests/scenes.py finds no fault."""
    broken = getattr(case.scenario_words, "broken", None)
    if not broken:
        raise Skipped("The game has no tests/scenes.py with a function `broken`.")
    for seed, bot in ((1, ""), (2, ""), (3, "greedy")):
        for play in case.positions(case.compiled, seed, bot=bot):
            fault = broken(play.state)
            require(not fault, f"After {len(play.actions)} actions (seed {seed}): {fault}")


def state_without_rng(play: Play) -> bytes:
    array = state_dtype.copy_states(play.array)
    array["rng"] = 0
    return array.tobytes()
