"""Check of action keys. A key must have the same meaning in all determinizations, which share one search tree."""

from collections.abc import Iterator
from random import Random

from ..play.play import Play
from .case import Case, check, require

DETERMINIZATIONS = 6
MAX_DEPTH = 12  # decisions on a path
PATHS = 4  # paths that are played in each determinization

Step = tuple[int, int, int]  # seat, phase and action key


@check
def action_keys_are_consistent(case: Case) -> None:
    """Require that a key has the same words after the same steps in all determinizations, and that keys are unique."""
    determinizations, paths = (DETERMINIZATIONS // 2, PATHS // 2) if case.sparse else (DETERMINIZATIONS, PATHS)
    for play, seen in case.decisions(case.compiled, 5, every=6):
        words_by_steps: dict[tuple[Step, ...], str] = {}
        for seed in range(determinizations):
            for path in range(paths):
                possible = seen.determinize(seed)
                for steps, words in words_on_path(possible, path):
                    first = words_by_steps.setdefault(steps, words)
                    require(first == words, f"After {len(play.actions)} actions, {steps} is {first!r} and {words!r}.")


def words_on_path(play: Play, path: int) -> Iterator[tuple[tuple[Step, ...], str]]:
    """Play one of several paths in place, and yield each legal action's words with the steps up to the action.

    A path prefers the same keys in every determinization, so that determinizations often share their steps.
    """
    past: tuple[Step, ...] = ()
    for _ in range(MAX_DEPTH):
        if play.over:
            return
        steps = {action: (play.turn, play.phase, action_key(play, action)) for action in play.legal_actions}
        require(len(set(steps.values())) == len(steps), f"Two actions have the same key: {sorted(steps.values())}.")
        for action, step in steps.items():
            yield (*past, step), play.action_to_string(action)
        chosen = min(play.legal_actions, key=lambda action: Random(repr((steps[action], path))).random())
        past = (*past, steps[chosen])
        play.apply(chosen)


def action_key(play: Play, action: int) -> int:
    game = play.game
    return int(game.kernel(game.rules).action_key(game.wrap(play.array)[0], action))
