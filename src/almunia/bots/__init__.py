"""Bots: a masked state in, an action out. They see what a person in their seat sees."""

from .base import Bot, NamedBot
from .factory import KERNEL_BOTS, make, parse_spec, warm_up
from .levels import DEFAULT_LEVEL, LEVELS

__all__ = ["DEFAULT_LEVEL", "KERNEL_BOTS", "LEVELS", "Bot", "NamedBot", "make", "parse_spec", "warm_up"]
