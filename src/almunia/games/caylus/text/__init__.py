"""Caylus in words: `actions`, `questions`, the `position` and ending, the `log`, and `words` that all of them share.

`explanations` say why something cannot be chosen, `suggestions` propose several actions at once, `prospects` state the
expected points of a worker, and `scorings` the points of a section or of the end of the game.
"""

from .actions import effect, offer, parts, say
from .explanations import refuse
from .log import tell
from .position import board, ending, facts, sources, verdict
from .questions import ask, cite
from .scorings import scoring
from .suggestions import courses

__all__ = [
    "ask",
    "board",
    "cite",
    "courses",
    "effect",
    "ending",
    "facts",
    "offer",
    "parts",
    "refuse",
    "say",
    "scoring",
    "sources",
    "tell",
    "verdict",
]
