"""What actions name: searches look at many guesses in one tree, so a name must mean the same in all of them."""

from collections.abc import Iterator
from random import Random
from typing import Any

from ..play.play import Play
from .case import Case, check, require

GUESSES = 6
AHEAD = 12  # decisions that are played on in each guess
WAYS = 4  # ways of playing on, tried in every guess

Step = tuple[int, int, int]  # the seat asked, its question, and the name of what it chose


@check
def names_mean_one_thing(case: Case) -> None:
    """After the same steps a name has the same words, whatever is hidden, and no two actions share one."""
    guesses, ways = (GUESSES // 2, WAYS // 2) if case.sparse else (GUESSES, WAYS)
    for play in case.positions(case.fast, 5, every=6):
        if play.over:
            continue
        said: dict[tuple[Step, ...], str] = {}
        for number in range(guesses):
            for way in range(ways):
                guess = play.observe(play.turn).determinize(number)
                for steps, words in spoken(guess, way):
                    known = said.setdefault(steps, words)
                    require(known == words, f"After {len(play.actions)} actions {steps} is {known!r}, and {words!r}.")


def spoken(play: Play, way: int) -> Iterator[tuple[tuple[Step, ...], str]]:
    """Play on in one of several ways, and give the words of all that could be chosen, by the steps up to it.

    A way prefers the same names in every guess, so that guesses meet again and again in the same places.
    """
    past: tuple[Step, ...] = ()
    for _ in range(AHEAD):
        if play.over:
            return
        steps = {action: (play.turn, play.phase, name_of(play, action)) for action in play.legal_actions}
        require(len(set(steps.values())) == len(steps), f"Two actions name the same thing: {sorted(steps.values())}.")
        for action, step in steps.items():
            yield (*past, step), play.action_to_string(action)
        chosen = min(play.legal_actions, key=lambda action: Random(repr((steps[action], way))).random())
        past = (*past, steps[chosen])
        play.apply(chosen)


def name_of(play: Play, action: int) -> int:
    """What an action names, by the game's rules."""
    game: Any = play.game
    return int(game.kernel(game.naming).action_key(game.lend(play.array)[0], action))
