"""Alpujarras in words.

`actions`, their `effects`, and `suggestions` of several at once; `questions`; `explanations` of what cannot be chosen;
`position` and result; the `log`; and `words` that all of them share.
"""

from .actions import offer, parts, say
from .effects import effect
from .explanations import refuse
from .log import tell
from .position import board, ending, facts, sources, verdict
from .questions import ask, cite
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
