"""The pictures of Alpujarras.

`pictures` has the panels: the board, laid out by `plan` and drawn by `landscape`; the `turn`; the `goals`; the
`market` and the deliveries. Their pieces come from `drawing`. `key` explains the icons, and `places` finds the id of
the place at a point.
"""

from .key import ICONS
from .pictures import PARTS, panels, preview
from .places import hit_test

__all__ = ["ICONS", "PARTS", "hit_test", "panels", "preview"]
