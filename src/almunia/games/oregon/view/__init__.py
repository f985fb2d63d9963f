"""The pictures of Oregon.

`pictures` lists the panels: the `board`, the reader's `hand` with the decks, and the `tally` of tiles and discards.
`drawing` has the shapes of all panels, `key` explains the icons, and `places` finds the element at a point.
"""

from .board import preview
from .key import ICONS
from .pictures import PARTS, choices, panels
from .places import hit_test

__all__ = ["ICONS", "PARTS", "choices", "hit_test", "panels", "preview"]
