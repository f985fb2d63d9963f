"""Alhambra in words.

`actions` has actions and questions, `suggestions` courses of several actions, and `explanations` refusals. `prospects`
values tiles and cells, `log` and `scorings` describe moves, and `position` describes positions and results. `words`
has the names of things.
"""

from .actions import ask, cite, effect, offer, parts, say
from .explanations import refuse
from .log import tell
from .position import board, ending, facts, sources, verdict
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
