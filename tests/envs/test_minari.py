"""Traces as data sets of Minari."""

import re
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import almunia
from almunia.arena import traces
from almunia.arena.traces import PLAYS_PER_PART

HOME = Path(__file__).parents[2]


@pytest.fixture
def to_minari(tmp_path, monkeypatch):
    """Return the function; Minari keeps its data sets in the test's folder."""
    pytest.importorskip("minari", reason="Minari is not installed: pip install 'almunia[minari]'")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return import_module("almunia.envs.minari").to_minari


@pytest.mark.compiled
@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::UserWarning")  # on facts about the data set that the caller leaves out
@pytest.mark.parametrize(("name", "seats", "options"), [("orchard", 3, {}), ("alhambra", 2, {"memory": "perfect"})])
def test_the_decisions_of_a_seat_are_an_episode(tmp_path, to_minari, name, seats, options):
    import minari

    game, plays = almunia.game(name), PLAYS_PER_PART + 2 if name == "orchard" else 1
    result = almunia.record_trace(game, tmp_path / "t", plays, seats, "random", 4, **options)
    trace = almunia.load_trace(tmp_path / "t")
    to_minari(trace, f"{name}/random-v0", author="The Almunia developers")
    dataset = minari.load_dataset(f"{name}/random-v0")
    assert (len(dataset), dataset.total_steps) == (plays * seats, len(trace))
    rows, episodes = trace.rows(range(len(trace))), iter(dataset)
    for number, seed in enumerate(result["seed"].tolist()):
        play = game.new(seats, seed, **options)
        for action in rows["action"][rows["episode_id"] == number].tolist():
            play.apply(action)
        for seat in range(seats):
            own = (rows["episode_id"] == number) & (rows["seat"] == seat)
            episode = next(episodes)
            assert (episode.observations[:-1] == rows["observation"][own]).all()
            assert (episode.observations[-1] == play.observe(seat).tensor()).all()
            assert (episode.actions == rows["action"][own]).all()
            assert (episode.rewards == rows["reward"][own]).all()
            assert episode.terminations.tolist() == [False] * (own.sum() - 1) + [True]
            assert not episode.truncations.any()
            assert (episode.infos["action_mask"][:-1] == rows["legal_actions"][own]).all()
            assert episode.infos["action_mask"][-1].all()
            assert set(episode.infos["seat"].tolist()) == {seat}
    env = dataset.recover_environment()
    assert env.observation_space == dataset.observation_space
    assert env.action_space == dataset.action_space
    env.reset(seed=1)
    assert env.unwrapped.play.seats == seats
    assert options.items() <= env.spec.kwargs.items()
    assert dataset.storage.metadata["algorithm_name"] == ", ".join(["random"] * seats)


@pytest.mark.compiled
@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_traces_that_cannot_be_replayed_are_refused(tmp_path, to_minari):
    game = almunia.game("orchard")
    almunia.record_trace(game, tmp_path / "t", 1, 2, "random", 4)
    (tmp_path / "t" / "part-000000").rename(tmp_path / "kept")
    with pytest.raises(almunia.SetupError, match="This trace of Orchard has no decisions yet"):
        to_minari(almunia.load_trace(tmp_path / "t"), "orchard/none-v0")
    (tmp_path / "kept").rename(tmp_path / "t" / "part-000000")
    config = tmp_path / "t" / traces.CONFIG_FILE
    text = config.read_text("utf-8")
    config.write_text(re.sub(r'("components": ")\w+', r"\1other", text))
    with pytest.raises(almunia.SetupError, match="Orchard has changed since this trace was recorded"):
        to_minari(almunia.load_trace(tmp_path / "t"), "orchard/old-v0")
    config.write_text(text)
    assert len(to_minari(almunia.load_trace(tmp_path / "t"), "orchard/random-v0")) == 2


@pytest.mark.compiled
@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_sample_in_the_guide_to_traces_runs(tmp_path, to_minari, monkeypatch):
    monkeypatch.chdir(tmp_path)
    almunia.record_trace(almunia.game("oregon"), "greedy-oregon", 1, bots="greedy", seed=1)
    (sample,) = re.findall(r"```py\n(.+?)```", (HOME / "docs" / "traces.md").read_text("utf-8"), re.DOTALL)
    exec(sample, names := {})  # noqa: S102 - ours
    assert isinstance(names["episode"].observations, np.ndarray)


def test_a_missing_minari_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "minari", None)
    monkeypatch.delitem(sys.modules, "almunia.envs.minari", raising=False)
    with pytest.raises(almunia.MissingExtra, match=r"the package minari, .* pip install 'almunia\[minari\]'"):
        import_module("almunia.envs.minari")
