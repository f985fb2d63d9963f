"""Alhambra as pictures.

`pictures` has the panels: each player's `palace`, the `hand` with the reserve, the `market`, and the `majorities`.
They use the shapes in `drawing`. `key` explains the icons, and `places` finds the thing at a point.
"""

from .key import ICONS
from .palace import ghost
from .pictures import PARTS, panels
from .places import place_at

__all__ = ["ICONS", "PARTS", "ghost", "panels", "place_at"]
