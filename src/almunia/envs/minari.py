"""Traces as data sets of Minari: `to_minari(almunia.load_trace("greedy-oregon"), "oregon/greedy-v0")`.

The module needs the extra `minari`.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arena.simulate import Columns
from ..arena.traces import TraceConfig, Traces
from ..errors import MissingExtra, SetupError
from ..library import Game, game as game_of
from ..play.play import Play
from . import env_id

try:
    import gymnasium
    import minari
    from minari.data_collector import EpisodeBuffer
except ModuleNotFoundError as missing:
    raise MissingExtra.named("almunia.envs.minari needs", missing.name, "minari") from None


def to_minari(trace: Traces, dataset_id: str, **metadata: Any) -> minari.MinariDataset:
    """Write a trace as a data set of Minari, and return the data set.

    The decisions of a seat in a play are an episode. Observations are those of `almunia.envs.gymnasium.GameEnv`, the
    last one at the end of the play. `infos` has `action_mask` int8 (steps + 1, actions), which marks all actions at the
    end, and `seat` int64 (steps + 1,). `recover_environment` makes the environment, with the default opponents.

    Args:
        trace: a trace of this version of the game.
        dataset_id: the id of the data set, such as "oregon/greedy-v0".
        metadata: other arguments of `minari.create_dataset_from_buffers`, such as `author` and `description`. The
            default of `algorithm_name` is the bots.

    Returns:
        The data set, which Minari keeps in its folder of local data sets.

    Raises:
        SetupError: the trace has no decisions, a part is damaged, or the game has changed since.
        ValueError: Minari does not accept the id, or has a data set with this id.
    """
    config = trace.config
    game = game_of(config.game)
    if (config.rules_version, config.components) != (game.meta.rules_version, game.components_hash):
        raise SetupError(
            f"{game.meta.title} has changed since this trace was recorded, and its plays may end differently: "
            "record it again."
        )
    if not len(trace):
        raise SetupError(f"This trace of {game.meta.title} has no decisions yet.")
    metadata = {"env": environment(config), "algorithm_name": ", ".join(config.bots)} | metadata
    dataset = None
    for decisions, plays in trace.parts():
        episodes = list(episodes_of(game, config, decisions, plays))
        if dataset is None:
            dataset = minari.create_dataset_from_buffers(dataset_id, episodes, **metadata)
        else:
            dataset.update_dataset_from_buffer(episodes)
    return dataset


def environment(config: TraceConfig) -> gymnasium.Env[Any, Any]:
    """Return an environment with the seats and options of a trace."""
    options: dict[str, Any] = {name: value for name, value in config.options.items() if value}
    return gymnasium.make(f"almunia.envs.gymnasium:{env_id(config.game)}", seats=len(config.bots), **options)


def episodes_of(game: Game, config: TraceConfig, decisions: Columns, plays: Columns) -> Iterator[EpisodeBuffer]:
    """Yield the episodes of a part of a trace."""
    stops = np.cumsum(plays["decisions"])
    for seed, stop, count in zip(plays["seed"].tolist(), stops, plays["decisions"], strict=True):
        rows = {name: column[stop - count : stop] for name, column in decisions.items()}
        end = game.start(len(config.bots), seed, config.options)
        for action in rows["action"].tolist():
            end.apply(action)
        for seat in np.unique(rows["seat"]).tolist():
            yield episode(rows, seat, end)


def episode(rows: Columns, seat: int, end: Play) -> EpisodeBuffer:
    """Return the episode of a seat from the decisions of a play and its end."""
    own = {name: column[rows["seat"] == seat] for name, column in rows.items()}
    masks = own["legal_actions"].astype(np.int8)
    return EpisodeBuffer(
        observations=np.concatenate([own["observation"], [end.observe(seat).tensor()]]),
        actions=own["action"].astype(np.int64),
        rewards=own["reward"],
        terminations=own["terminated"],
        truncations=own["truncated"],
        infos={
            "action_mask": np.concatenate([masks, np.ones_like(masks[:1])]),
            "seat": np.full(len(masks) + 1, seat, np.int64),
        },
    )
