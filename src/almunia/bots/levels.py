"""Levels for people: four strengths by name, each a spec that a game may set for itself."""

from ..core.loaded import LoadedGame

LEVELS = {
    "easy": "for a first game",
    "medium": "wins most games against easy",
    "hard": "wins most games against medium",
    "expert": "the strongest there is, thinks for up to a second",
}
USUAL = "medium"  # for whoever does not want to choose
MEANING = {
    "easy": "greedy,slips=0.1",
    "medium": "greedy",
    "hard": "search:500",
    "expert": "search:1s",
}


def meaning(level: str, game: LoadedGame) -> str:
    """The spec behind a level in this game: the one that `bots.LEVELS` brings, or the one of most games."""
    own: dict[str, str] = getattr(game.bots, "LEVELS", {})
    return own.get(level, MEANING[level])
