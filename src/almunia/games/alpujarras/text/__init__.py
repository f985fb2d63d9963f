"""Alpujarras in words.

`actions` and `questions`; `refusing` says why something cannot be chosen; the `position` and ending; the `log`. `words`
has what all of them call things.
"""

from .actions import effect, offer, parts, say
from .log import tell
from .position import board, ending, facts, sources, verdict
from .questions import ask, cite
from .refusing import refuse

__all__ = [
    "ask",
    "board",
    "cite",
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
