"""Checks of tensors."""

from collections.abc import Iterator

import numpy as np

from ..core.contract import TENSOR_BOUND
from ..play.play import Observation, Play
from .case import SAMPLED_POSITIONS, Case, check, require

BOTS = ("", "greedy")  # "" for random actions
POSITIONS = 2 * SAMPLED_POSITIONS  # in plays of each bot
SIBLINGS = 40  # maximum number of other actions to try in each position
MIN_SCALED = 0.9  # share of the nonzero numbers that must be within -1 and 1


def questions(case: Case) -> Iterator[Observation]:
    """Yield observations of the seat to move, in random and in greedy plays and after other actions.

    The other actions neither end the turn nor reveal anything, so that the positions after them differ mostly in the
    question.
    """
    for bot in BOTS:
        seed = count = 0
        while count < POSITIONS:
            for play in case.positions(case.compiled, seed, bot=bot):
                if case.is_sampled(play):
                    count += 1
                    for position in [play, *siblings(play)]:
                        if not position.over:
                            yield position.observe(position.turn)
            seed += 1


def siblings(play: Play) -> Iterator[Play]:
    """Yield the plays after some actions that neither end the turn nor reveal anything."""
    barrier = (play.turn, play.turns, play.reveals)
    for action in play.legal_actions[:: 1 + len(play.legal_actions) // SIBLINGS]:
        after = play.copy()
        after.apply(action)
        if (after.turn, after.turns, after.reveals) == barrier:
            yield after


@check
def tensors_have_their_parts(case: Case) -> None:
    """Require that tensors vary, are within their bounds and mostly within -1 and 1, and use every part.

    With an option, such as one for a shorter game, some parts may not be used.
    """
    is_used: dict[str, bool] = dict.fromkeys(case.compiled.observe.TENSOR_SHAPES, False)
    seen, nonzero, scaled = set(), 0, 0
    for observation in questions(case):
        numbers = observation.tensor()
        seen.add(numbers.tobytes())
        nonzero += int(np.count_nonzero(numbers))
        scaled += int(np.count_nonzero(numbers[np.abs(numbers) <= 1]))
        for name, part in observation.parts().items():
            require(bool((np.abs(part) <= TENSOR_BOUND).all()), f"A number of {name!r} is not within {TENSOR_BOUND}.")
            is_used[name] |= bool(part.any())
    require(len(seen) > 1, "Every observation of a play is the same.")
    require(
        scaled >= MIN_SCALED * nonzero, f"Of the numbers that are not 0, {MIN_SCALED:.0%} should lie within -1 and 1."
    )
    empty = [name for name, used in is_used.items() if not (used or case.options)]
    require(not empty, f"These parts of TENSOR_SHAPES are never used: {empty}.")


@check
def tensors_determine_the_question(case: Case) -> None:
    """Require that observations with the same tensor have the same question, legal actions and words."""
    by_tensor: dict[bytes, Observation] = {}
    for seen in questions(case):
        first = by_tensor.setdefault(seen.tensor().tobytes(), seen)
        if first.to_state() != seen.to_state():
            require_same_choice(first, seen)


def require_same_choice(first: Observation, second: Observation) -> None:
    questions = [one.game.text.question(one.state) for one in (first, second)]
    same = questions[0] == questions[1]
    require(same, f"The same tensor has two questions: {questions[0]!r} and {questions[1]!r}.")
    differ = sorted(set(first.legal_actions) ^ set(second.legal_actions))
    require(not differ, f"The same tensor has different legal actions, such as {differ[:5]}: {questions[0]!r}.")
    for action in first.legal_actions:
        words = [one.game.text.action_to_string(one.state, action) for one in (first, second)]
        require(words[0] == words[1], f"With the same tensor action {action} is {words[0]!r} and {words[1]!r}.")
