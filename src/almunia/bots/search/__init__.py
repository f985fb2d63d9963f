"""Bots that look further ahead than one action, and the analysis of a position by a search."""

from .bot import ActionAnalysis, SearchBot
from .settings import SEARCH_RANGES, TURN_RANGES
from .turn_bot import TurnBot

__all__ = ["SEARCH_RANGES", "TURN_RANGES", "ActionAnalysis", "SearchBot", "TurnBot"]
