"""Orchard in words: `actions` and question, `refusing` the others, the `position`, the `log`, `challenges`, `words`."""

from .actions import ask, cite, effect, offer, parts, say
from .challenges import CAMPAIGN, CHALLENGES, campaign
from .log import tell
from .position import board, dealt, ending, facts, sources, verdict
from .refusing import refuse

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
