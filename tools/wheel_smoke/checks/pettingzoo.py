"""PettingZoo's own tests of every game at every table."""

import warnings
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from types import SimpleNamespace

import pettingzoo
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.test.max_cycles_test import max_cycles_test
from pettingzoo.test.state_test import state_test

from almunia.envs import env_id
from almunia.envs.pettingzoo import env, parallel_env

from . import at_every_table

# `api_test` allows observations with a mask by name, for PettingZoo's own environments only.
DICTIONARIES = ("Observation is not a NumPy array", "Observation space for each agent probably should be")
TEXTS = dict.fromkeys(("ansi", "svg"), lambda shown: isinstance(shown, str) and len(shown) > 50)


def check_quietly(name: str, seats: int) -> None:
    """Run all tests without their output."""
    with redirect_stdout(StringIO()):
        run_all(name, seats)


def run_all(name: str, seats: int) -> None:
    """Run all tests. Those that sample without a mask get a legal action instead."""
    turn_based, parallel = partial(env, name, seats), partial(parallel_env, name, seats)
    api_test(turn_based(), num_cycles=100)
    api_test(pettingzoo.make("aec", env_id(name), seats=seats), num_cycles=30)
    seed_test(turn_based, num_cycles=50)
    parallel_api_test(parallel(), num_cycles=100)
    random = {"illegal": "random"}
    parallel_seed_test(partial(parallel, **random), num_cycles=50)
    state_test(turn_based(**random), parallel(**random))
    # The test expects every agent to act in every cycle, so agents that are not to move need a no-op.
    cycles = SimpleNamespace(env=partial(turn_based, all_step=True, **random), parallel_env=partial(parallel, **random))
    max_cycles_test(cycles)
    render_test(turn_based, custom_tests=TEXTS)


if __name__ == "__main__":
    with warnings.catch_warnings(action="error"):
        for words in DICTIONARIES:
            warnings.filterwarnings("ignore", words)
        at_every_table("PettingZoo's tests", check_quietly)
