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

from almunia.envs.ids import id_of
from almunia.envs.pettingzoo import env, parallel_env

from . import at_every_table

# `api_test` knows by name which environments may observe a dictionary with a mask: PettingZoo's own.
DICTIONARIES = ("Observation is not a NumPy array", "Observation space for each agent probably should be")
TEXTS = dict.fromkeys(("ansi", "svg"), lambda shown: isinstance(shown, str) and len(shown) > 50)


def tested(name: str, seats: int) -> None:
    """All of them. What samples without a mask gets legal actions instead."""
    with redirect_stdout(StringIO()):
        run_all(name, seats)


def run_all(name: str, seats: int) -> None:
    """Run one after the other."""
    own, side_by_side = partial(env, name, seats), partial(parallel_env, name, seats)
    api_test(own(), num_cycles=100)
    api_test(pettingzoo.make("aec", id_of(name), seats=seats), num_cycles=30)
    seed_test(own, num_cycles=50)
    parallel_api_test(side_by_side(), num_cycles=100)
    random = {"illegal": "random"}
    parallel_seed_test(partial(side_by_side, **random), num_cycles=50)
    state_test(own(**random), side_by_side(**random))
    # It wants every agent to act in every cycle, and in games of turns that is only so where those not asked can wait.
    cycles = SimpleNamespace(env=partial(own, waiting=True, **random), parallel_env=partial(side_by_side, **random))
    max_cycles_test(cycles)
    render_test(own, custom_tests=TEXTS)


if __name__ == "__main__":
    with warnings.catch_warnings(action="error"):
        for words in DICTIONARIES:
            warnings.filterwarnings("ignore", words)
        at_every_table("PettingZoo's tests", tested)
