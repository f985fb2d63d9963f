"""Search: bots that look further ahead than one action, and what they find out about a position."""

from .bot import Choice, Search
from .settings import LIMITS

__all__ = ["LIMITS", "Choice", "Search"]
