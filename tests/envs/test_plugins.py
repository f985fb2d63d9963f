"""Plug-in games as environments."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

CODE = """
import warnings
from pathlib import Path

import gymnasium
import pyspiel
from almunia.cli.commands.check import register_plugin
from gymnasium.utils.env_checker import check_env

warnings.simplefilter("error")
warnings.filterwarnings("ignore", "Observation")
warnings.filterwarnings("ignore", "The old environment creation API")  # as in pyproject.toml
register_plugin(Path("lantern"))
import almunia.envs.gymnasium
from almunia.envs import openspiel, pettingzoo
from pettingzoo.test import api_test, parallel_api_test

check_env(gymnasium.make("almunia/lantern-v1", build="plain", illegal="penalty").unwrapped)
envs = gymnasium.make_vec("almunia/lantern-v1", num_envs=3, build="plain")
_, infos = envs.reset(seed=1)
envs.step(infos["action_mask"].argmax(axis=1))
api_test(pettingzoo.env("lantern", build="plain"), num_cycles=9)
parallel_api_test(pettingzoo.parallel_env("lantern", build="plain"), num_cycles=9)
print(pyspiel.load_game("python_almunia_lantern").new_initial_state())
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(not find_spec("pyspiel"), reason="OpenSpiel is not installed: pip install 'almunia[openspiel]'")
def test_a_plugin_is_registered_as_an_environment(tmp_path):
    new = [sys.executable, "-m", "almunia", "new", "lantern"]
    subprocess.run(new, cwd=tmp_path, check=True, capture_output=True)
    run = [sys.executable, "-c", CODE]
    done = subprocess.run(run, cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("The game has not been dealt yet.\n")
