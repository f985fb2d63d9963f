"""The recipes for other libraries: each runs as printed where its library is installed."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "recipes.md"
SAMPLES = re.findall(r"^## (.+?)$(?:(?!^## ).)*?```py\n(.+?)```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
PACKAGES = {
    "Stable-Baselines3": ["sb3_contrib"],
    "TorchRL": ["torchrl"],
    "RLlib": ["ray", "torch", "tree", "lz4"],
    "Tianshou": ["tianshou"],
    "OpenSpiel": ["pyspiel", "flax", "optax"],
}


def test_every_recipe_is_tested() -> None:
    assert [title for title, _ in SAMPLES] == list(PACKAGES)
    assert all("assert " in sample for _, sample in SAMPLES)


@pytest.mark.compiled
@pytest.mark.exhaustive
@pytest.mark.parametrize(("title", "sample"), SAMPLES, ids=PACKAGES)
def test_a_recipe_runs_as_printed(title, sample, tmp_path) -> None:
    for package in PACKAGES[title]:
        if not find_spec(package):
            pytest.skip(f"{package} is not installed")
    (tmp_path / "recipe.py").write_text(sample)
    run = [sys.executable, "recipe.py"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
