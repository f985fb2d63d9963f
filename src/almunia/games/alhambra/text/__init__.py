"""Alhambra in words: `actions` and the question, the `position`, the `log`, and `words` that all of them use."""

from .actions import ask, effect, offer, parts, say
from .log import tell
from .position import board, ending, facts, verdict

__all__ = ["ask", "board", "effect", "ending", "facts", "offer", "parts", "say", "tell", "verdict"]
