"""The pictures of Alhambra.

`pictures` lists the panels: each player's `palace`, the `hand` with the reserve, the `market`, and the `majorities`.
`drawing` has the shapes of all panels, `key` explains the icons, and `places` finds the element at a point.
"""

from .key import ICONS
from .palace import preview
from .pictures import PARTS, choices, panels
from .places import hit_test

__all__ = ["ICONS", "PARTS", "choices", "hit_test", "panels", "preview"]
