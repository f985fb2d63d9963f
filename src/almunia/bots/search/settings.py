"""Settings of searches: defaults, ranges, and overrides by a game."""

from collections.abc import Mapping

from ...core.loaded import LoadedGame
from ...errors import SetupError, one_of
from ..spec import Ranges
from .kernels.ismcts import Settings

SEARCH_DEFAULTS = {
    "exploration": 0.1,
    "lead_scale": 20.0,
    "initial_width": 4.0,
    "widening_rate": 0.5,
    "prior_visits": 1.0,
    "rollout_decisions": 8.0,
    "rollout_rounds": 0.0,
    "rollout_candidates": 4.0,
    "beam_width": 4.0,
    "candidates": 20.0,
}
TURN_DEFAULTS = {"beam_width": 16.0, "determinizations": 1.0}
# Minimum and maximum of each setting. If the bounds are integers, the value must be an integer.
TURN_RANGES: Ranges = {"beam_width": (1, 1000), "determinizations": (1, 1000)}
SEARCH_RANGES: Ranges = {
    "exploration": (0.0, 100.0),
    "lead_scale": (0.1, 10_000.0),
    "initial_width": (1.0, 10_000.0),
    "widening_rate": (0.0, 1000.0),
    "prior_visits": (0.0, 1000.0),
    "rollout_decisions": (0, 100_000),
    "rollout_rounds": (0.0, 1000.0),
    "rollout_candidates": (1, 10_000),
    "beam_width": (1, 10_000),
    "candidates": (2, 10_000),
}


def search_settings(game: LoadedGame, given: Mapping[str, float]) -> dict[str, float]:
    """Return all settings of a search: given values, then `SEARCH` in the game's `bots.py`, then defaults.

    Raises:
        SetupError: `SEARCH` has a setting that does not exist.
    """
    own = game.bots.SEARCH
    for name in own.keys() - SEARCH_DEFAULTS.keys():
        known = one_of(SEARCH_DEFAULTS, name)
        raise SetupError(f"`SEARCH` of {game.name} sets {name!r}, and a search has no such setting. It has: {known}")
    return {name: float(given.get(name, own.get(name, default))) for name, default in SEARCH_DEFAULTS.items()}


def tree_settings(settings: Mapping[str, float]) -> Settings:
    """Return the settings of a tree search."""
    return Settings(*(settings[name] for name in Settings._fields))
