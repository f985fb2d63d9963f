"""The pictures of Caylus.

`pictures` has the panels. `road` draws the board, and `tallies` draws castle and favours. `tiles` and `icons` have
pieces, `gains` the numbers on targets, and `plan` positions. `key` explains the icons, and `places` finds the id of the
place at a point.
"""

from .key import ICONS
from .pictures import PARTS, choices, panels, preview
from .places import hit_test

__all__ = ["ICONS", "PARTS", "choices", "hit_test", "panels", "preview"]
