"""Bots that look further ahead than one action, and the analysis of a position by a search."""

from .bot import ActionAnalysis, SearchBot
from .evaluators import AnyEvaluator, Evaluator, KernelEvaluator, PlayEvaluator
from .settings import SEARCH_RANGES, TURN_RANGES
from .turn_bot import TurnBot

__all__ = [
    "SEARCH_RANGES",
    "TURN_RANGES",
    "ActionAnalysis",
    "AnyEvaluator",
    "Evaluator",
    "KernelEvaluator",
    "PlayEvaluator",
    "SearchBot",
    "TurnBot",
]
