"""Alhambra as pictures.

`pictures` has the panels: everybody's `palace`, the `hand` with the reserve, the `market`, and the `majorities`. They
are drawn with the pieces in `drawing`; `key` explains the icons, and `places` finds what lies at a point.
"""

from .key import ICONS
from .palace import ghost
from .pictures import PARTS, panels
from .places import place_at

__all__ = ["ICONS", "PARTS", "ghost", "panels", "place_at"]
