"""Almunia's environments, as entries of `benchmarks.envs`."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from almunia.library import Game, game
from benchmarks.batch import batch_loop
from benchmarks.entry import GAMES, GYMNASIUM, LIBRARY, MANY, OPENSPIEL, PETTINGZOO, Entry
from benchmarks.frameworks import Loop, gymnasium_loop, openspiel_loop, pettingzoo_loop, sample_deal, vector_loop
from benchmarks.targets import STEPS, target


def entries(name: str) -> Iterator[Entry]:
    """Yield an entry for each interface of one game, with the fewest players but at least two."""
    seats = max(2, game(name).meta.seats[0])
    options: dict[str, Any] = {"seats": seats, "opponents": "random"}
    goal, what = target(STEPS, name), f"Almunia's {name}"
    yield Entry(GYMNASIUM, f"{what}, against random", lambda: in_gymnasium(name, options), goal=goal)
    yield Entry(GYMNASIUM, f"{what}, against random, unwrapped", lambda: in_gymnasium_unwrapped(name, options))
    yield Entry(PETTINGZOO, what, lambda: in_pettingzoo(name, seats), goal=goal)
    yield Entry(OPENSPIEL, what, lambda: in_openspiel(name, seats))
    yield Entry(LIBRARY, what, lambda: play_loop(game(name), seats, observe=True))
    yield Entry(LIBRARY, f"{what}, legal actions alone", lambda: play_loop(game(name), seats, observe=False))
    yield Entry(MANY, f"{what}, game.batch({GAMES})", lambda: batch_loop(game(name), GAMES, seats=seats), GAMES)
    yield Entry(MANY, f"{what}, {GAMES} in Gymnasium, against random", lambda: in_vector_env(name, options), GAMES)


def in_gymnasium(name: str, options: dict[str, Any]) -> Loop:
    """Return the loop of an environment from `gymnasium.make`, with its wrappers that check the usage."""
    env_id = registered_id(name)  # raises MissingExtra without Gymnasium
    import gymnasium

    return gymnasium_loop(gymnasium.make(env_id, **options))


def in_gymnasium_unwrapped(name: str, options: dict[str, Any]) -> Loop:
    """Return the loop of an environment without wrappers."""
    from almunia.envs.gymnasium import GameEnv

    return gymnasium_loop(GameEnv(name, **options))


def in_vector_env(name: str, options: dict[str, Any]) -> Loop:
    """Return the loop of a vector environment from `gymnasium.make_vec`."""
    env_id = registered_id(name)
    import gymnasium

    return vector_loop(gymnasium.make_vec(env_id, num_envs=GAMES, **options))


def registered_id(name: str) -> str:
    """Register the games with Gymnasium, and return the id of this game."""
    from almunia.envs import env_id

    return env_id(name)


def in_pettingzoo(name: str, seats: int) -> Loop:
    """Return the loop of an environment of PettingZoo."""
    from almunia.envs.pettingzoo import env

    return pettingzoo_loop(env(name, seats))


def in_openspiel(name: str, seats: int) -> Loop:
    """Return the loop of a game of OpenSpiel."""
    from almunia.envs.openspiel import load

    spiel = load(name, {"players": seats})
    return openspiel_loop(spiel, spiel.make_py_observer(), sample_deal)


def play_loop(this: Game, seats: int, *, observe: bool) -> Loop:
    """Return a loop over `Play.apply`, with an observation of each position if `observe` is true."""
    random = np.random.default_rng(0)
    play = this.new(seats, 0)

    def loop(times: int) -> None:
        nonlocal play
        for number in random.random(times).tolist():
            legal = play.legal_actions
            if observe:
                play.observe(play.turn).tensor()
            play.apply(legal[int(number * len(legal))])
            if play.over:
                play = this.new(seats, int(number * 2**53))

    return loop
