"""Traces of every game at every table as data sets of Minari, read again, and their environments."""

import os
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import minari
import numpy as np

import almunia
from almunia.envs.minari import to_minari

from . import at_every_table


def check_data_set(name: str, seats: int) -> None:
    """Write a play as a data set, and compare the sums of its rewards and its environment with the play."""
    with TemporaryDirectory() as scratch:
        os.environ["MINARI_DATASETS_PATH"] = str(Path(scratch) / "minari")
        almunia.record_trace(almunia.game(name), Path(scratch) / "trace", 1, seats, "greedy", seed=1)
        trace = almunia.load_trace(Path(scratch) / "trace")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on facts about the data set that are left out
            to_minari(trace, f"{name}/greedy-v0")
        dataset = minari.load_dataset(f"{name}/greedy-v0")
        rows = trace.rows(range(len(trace)))
        assert (len(dataset), dataset.total_steps) == (seats, len(trace))
        for seat, episode in enumerate(dataset):
            assert np.isclose(episode.rewards.sum(), rows["return"][rows["seat"] == seat][0])
            assert len(episode.observations) == len(episode.infos["action_mask"]) == len(episode.actions) + 1
        observation, _ = dataset.recover_environment().reset(seed=1)
        assert observation in dataset.observation_space


if __name__ == "__main__":
    at_every_table("to_minari", check_data_set)
