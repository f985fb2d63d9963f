"""Observations as numbers: all that the seat to move must know to answer is in them."""

from collections.abc import Iterator

import numpy as np

from ..core.contract import TENSOR_BOUND
from ..play.play import Observation, Play
from .case import LONG, Case, check, require

BOTS = ("", "greedy")  # random actions, and a bot's
POSITIONS = 2 * LONG  # looked at in plays of each of them, and
SIBLINGS = 40  # what as many other actions lead to in each of them
SCALED = 0.9  # of the numbers that are not 0: so many lie within -1 and 1 at least


def questions(case: Case) -> Iterator[Observation]:
    """What the seat to move sees, in random and in greedy plays and after actions not taken there.

    Of these actions only those count that bring no other turn and nothing new to light: what they lead to differs from
    the position before in little more than the question.
    """
    for bot in BOTS:
        seed = looked = 0
        while looked < POSITIONS:
            for play in case.positions(case.fast, seed, bot=bot):
                if len(play.actions) % case.pace == 0:
                    looked += 1
                    for near in [play, *siblings(play)]:
                        if not near.over:
                            yield near.observe(near.turn)
            seed += 1


def siblings(play: Play) -> Iterator[Play]:
    """The positions after some actions, within the same turn and with nothing new come to light."""
    barrier = (play.turn, play.turns, play.reveals)
    for action in play.legal_actions[:: 1 + len(play.legal_actions) // SIBLINGS]:
        after = play.copy()
        after.apply(action)
        if (after.turn, after.turns, after.reveals) == barrier:
            yield after


@check
def tensors_have_their_parts(case: Case) -> None:
    """Observations are numbers within their bounds, and every part of them is written at some time."""
    written: dict[str, bool] = dict.fromkeys(case.fast.observe.TENSOR_SHAPES, False)
    seen, filled, small = set(), 0, 0
    for observation in questions(case):
        numbers = observation.tensor()
        seen.add(numbers.tobytes())
        filled += int(np.count_nonzero(numbers))
        small += int(np.count_nonzero(numbers[np.abs(numbers) <= 1]))
        for name, part in observation.parts().items():
            require(bool((np.abs(part) <= TENSOR_BOUND).all()), f"A number of {name!r} is not within {TENSOR_BOUND}.")
            written[name] |= bool(part.any())
    require(len(seen) > 1, "Every observation of a play is the same.")
    require(small >= SCALED * filled, f"Of the numbers that are not 0, {SCALED:.0%} should lie within -1 and 1.")
    empty = [name for name, used in written.items() if not used]
    require(not empty, f"These parts of TENSOR_SHAPES are never written: {empty}.")


@check
def tensors_tell_what_is_asked(case: Case) -> None:
    """Wherever the seat to move has the same numbers, it is asked the same, and the same actions are legal."""
    known: dict[bytes, Observation] = {}
    for seen in questions(case):
        twin = known.setdefault(seen.tensor().tobytes(), seen)
        if twin.to_state() != seen.to_state():
            require_same(twin, seen)


def require_same(twin: Observation, seen: Observation) -> None:
    """Compare two observations with the same tensor."""
    asked = [one.game.text.question(one.state) for one in (twin, seen)]
    require(asked[0] == asked[1], f"The same tensor stands for two questions: {asked[0]!r} and {asked[1]!r}.")
    differ = sorted(set(twin.legal_actions) ^ set(seen.legal_actions))
    require(not differ, f"The same tensor stands for other legal actions, such as {differ[:5]}: {asked[0]!r}.")
    for action in twin.legal_actions:
        said = [one.game.text.action_to_string(one.state, action) for one in (twin, seen)]
        require(said[0] == said[1], f"With the same tensor action {action} is {said[0]!r} and {said[1]!r}.")
