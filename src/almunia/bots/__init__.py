"""Bots: a masked state in, an action out. They see what a person in their seat sees."""

from .base import SPECS, Bot, let_go, make, parsed, prepare
from .levels import LEVELS, USUAL

__all__ = ["LEVELS", "SPECS", "USUAL", "Bot", "let_go", "make", "parsed", "prepare"]
