"""Orchard in words: `actions` and question, the `position` and ending, the `log`, `challenges`, `words`."""

from .actions import ask, effect, offer, parts, say
from .challenges import CAMPAIGN, CHALLENGES, campaign
from .log import tell
from .position import board, dealt, ending, facts, sources, verdict

__all__ = [
    "CAMPAIGN",
    "CHALLENGES",
    "ask",
    "board",
    "campaign",
    "dealt",
    "effect",
    "ending",
    "facts",
    "offer",
    "parts",
    "say",
    "sources",
    "tell",
    "verdict",
]
