"""OpenSpiel's searches in C++, for comparison. Each simulation ends in one random playout."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from random import Random
from typing import Any

from almunia.arena.bench import EARLY_DECISIONS, SEED

UCT_C = 2.0  # exploration constant
MAX_MEGABYTES = 1000  # memory of a tree
MCTS_SIMULATIONS, ISMCTS_SIMULATIONS = 1000, 10_000  # of one run
DETERMINIZE_EVERY_SIMULATION = -1
TARGET_RATIO = 10.0  # Almunia's simulations per simulation of OpenSpiel


@dataclass(frozen=True)
class Peer:
    """A search of OpenSpiel in a position of one of OpenSpiel's games."""

    what: str
    step: Callable[[Any], Any]
    position: Any
    simulations: int
    goal: float | None = None  # target ratio

    def simulate(self) -> int:
        """Search for one decision in a new tree. Return the number of simulations."""
        self.step(self.position)
        return self.simulations

    def playout(self, seed: int) -> int:
        """Play at random to the end. Return the number of decisions."""
        rng, decisions, state = Random(seed), 0, self.position.clone()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(sample_chance(state, rng))
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                decisions += 1
        return decisions


def peers() -> list[Peer]:
    """Return OpenSpiel's searches for perfect and imperfect information; empty if it is not installed."""
    if not find_spec("pyspiel"):
        return []
    import pyspiel

    backgammon, hearts = early_state("backgammon"), early_state("hearts")
    evaluator = pyspiel.RandomRolloutEvaluator(1, SEED)
    mcts = pyspiel.MCTSBot(
        backgammon.get_game(), evaluator, UCT_C, MCTS_SIMULATIONS, MAX_MEGABYTES, solve=False, seed=SEED, verbose=False
    )
    ismcts = pyspiel.ISMCTSBot(SEED, evaluator, UCT_C, ISMCTS_SIMULATIONS, DETERMINIZE_EVERY_SIMULATION)
    return [
        Peer("OpenSpiel's MCTS, backgammon", mcts.step, backgammon, MCTS_SIMULATIONS, TARGET_RATIO),
        Peer("OpenSpiel's ISMCTS, hearts", ismcts.step, hearts, ISMCTS_SIMULATIONS),
    ]


def early_state(name: str) -> Any:
    """Return a state after a few decisions, with more than one legal action."""
    import pyspiel

    rng, decisions = Random(SEED), 0
    state = pyspiel.load_game(name).new_initial_state()
    while state.is_chance_node() or decisions < EARLY_DECISIONS or len(state.legal_actions()) == 1:
        if state.is_chance_node():
            state.apply_action(sample_chance(state, rng))
        else:
            legal = state.legal_actions()
            state.apply_action(legal[len(legal) // 2])
            decisions += 1
    return state


def sample_chance(state: Any, rng: Random) -> int:
    """Return a random outcome of a chance node."""
    outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
    return int(rng.choices(outcomes, probabilities)[0])
