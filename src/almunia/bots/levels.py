"""Levels: five strengths of bots for people. A game may override the spec of a level."""

from ..core.loaded import LoadedGame

LEVELS = {
    "beginner": "for a first game: often misjudges what a move is worth",
    "easy": "wins most games against beginner",
    "medium": "wins most games against easy",
    "hard": "wins most games against medium",
    "expert": "the strongest there is, thinks for up to a second",
}
DEFAULT_LEVEL = "medium"
DEFAULT_SPECS = {
    "beginner": "greedy,noise=10",
    "easy": "greedy,epsilon=0.1",
    "medium": "greedy",
    "hard": "search:500",
    "expert": "search:1s",
}


def spec_for_level(level: str, game: LoadedGame) -> str:
    """Return the spec of a level: from `LEVELS` in the game's `bots.py`, or else the default."""
    return game.bots.LEVELS.get(level, DEFAULT_SPECS[level])
