"""The pictures of Caylus.

`pictures` has the panels: the `road` with its buildings and the viewer's offers, the `tallies` of castle and favours,
and the supply of buildings. Their pieces come from `tiles` and `icons`, and their positions from `plan`. `key` explains
the icons, and `places` finds the id of the piece at a point.
"""

from .key import ICONS
from .pictures import PARTS, ghost, panels
from .places import place_at

__all__ = ["ICONS", "PARTS", "ghost", "panels", "place_at"]
