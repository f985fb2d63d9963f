"""The pictures of Alpujarras.

`pictures` has the panels. `plan` has the layout of the board, and `landscape` its drawing. `turn`, `goals` and `market`
draw the other panels. `drawing` has pieces and icons. `key` explains the icons, and `places` finds the id of the place
at a point.
"""

from .key import ICONS
from .pictures import PARTS, choices, panels, preview
from .places import hit_test

__all__ = ["ICONS", "PARTS", "choices", "hit_test", "panels", "preview"]
