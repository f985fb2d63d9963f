"""Levels for players: four named strengths. A level is a spec, which a game may override."""

from ..core.loaded import LoadedGame

LEVELS = {
    "easy": "for a first game",
    "medium": "wins most games against easy",
    "hard": "wins most games against medium",
    "expert": "the strongest there is, thinks for up to a second",
}
DEFAULT_LEVEL = "medium"
DEFAULT_SPECS = {
    "easy": "greedy,epsilon=0.1",
    "medium": "greedy",
    "hard": "search:500",
    "expert": "search:1s",
}


def spec_for_level(level: str, game: LoadedGame) -> str:
    """Return the spec of a level in this game: from `LEVELS` of its `bots.py`, or else the default."""
    return game.bots.LEVELS.get(level, DEFAULT_SPECS[level])
