"""Settings of searches: defaults, ranges, and overrides by a game."""

from collections.abc import Mapping

from ...core.loaded import LoadedGame
from ...errors import SetupError, one_of
from ..spec import Ranges
from .kernels.ismcts import Settings

# Default, minimum and maximum of each setting. If the minimum is an integer, the value must be an integer.
SEARCH = {
    "exploration": (0.1, 0.0, 100.0),
    "lead_scale": (20.0, 0.1, 10_000.0),
    "initial_width": (4.0, 1.0, 10_000.0),
    "widening_rate": (0.5, 0.0, 1000.0),
    "prior_visits": (1.0, 0.0, 1000.0),
    "rollout_decisions": (8.0, 0, 100_000),
    "rollout_rounds": (0.0, 0.0, 1000.0),
    "rollout_candidates": (4.0, 1, 10_000),
    "beam_width": (4.0, 1, 10_000),
    "candidates": (20.0, 2, 10_000),
}
TURN = {"beam_width": (16.0, 1, 1000), "determinizations": (1.0, 1, 1000)}
SEARCH_DEFAULTS = {name: row[0] for name, row in SEARCH.items()}
TURN_DEFAULTS = {name: row[0] for name, row in TURN.items()}
SEARCH_RANGES: Ranges = {name: row[1:] for name, row in SEARCH.items()}
TURN_RANGES: Ranges = {name: row[1:] for name, row in TURN.items()}


def search_settings(game: LoadedGame, given: Mapping[str, float]) -> dict[str, float]:
    """Return all settings of a search: given values, then `SEARCH` in the game's `bots.py`, then defaults.

    Raise SetupError if that `SEARCH` has a setting that does not exist.
    """
    own = game.bots.SEARCH
    for name in own.keys() - SEARCH_DEFAULTS.keys():
        known = one_of(SEARCH_DEFAULTS, name)
        raise SetupError(f"`SEARCH` of {game.name} sets {name!r}, and a search has no such setting. It has: {known}")
    return {name: float(given.get(name, own.get(name, default))) for name, default in SEARCH_DEFAULTS.items()}


def tree_settings(settings: Mapping[str, float]) -> Settings:
    return Settings(*(settings[name] for name in Settings._fields))
