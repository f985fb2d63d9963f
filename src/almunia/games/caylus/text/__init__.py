"""Caylus in words: `actions`, `questions`, the `position` and ending, the `log`, `words` for all.

`refusing` says why something cannot be chosen, `courses` proposes several actions at once, `prospects` says what a
worker may bring, and `scoring` has what the castle and the end of the game bring to all.
"""

from .actions import effect, offer, parts, say
from .courses import courses
from .log import tell
from .position import board, ending, facts, sources, verdict
from .questions import ask, cite
from .refusing import refuse
from .scoring import scoring

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
