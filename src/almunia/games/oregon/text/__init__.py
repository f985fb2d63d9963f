"""Oregon in words.

`actions` has actions and questions, `suggestions` courses of several actions, `prospects` their gains, `explanations`
refusals, and `log` log lines. `position` describes positions and results, and `words` has the names of things.
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
