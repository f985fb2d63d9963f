"""The pictures of Caylus.

`pictures` has the panels. `road` draws the landscape, the road and the special buildings, and `castle` draws castle and
favours. `tiles` draws buildings and cards, `shapes` has the shapes of all pieces, and `icons` draws rows of icons.
`gains` has the numbers on targets, and `plan` the positions. `key` explains the icons, and `places` finds the id of the
place at a point.
"""

from .key import ICONS
from .pictures import PARTS, choices, panels, preview
from .places import hit_test

__all__ = ["ICONS", "PARTS", "choices", "hit_test", "panels", "preview"]
