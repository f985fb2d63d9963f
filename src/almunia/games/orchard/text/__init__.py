"""Orchard in words.

`actions` has actions and questions, `explanations` refusals, `position` positions and results, and `log` log lines.
`challenges` has the fixed deals, and `words` the names of things.
"""

from .actions import ask, cite, effect, offer, parts, say
from .challenges import CAMPAIGN, CHALLENGES, campaign
from .explanations import refuse
from .log import tell
from .position import board, dealt, ending, facts, sources, verdict

__all__ = [
    "CAMPAIGN",
    "CHALLENGES",
    "ask",
    "board",
    "campaign",
    "cite",
    "dealt",
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
