"""Oregon in words: `actions` and question, `courses` of several, their `prospects`, `refusing` the others, the `log`.

`position` tells the position and how it ended, and `words` has the names of things.
"""

from .actions import ask, cite, effect, offer, parts, say
from .courses import courses
from .log import tell
from .position import board, ending, facts, sources, verdict
from .refusing import refuse

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
