"""A game that is not one of ours is an environment too."""

import os
import subprocess
import sys

CODE = """
import warnings
from pathlib import Path

import pyspiel
from almunia.cli.plugins import announce
from pettingzoo.test import api_test, parallel_api_test

warnings.simplefilter("error")
warnings.filterwarnings("ignore", "Observation")
announce(Path("lantern"))
from almunia.envs import openspiel, pettingzoo

api_test(pettingzoo.env("lantern", build="plain"), num_cycles=9)
parallel_api_test(pettingzoo.parallel_env("lantern", build="plain"), num_cycles=9)
print(pyspiel.load_game("python_almunia_lantern").new_initial_state())
"""


def test_a_plugin_is_an_environment_too(tmp_path):
    new = [sys.executable, "-m", "almunia", "new", "lantern"]
    subprocess.run(new, cwd=tmp_path, check=True, capture_output=True)
    run = [sys.executable, "-c", CODE]
    done = subprocess.run(run, cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("The game has not been dealt yet.\n")
