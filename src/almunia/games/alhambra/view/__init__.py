"""Alhambra as pictures.

`pictures` has the panels: everybody's `palace`, the `hand` with the reserve, the `market`, and the `majorities`. They
are drawn with the pieces in `drawing`; `key` explains the icons.
"""

from .key import ICONS
from .palace import ghost
from .pictures import PARTS, panels

__all__ = ["ICONS", "PARTS", "ghost", "panels"]
