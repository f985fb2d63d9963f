"""Caylus as pictures.

`pictures` has the panels: the `road` with its buildings and the reader's things, the `tallies` of castle and favours,
and the supply of buildings. They are drawn with the pieces in `tiles` and `icons`, where `plan` says; `key` explains
the icons.
"""

from .key import ICONS
from .pictures import PARTS, ghost, panels

__all__ = ["ICONS", "PARTS", "ghost", "panels"]
