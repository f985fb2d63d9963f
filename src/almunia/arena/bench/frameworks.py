"""How fast games run in PettingZoo and OpenSpiel, where those are installed: random play with mask and observation.

The loops play anybody's games.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from .goals import STEPS, goal

Loop = Callable[[int], None]  # plays so many decisions
Draw = Callable[[Any, float], int]  # what comes of a chance node, by a number from 0 to below 1


def loops_of(name: str, seats: int) -> Iterator[tuple[str, Loop, float | None]]:
    """What can be measured of a game here, each with its loop and its goal."""
    if find_spec("pettingzoo"):
        from ...envs.pettingzoo import GameEnv

        yield "PettingZoo, one game", in_turns(GameEnv(name, seats)), goal(STEPS, name)
    if find_spec("pyspiel"):
        from ...envs.openspiel import load

        spiel = load(name, {"players": seats})
        yield "OpenSpiel, one game, legal actions alone", in_openspiel(spiel, None, even_deal), None
        yield "OpenSpiel, one game", in_openspiel(spiel, spiel.make_py_observer(), even_deal), None


def in_turns(env: Any) -> Loop:
    """A loop that plays an environment of PettingZoo at random."""
    random = np.random.default_rng(0)
    env.reset(seed=0)

    def loop(times: int) -> None:
        for lot in random.random(times).tolist():
            seen = env.last()[0]
            legal = seen["action_mask"].view(np.bool_).nonzero()[0]
            env.step(legal[int(lot * len(legal))])
            while env.agents and (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
                env.last()
                env.step(None)
            if not env.agents:
                env.reset()

    return loop


def in_openspiel(spiel: Any, observer: Any, draw: Draw) -> Loop:
    """A loop that plays a game of OpenSpiel at random, and looks if there is an observer; chance is not counted."""
    random, state = np.random.default_rng(0), spiel.new_initial_state()

    def loop(times: int) -> None:
        nonlocal state
        for lot in random.random(times).tolist():
            if state.is_terminal():
                state = spiel.new_initial_state()
            while state.is_chance_node():
                state.apply_action(draw(state, random.random()))
            player = state.current_player()
            if observer:
                observer.set_from(state, player)
            legal = state.legal_actions(player)
            state.apply_action(legal[int(lot * len(legal))])

    return loop


def even_deal(state: Any, lot: float) -> int:
    """The deal of one of our games: all are equally likely."""
    return int(lot * state.get_game().deals)


def by_share(state: Any, lot: float) -> int:
    """An outcome of a chance node, by how likely each of them is."""
    outcomes = state.chance_outcomes()
    for outcome, share in outcomes:
        lot -= share
        if lot < 0:
            return int(outcome)
    return int(outcomes[-1][0])  # shares may add up to a little less than 1
