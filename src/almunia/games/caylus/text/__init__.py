"""Caylus in words: `actions`, `questions`, the `position` and ending, the `log`, `words` for all."""

from .actions import effect, offer, parts, say
from .log import tell
from .position import board, ending, facts, sources, verdict
from .questions import ask, cite

__all__ = ["ask", "board", "cite", "effect", "ending", "facts", "offer", "parts", "say", "sources", "tell", "verdict"]
