"""Alpujarras as pictures.

`pictures` has the panels: the board, laid out by `plan` and drawn in `landscape`; the `turn`, the `goals`, and in
`market` the market and the deliveries. They are drawn with the pieces in `drawing`, and `key` explains the icons;
`places` finds what lies at a point.
"""

from .key import ICONS
from .pictures import PARTS, ghost, panels
from .places import place_at

__all__ = ["ICONS", "PARTS", "ghost", "panels", "place_at"]
