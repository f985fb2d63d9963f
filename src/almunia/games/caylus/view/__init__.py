"""Caylus as pictures.

`pictures` has the panels: the `road` with its buildings and the reader's things, the `tallies` of castle and favours,
and the supply of buildings. They are drawn with the pieces in `tiles` and `icons`, where `plan` says; `key` explains
the icons, and `places` finds what is drawn at a point.
"""

from .key import ICONS
from .pictures import PARTS, ghost, panels
from .places import place_at

__all__ = ["ICONS", "PARTS", "ghost", "panels", "place_at"]
