"""Alhambra in words.

`actions` and question, `suggestions` of several actions at once, `explanations` of what cannot be chosen.
`prospects` weighs tiles and places, `log` and `scorings` tell what happened, `position` how things stand and how it
ended; `words` has the names of things.
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
