"""The recipes for other libraries: each runs as printed where its library is installed."""

import importlib
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree

import pytest

import almunia

PAGE = Path(__file__).parents[2] / "docs" / "recipes.md"
FILES = PAGE.with_suffix("")
SAMPLES = re.findall(r"^## ([^\n]+)$(?:(?!^## ).)*?```py\n(.+?)```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
PACKAGES = {
    "Stable-Baselines3": ["sb3_contrib"],
    "TorchRL": ["torchrl"],
    "RLlib": ["ray", "torch", "tree", "lz4"],
    "Tianshou": ["tianshou"],
    "OpenSpiel": ["pyspiel", "flax", "optax"],
    "TensorBoard": ["torch", "tensorboard"],
    "Ray cluster": ["torch", "ray"],
}
COMMANDS = re.findall(r"^python (\w+\.py) (.+)$", PAGE.read_text("utf-8"), re.MULTILINE)
SMALL = {"ppo.py": "--decisions 5000", "alphazero.py": "--iterations 2 --games 2 --simulations 4 --tests 2"}


def test_every_recipe_is_tested() -> None:
    assert [title for title, _ in SAMPLES] == list(PACKAGES)
    assert all("assert " in sample for _, sample in SAMPLES)
    assert [name for name, _ in COMMANDS] == list(SMALL)
    assert {path.name for path in FILES.iterdir() if path.suffix == ".py"} == set(SMALL)


@pytest.mark.compiled
@pytest.mark.exhaustive
@pytest.mark.parametrize(("title", "sample"), SAMPLES, ids=PACKAGES)
def test_a_recipe_runs_as_printed(title, sample, tmp_path) -> None:
    for package in PACKAGES[title]:
        if not find_spec(package):
            pytest.skip(f"{package} is not installed")
    copytree(FILES, tmp_path, dirs_exist_ok=True)
    (tmp_path / "recipe.py").write_text(sample)
    run = [sys.executable, "recipe.py"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.compiled
@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "arguments"), COMMANDS, ids=SMALL)
def test_a_file_runs_by_its_command(name, arguments, tmp_path) -> None:
    pytest.importorskip("torch")
    run = [sys.executable, FILES / name, *arguments.split(), *SMALL[name].split()]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "loss" in done.stdout
    assert list(tmp_path.glob("*.pt"))


@pytest.fixture
def recipe(monkeypatch):
    """Return a function that imports a file of the folder."""
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(FILES))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return importlib.import_module


def test_advantages_of_ppo_do_not_cross_the_end_of_a_game(recipe) -> None:
    from torch import tensor

    ppo = recipe("ppo")
    settings = ppo.Settings("kuhn", gamma=0.5, gae_lambda=0.5)
    rewards, dones = tensor([[0.0], [1.0], [2.0]]), tensor([[False], [True], [False]])
    values, last = tensor([[4.0], [8.0], [16.0]]), tensor([32.0])
    found = ppo.estimate_advantages(rewards, dones, values, last, settings)
    # From the last: 2 + 0.5 * 32 - 16; then 1 - 8, because the game ends; then 0 + 0.5 * 8 - 4 + 0.25 * -7.
    assert found[:, 0].tolist() == [-1.75, -7.0, 2.0]


@pytest.mark.compiled
@pytest.mark.exhaustive
def test_ppo_learns_kuhn_poker_against_random_bots(recipe) -> None:
    """The best response to random bots wins half a chip a game."""
    ppo = recipe("ppo")
    *_, (net, figures) = ppo.train(ppo.Settings("kuhn", opponents="random", decisions=60_000, scale=0.5))
    result = almunia.simulate(almunia.game("kuhn"), 300, bots=[net, "random"], seed=1)
    assert figures["lead"] > 0.6
    assert result["scores"][:, 0].mean() > 0.1


@pytest.mark.compiled
@pytest.mark.exhaustive
def test_alphazero_learns_what_the_cards_of_kuhn_poker_are_worth(recipe) -> None:
    import torch

    alphazero = recipe("alphazero")
    settings = alphazero.Settings("kuhn", iterations=6, games=64, simulations=30, opponent="random", tests=200)
    *_, (net, figures) = alphazero.train(settings)
    assert figures["wins"] > 0.55
    for actions in (0, 1):  # the first and the second player
        values = {}
        for seed in range(6):
            play = almunia.game("kuhn").new(2, seed)
            for _ in range(actions):
                play.apply(play.legal_actions[0])
            seen = play.observe(play.turn)
            tensors = (torch.from_numpy(array[None]) for array in (seen.tensor(), seen.action_mask()))
            values[int(play.state.seat[play.turn].card)] = net(*tensors)[1][0, 0].item()
        assert sorted(values, key=values.get) == sorted(values)
