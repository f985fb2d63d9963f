"""Alpujarras as pictures.

`pictures` has the panel, laid out by `plan`: the `landscape` and the `sideboard`, drawn with the pieces in `drawing`.
"""

from .pictures import PARTS, ghost, panels

__all__ = ["PARTS", "ghost", "panels"]
