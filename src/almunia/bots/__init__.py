"""Bots: a masked state in, an action out. They see what a person in their seat sees."""

from .base import SPECS, Bot, make

__all__ = ["SPECS", "Bot", "make"]
