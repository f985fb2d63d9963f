"""The pictures of Caylus.

`pictures` has the panels: the `road` with its buildings and the viewer's choices, the `tallies` of castle and favours,
and the supply of buildings. Their pieces come from `tiles` and `icons`, the numbers on choices from `gains`, and the
positions from `plan`. `key` explains the icons, and `places` finds the id of the piece at a point.
"""

from .key import ICONS
from .pictures import PARTS, choices, panels, preview
from .places import hit_test

__all__ = ["ICONS", "PARTS", "choices", "hit_test", "panels", "preview"]
