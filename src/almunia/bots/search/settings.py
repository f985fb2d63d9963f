"""What can be set of a search, and where its settings come from."""

from collections.abc import Mapping

from ...core.loaded import LoadedGame
from ..spec import Limits
from .kernels.ismcts import Settings

DEFAULTS = {
    "explore": 0.1,
    "spread": 20.0,
    "narrow": 4.0,
    "widen": 0.5,
    "trust": 1.0,
    "ahead": 8.0,
    "rounds": 0.0,
    "tries": 4.0,
    "beam": 4.0,
    "candidates": 20.0,
}
TURN = {"width": 16.0, "guesses": 1.0}  # of a bot that plans its turn
# The least and the largest value of each; a setting with whole bounds takes whole numbers alone.
TURN_LIMITS: Limits = {"width": (1, 1000), "guesses": (1, 1000)}
LIMITS: Limits = {
    "explore": (0.0, 100.0),
    "spread": (0.1, 10_000.0),
    "narrow": (1.0, 10_000.0),
    "widen": (0.0, 1000.0),
    "trust": (0.0, 1000.0),
    "ahead": (0, 100_000),
    "rounds": (0.0, 1000.0),
    "tries": (1, 10_000),
    "beam": (1, 10_000),
    "candidates": (2, 10_000),
}


def settings_of(game: LoadedGame, given: Mapping[str, float]) -> dict[str, float]:
    """The settings of a search: those given, then those the game's `bots.SEARCH` brings, then the defaults."""
    own = getattr(game.bots, "SEARCH", {})
    return {name: float(given.get(name, own.get(name, value))) for name, value in DEFAULTS.items()}


def unit_of(game: LoadedGame) -> int:
    """How many of the game's evaluation make a point."""
    return int(getattr(game.bots, "VALUE_SCALE", 1))


def tree_settings(settings: Mapping[str, float]) -> Settings:
    """Those of them that a tree takes."""
    return Settings(*(settings[name] for name in Settings._fields))
