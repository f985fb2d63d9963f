"""Bots: their interfaces, kinds, specs and levels."""

from .base import Bot, NamedBot
from .builtin import KERNEL_BOTS
from .factory import make, parse_spec, warm_up
from .levels import DEFAULT_LEVEL, LEVELS

__all__ = ["DEFAULT_LEVEL", "KERNEL_BOTS", "LEVELS", "Bot", "NamedBot", "make", "parse_spec", "warm_up"]
