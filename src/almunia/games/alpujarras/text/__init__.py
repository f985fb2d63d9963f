"""Alpujarras in words.

`actions`, their `effects`, and `proposing` of several; `questions`; `refusing` says why something cannot be chosen;
`position` and ending; the `log`. `words` has what all of them call things.
"""

from .actions import offer, parts, say
from .effects import effect
from .log import tell
from .position import board, ending, facts, sources, verdict
from .proposing import courses
from .questions import ask, cite
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
