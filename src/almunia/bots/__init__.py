"""Bots: a masked state in, an action out. They see what a person in their seat sees."""

from .base import Bot, NamedBot, close
from .levels import LEVELS, USUAL
from .making import SPECS, make, parsed, prepare

__all__ = ["LEVELS", "SPECS", "USUAL", "Bot", "NamedBot", "close", "make", "parsed", "prepare"]
