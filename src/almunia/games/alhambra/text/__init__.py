"""Alhambra in words: `actions` and question, `courses` of several, `refusing` the others, what they are worth.

`prospects` weighs tiles and places, `log` and `scorings` tell what happened, `position` how things stand and how it
ended; `words` has the names of things.
"""

from .actions import ask, cite, effect, offer, parts, say
from .courses import courses
from .log import tell
from .position import board, ending, facts, sources, verdict
from .refusing import refuse
from .scorings import scoring

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
