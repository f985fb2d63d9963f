"""Alpujarras as pictures.

`pictures` has the panels: the board, laid out by `plan` and drawn in `landscape`; the `turn`, the `goals`, and in
`market` the market and the deliveries. They are drawn with the pieces in `drawing`, and `key` explains the icons.
"""

from .key import ICONS
from .pictures import PARTS, ghost, panels

__all__ = ["ICONS", "PARTS", "ghost", "panels"]
