"""Search: bots that look further ahead than one action, and what they find out about a position."""

from .bot import Choice, Search
from .settings import LIMITS, TURN_LIMITS
from .turn_bot import Turn

__all__ = ["LIMITS", "TURN_LIMITS", "Choice", "Search", "Turn"]
