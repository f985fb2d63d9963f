"""Oregon in words.

`actions` and question, `suggestions` of several actions at once, their `prospects`, `explanations` of what cannot be
chosen, the `log`. `position` tells the position and how it ended, and `words` has the names of things.
"""

from .actions import ask, cite, effect, offer, parts, say
from .explanations import refuse
from .log import tell
from .position import board, ending, facts, sources, verdict
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
    "sources",
    "tell",
    "verdict",
]
