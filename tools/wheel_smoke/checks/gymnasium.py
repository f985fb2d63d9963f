"""Gymnasium's own environment check of every game at every table, and its vectors of environments."""

import warnings
from contextlib import redirect_stdout
from io import StringIO

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import almunia.envs.gymnasium  # noqa: F401 - it registers the games
from almunia.envs import env_id

from . import at_every_table, tables


def check_single(name: str, seats: int) -> None:
    """Run `check_env` without warnings. It samples without a mask, so illegal actions end the game."""
    with warnings.catch_warnings(action="error"), redirect_stdout(StringIO()):  # render_mode="human" prints
        check_env(gymnasium.make(env_id(name), seats=seats, illegal="penalty").unwrapped)


def check_vector(name: str, seats: int) -> None:
    """Step our vector of games with legal actions."""
    envs = gymnasium.make_vec(env_id(name), num_envs=4, seats=seats, opponents="random")
    envs.action_space.seed(0)
    observations, infos = envs.reset(seed=1)
    for _ in range(20):
        assert observations in envs.observation_space
        actions = envs.action_space.sample(tuple(infos["action_mask"]))
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert rewards.shape == terminated.shape == truncated.shape == (4,)
    envs.close()


def check_own_vector(mode: str) -> None:
    """Step Gymnasium's own vectors of single games, in one process or in several."""
    for name in {name for name, _ in tables()}:
        envs = gymnasium.make_vec(env_id(name), num_envs=2, vectorization_mode=mode, illegal="random")
        observations, _ = envs.reset(seed=1)
        for _ in range(5):
            observations = envs.step(envs.action_space.sample())[0]
        assert observations.shape == (2, *envs.single_observation_space.shape)
        envs.close()
    print(f"gymnasium.make_vec, {mode}: every game", flush=True)


def check_rendering(name: str, seats: int) -> None:
    """Render a position in every mode."""
    for mode in ("ansi", "svg", "rgb_array"):
        env = gymnasium.make(env_id(name), seats=seats, render_mode=mode)
        env.reset(seed=1)
        picture = env.render()
        assert isinstance(picture, np.ndarray if mode == "rgb_array" else str)
        env.close()


if __name__ == "__main__":
    at_every_table("gymnasium check_env", check_single)
    at_every_table("gymnasium.make_vec", check_vector)
    at_every_table("render", check_rendering)
    check_own_vector("sync")
    check_own_vector("async")
