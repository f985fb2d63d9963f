"""Loops of random play in environments of all frameworks, with mask and observation read at each decision."""

from collections.abc import Callable
from typing import Any

import numpy as np

Loop = Callable[[int], None]  # takes the number of decisions, or steps
SampleChance = Callable[[Any, float], int]  # returns the outcome of a chance node, for a number in [0, 1)


def gymnasium_loop(env: Any) -> Loop:
    """Return a loop over one environment of Gymnasium."""
    random = np.random.default_rng(0)
    _, info = env.reset(seed=0)

    def loop(times: int) -> None:
        nonlocal info
        for number in random.random(times).tolist():
            legal = info["action_mask"].view(np.bool_).nonzero()[0]
            _, _, ended, _, info = env.step(legal[int(number * len(legal))])
            if ended:
                _, info = env.reset()

    return loop


def vector_loop(envs: Any) -> Loop:
    """Return a loop over a vector environment of Gymnasium. Each step is a decision in each of its games."""
    random = np.random.default_rng(0)
    _, infos = envs.reset(seed=0)

    def loop(times: int) -> None:
        nonlocal infos
        for _ in range(times):
            rows, legal = infos["action_mask"].view(np.bool_).nonzero()
            counts = np.bincount(rows)
            chosen = counts.cumsum() - 1 - (random.random(len(counts)) * counts).astype(np.int64)
            infos = envs.step(legal[chosen])[4]

    return loop


def pettingzoo_loop(env: Any) -> Loop:
    """Return a loop over an environment of PettingZoo whose agents act in turn."""
    random = np.random.default_rng(0)
    env.reset(seed=0)

    def loop(times: int) -> None:
        for number in random.random(times).tolist():
            seen = env.last()[0]
            legal = seen["action_mask"].view(np.bool_).nonzero()[0]
            env.step(legal[int(number * len(legal))])
            while env.agents and (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
                env.last()
                env.step(None)
            if not env.agents:
                env.reset()

    return loop


def openspiel_loop(spiel: Any, observer: Any, sample: SampleChance) -> Loop:
    """Return a loop over a game of OpenSpiel. Chance nodes are not counted. `observer` may be None."""
    random, state = np.random.default_rng(0), spiel.new_initial_state()

    def loop(times: int) -> None:
        nonlocal state
        for number in random.random(times).tolist():
            if state.is_terminal():
                state = spiel.new_initial_state()
            while state.is_chance_node():
                state.apply_action(sample(state, random.random()))
            player = state.current_player()
            if observer:
                observer.set_from(state, player)
            legal = state.legal_actions(player)
            state.apply_action(legal[int(number * len(legal))])

    return loop


def sample_deal(state: Any, number: float) -> int:
    """Return the deal for a number in [0, 1) in a game of Almunia. All deals are equally likely."""
    return int(number * state.get_game().deals)


def sample_outcome(state: Any, number: float) -> int:
    """Return the outcome of a chance node for a number in [0, 1), by the outcomes' probabilities."""
    outcomes = state.chance_outcomes()
    for outcome, probability in outcomes:
        number -= probability
        if number < 0:
            return int(outcome)
    return int(outcomes[-1][0])  # probabilities may add up to a little less than 1
