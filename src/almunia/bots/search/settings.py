"""Settings of `search` and `turn`: defaults, ranges, and overrides by a game."""

from collections.abc import Mapping

from ...core.loaded import LoadedGame
from ...errors import SetupError, one_of
from ..spec import Range
from .kernels import puct
from .kernels.ismcts import Settings

SEARCH = {  # default and range of each setting
    "exploration": (0.1, Range(0, 100)),
    "lead_scale": (20.0, Range(0.1, 10_000)),
    "result_weight": (0.75, Range(0, 1)),
    "initial_width": (4.0, Range(1, 10_000)),
    "widening_rate": (0.5, Range(0, 1000)),
    "prior_visits": (1.0, Range(0, 1000)),
    "rollout_decisions": (8.0, Range(0, 100_000, whole=True)),
    "rollout_rounds": (0.0, Range(0, 1000)),
    "rollout_candidates": (4.0, Range(1, 10_000, whole=True)),
    "beam_width": (4.0, Range(1, 10_000, whole=True)),
    "candidates": (20.0, Range(2, 10_000, whole=True)),
    "c_puct": (1.25, Range(0, 10_000)),
    "batch_size": (16.0, Range(1, 4096, whole=True)),
    "virtual_loss": (0.5, Range(0, 10_000)),
}
TURN = {"beam_width": (16.0, Range(1, 1000, whole=True)), "determinizations": (1.0, Range(1, 1000, whole=True))}
SEARCH_DEFAULTS = {name: default for name, (default, _) in SEARCH.items()}
TURN_DEFAULTS = {name: default for name, (default, _) in TURN.items()}
SEARCH_RANGES = {name: allowed for name, (_, allowed) in SEARCH.items()}
TURN_RANGES = {name: allowed for name, (_, allowed) in TURN.items()}


def search_settings(game: LoadedGame, given: Mapping[str, float]) -> dict[str, float]:
    """Return all settings of a search: from `given`, else `SEARCH` of the game's `bots.py`, else the defaults.

    Raise SetupError if the game's `SEARCH` has a setting that does not exist.
    """
    own = game.bots.SEARCH
    for name in own.keys() - SEARCH_DEFAULTS.keys():
        known = one_of(SEARCH_DEFAULTS, name)
        raise SetupError(f"`SEARCH` of {game.name} sets {name!r}, and a search has no such setting. It has: {known}")
    return {name: float(given.get(name, own.get(name, default))) for name, default in SEARCH_DEFAULTS.items()}


def tree_settings(settings: Mapping[str, float]) -> Settings:
    return Settings(*(settings[name] for name in Settings._fields))


def puct_settings(settings: Mapping[str, float], seats: int) -> puct.Settings:
    """Return the settings of a search with an evaluator, with the lead scale in points."""
    values = {**settings, "utility_unit": settings["lead_scale"] if seats == 1 else 1.0}
    return puct.Settings(*(values[name] for name in puct.Settings._fields))
