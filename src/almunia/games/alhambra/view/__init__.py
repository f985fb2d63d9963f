"""Alhambra as pictures.

`pictures` has the panels; `market` and `majorities` are two of them, drawn with the pieces in `drawing`.
"""

from .pictures import PARTS, ghost, panels

__all__ = ["PARTS", "ghost", "panels"]
