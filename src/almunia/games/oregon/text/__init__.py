"""Oregon in words: `actions` and question, the `position` and ending, the `log`, `words` for all."""

from .actions import ask, effect, offer, parts, say
from .log import tell
from .position import board, ending, facts, sources, verdict

__all__ = ["ask", "board", "effect", "ending", "facts", "offer", "parts", "say", "sources", "tell", "verdict"]
