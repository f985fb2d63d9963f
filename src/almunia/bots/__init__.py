"""Bots, which choose an action from a masked state. They know only what a player in their seat knows."""

from .base import Bot, NamedBot
from .factory import KERNEL_BOTS, make, parse_spec, warm_up
from .levels import DEFAULT_LEVEL, LEVELS

__all__ = ["DEFAULT_LEVEL", "KERNEL_BOTS", "LEVELS", "Bot", "NamedBot", "make", "parse_spec", "warm_up"]
