"""Legal actions, ends, and the same states in every build."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.kernels.evaluation import lead
from ..core.workspaces import blank_workspace, lent
from ..engine import state_dtype
from ..play.play import Play
from .case import LIMIT, Case, Skipped, check, check_once, require

SEEDS = 200  # random plays that must end


@check
def legal_actions_ascend(case: Case) -> None:
    """Legal actions ascend, are in range, and are there until the play is over."""
    for seed in range(3):
        for play in case.positions(case.fast, seed):
            legal = np.array(play.legal_actions)
            require((np.diff(legal) > 0).all(), f"Legal actions do not ascend: {legal.tolist()}.")
            inside = not len(legal) or (legal[0] >= 0 and legal[-1] < case.fast.rules.ACTIONS)
            require(inside, f"A legal action is outside 0 .. {case.fast.rules.ACTIONS - 1}: {legal.tolist()}.")
            require(play.over == (len(legal) == 0), f"{len(legal)} actions are legal, but over is {play.over}.")
            require(0 <= play.turn < case.seats, f"The turn is at seat {play.turn}.")


@check_once
def codes_are_laid_out_by_name(case: Case) -> None:
    """CODES covers all codes, and each constant of a kind's name is the first code of that kind."""
    codes, package = case.plain.rules.CODES, f"{case.plain.package}.rules"
    require(codes.total == case.plain.rules.ACTIONS, f"CODES has {codes.total}, ACTIONS is {case.plain.rules.ACTIONS}.")
    for name, module in list(sys.modules.items()):
        if name == package or name.startswith(f"{package}."):
            for kind, first in zip(codes.names, codes.first, strict=True):
                said = vars(module).get(kind, first)
                require(said == first, f"{name} has {kind} = {said}, but CODES begins it at {first}.")


@check
def asking_changes_nothing(case: Case) -> None:
    """Listing the legal actions, asking for scores, words and views leave the state as it is."""
    for play in case.positions(case.plain, 2, every=3):
        before = play.to_state()
        play.refresh()
        require(play.to_state() == before, "Listing the legal actions has changed the state.")
        require((play.score_table() == play.score_table()).all(), "The scores differ when asked twice.")
        for action in play.legal_actions[:5]:
            play.action_to_string(action)
            play.game.text.effect_text(play.state, action)
        for seat in case.readers():
            seen = play.observe(seat)
            seen.tensor()
            seen.score_table()
            seen.board()
        require(play.to_state() == before, "Reading a play has changed it.")


@check
def plays_end(case: Case) -> None:
    """Random plays end within a bound, with ranks, scores and a reason."""
    for seed in range(SEEDS):
        over = case.random_play(seed) < LIMIT
        require(over, f"A random play (seed {seed}) was not over after {LIMIT} decisions.")
    outcome = case.played(case.plain).outcome
    require(outcome is not None and len(outcome.ranks) == case.seats, f"The outcome is {outcome}.")
    require(outcome and 1 in outcome.ranks and outcome.reason.endswith("."), f"The outcome is {outcome}.")


@check
def no_seat_is_left_out(case: Case) -> None:
    """Every seat starts at times, or the same one always does."""
    if case.fixed:
        raise Skipped("A fixed deal may say who starts.")
    begun = {case.start(case.fast, seed).turn for seed in range(SEEDS)}
    require(len(begun) in (1, case.seats), f"Of {case.seats} seats only {sorted(begun)} ever start.")


@check
def builds_agree(case: Case) -> None:
    """The plain and the compiled build give the same bytes, action by action, in random and in greedy plays."""
    for seed, bot in ((1, ""), (2, "greedy")):
        plain = case.start(case.plain, seed)
        for fast in case.positions(case.fast, seed, bot=bot):
            if fast.actions:
                plain.apply(fast.actions[-1])
            where = f"after {len(plain.actions)} actions (seed {seed})"
            compare(plain, fast, where)
            if len(fast.actions) % case.pace == 0 or fast.over:
                compare_views(case, plain, fast, where)


def compare(plain: Play, fast: Play, where: str) -> None:
    """Compare what the two builds say of a position."""
    require(plain.to_state() == fast.to_state(), f"The builds differ {where}.")
    require(plain.legal_actions == fast.legal_actions, f"The builds differ in the legal actions {where}.")
    require((plain.score_table() == fast.score_table()).all(), f"The builds differ in the scores {where}.")


def compare_views(case: Case, plain: Play, fast: Play, where: str) -> None:
    """Compare what the two builds show to every reader."""
    for seat in case.readers():
        seen, other = plain.observe(seat), fast.observe(seat)
        require(seen.to_state() == other.to_state(), f"The builds mask differently for seat {seat} {where}.")
        same = seen.tensor().tobytes() == other.tensor().tobytes()
        require(same, f"The builds differ in the tensor of seat {seat} {where}.")
        guesses = (seen.determinize(5).to_state(), other.determinize(5).to_state())
        require(guesses[0] == guesses[1], f"The builds redeal differently for seat {seat} {where}.")


@check
def foresight_comes_true(case: Case) -> None:
    """What the bots foresee of an action is what the evaluation finds once it has been done."""
    for play in case.positions(case.plain, every=4):
        before, actions = play.to_state(), play.legal_actions[:: 1 + len(play.legal_actions) // 8]
        foreseen = foresight_of(play, actions) if actions else []
        require(play.to_state() == before, f"Foresight changed the state after {len(play.actions)} actions.")
        for action, ahead in zip(actions, foreseen, strict=True):
            after = play.copy()
            after.apply(action)
            found = lead(play.turn, case.seats, evaluated(after))
            where = f"after {len(play.actions)} actions, before {play.action_to_string(action)!r}"
            require(ahead == found, f"Foresight says {ahead} and the evaluation {found} {where}.")


@check
def evaluations_agree(case: Case) -> None:
    """Evaluation and outlook change nothing, are the same in both builds, and say the same once a play is over."""
    plain = case.start(case.plain, 1)
    for fast in case.positions(case.fast, 1):
        if fast.actions:
            plain.apply(fast.actions[-1])
        if len(fast.actions) % case.pace and not fast.over:
            continue
        before, where = plain.to_state(), f"after {len(plain.actions)} actions"
        values, hopes = evaluated(plain), expected(plain)
        require(plain.to_state() == before, f"Evaluating a position has changed it {where}.")
        same = (values == evaluated(fast)).all() and (hopes == expected(fast)).all()
        require(same, f"The builds evaluate differently {where}.")
        require(not plain.over or (values == hopes).all(), f"It is over {where}, and the outlook is another one.")


def foresight_of(play: Play, actions: Sequence[int]) -> list[int]:
    """How far each of these actions would put the seat to move ahead, by the game's foresight."""
    game, work = play.game, blank_workspace(play.game)
    work.actions[: len(actions)] = actions
    on_loan = lent(game, work)
    state = game.lend(play.array)[0]
    game.kernel(game.bots).action_values(state, on_loan.actions, len(actions), on_loan.trial, on_loan.foreseen)
    return work.foreseen[: len(actions)].tolist()


def evaluated(play: Play) -> np.ndarray:
    """What the game's evaluation says of a position, by seat."""
    return written(play, play.game.kernel(play.game.bots).evaluate)


def expected(play: Play) -> np.ndarray:
    """What the game's outlook says of a position, by seat."""
    return written(play, play.game.kernel(play.game.bots).evaluate_leaf)


def written(play: Play, evaluate: Callable[[Any, Any, Any], None]) -> np.ndarray:
    """What one of the two writes, by seat."""
    game, out = play.game, np.zeros(play.seats, np.int64)
    evaluate(game.lend(play.array)[0], game.lend(play.score_table()), game.lend(out))
    return out


@check
def same_seed_same_play(case: Case) -> None:
    """A seed settles everything; other seeds give other plays."""
    first, again = case.played(case.fast, 3), case.played(case.fast, 3)
    require(first.to_state() == again.to_state(), "The same seed and choices gave another play.")
    starts = {without_luck(case.start(case.fast, seed)) for seed in range(20)}
    require(len(starts) > 1 or case.fixed, "Every seed gives the same start.")


@check
def conservation_laws_hold(case: Case) -> None:
    """Nothing is lost or made: `broken` in the game's tests/scenes.py is silent in every position."""
    broken = getattr(case.scenes, "broken", None)
    if not broken:
        raise Skipped("The game has no tests/scenes.py with a function `broken`.")
    for seed, bot in ((1, ""), (2, ""), (3, "greedy")):
        for play in case.positions(case.fast, seed, bot=bot):
            fault = broken(play.state)
            require(not fault, f"After {len(play.actions)} actions (seed {seed}): {fault}")


def without_luck(play: Play) -> bytes:
    """The state without its random numbers."""
    array = state_dtype.copied(play.array)
    array["rng"] = 0
    return array.tobytes()
