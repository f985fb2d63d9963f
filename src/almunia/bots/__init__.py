"""Bots: a masked state in, an action out. They see what a person in their seat sees."""

from .base import Bot, NamedBot, close
from .factory import SPECS, make, parsed, prepare
from .levels import LEVELS, USUAL

__all__ = ["LEVELS", "SPECS", "USUAL", "Bot", "NamedBot", "close", "make", "parsed", "prepare"]
