"""OpenSpiel's own searches in C++, to be measured beside ours where it is installed.

Each of their simulations ends in one random playout, to the end of the play.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from random import Random
from typing import Any

from .games import SEED, STEPS_IN

EXPLORE = 2.0  # its `uct_c`
MEGABYTES = 1000  # that a tree may take
SLOW, QUICK = 1000, 10_000  # simulations of one run
EVERY_GUESS = -1  # each simulation guesses the hidden part afresh
TIMES_AS_FAST = 10.0  # what ours should be


@dataclass(frozen=True)
class Peer:
    """A search of OpenSpiel's, at a position of one of its games."""

    what: str
    step: Callable[[Any], Any]
    position: Any
    simulations: int
    goal: float | None = None  # how many times as fast ours should be

    def simulate(self) -> int:
        """Think about one decision in a fresh tree; returns the number of simulations."""
        self.step(self.position)
        return self.simulations

    def playout(self, seed: int) -> int:
        """Play on at random until the play is over; returns the number of decisions."""
        rng, decisions, state = Random(seed), 0, self.position.clone()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(by_chance(state, rng))
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                decisions += 1
        return decisions


def peers() -> list[Peer]:
    """Its search of games with open hands and its search of games with hidden ones; none if it is not installed."""
    if not find_spec("pyspiel"):
        return []
    import pyspiel

    backgammon, hearts = a_few_in("backgammon"), a_few_in("hearts")
    lot = pyspiel.RandomRolloutEvaluator(1, SEED)
    tree = pyspiel.MCTSBot(backgammon.get_game(), lot, EXPLORE, SLOW, MEGABYTES, solve=False, seed=SEED, verbose=False)
    guessing = pyspiel.ISMCTSBot(SEED, lot, EXPLORE, QUICK, EVERY_GUESS)
    return [
        Peer("OpenSpiel's MCTS, backgammon", tree.step, backgammon, SLOW, TIMES_AS_FAST),
        Peer("OpenSpiel's ISMCTS, hearts", guessing.step, hearts, QUICK),
    ]


def a_few_in(name: str) -> Any:
    """A position after a few decisions, with a choice to make."""
    import pyspiel

    rng, decisions = Random(SEED), 0
    state = pyspiel.load_game(name).new_initial_state()
    while state.is_chance_node() or decisions < STEPS_IN or len(state.legal_actions()) == 1:
        if state.is_chance_node():
            state.apply_action(by_chance(state, rng))
        else:
            legal = state.legal_actions()
            state.apply_action(legal[len(legal) // 2])
            decisions += 1
    return state


def by_chance(state: Any, rng: Random) -> int:
    """What a chance node comes to."""
    outcomes, shares = zip(*state.chance_outcomes(), strict=True)
    return int(rng.choices(outcomes, shares)[0])
