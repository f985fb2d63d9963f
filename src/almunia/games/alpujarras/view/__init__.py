"""The pictures of Alpujarras.

`pictures` has the panels: the board, laid out by `plan` and drawn by `landscape`; the `turn`; the `goals`; the
`market` and the deliveries. Their pieces come from `drawing`. `key` explains the icons, and `places` finds the id of
the place at a point.
"""

from .key import ICONS
from .pictures import PARTS, ghost, panels
from .places import place_at

__all__ = ["ICONS", "PARTS", "ghost", "panels", "place_at"]
