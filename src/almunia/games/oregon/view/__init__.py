"""Oregon as pictures.

`pictures` has the panels: the `board`, the reader's `hand` with the decks, and the `tally` of tiles and discards. They
use the shapes in `drawing`. `key` explains the icons, and `places` finds the thing at a point.
"""

from .board import ghost
from .key import ICONS
from .pictures import PARTS, panels
from .places import place_at

__all__ = ["ICONS", "PARTS", "ghost", "panels", "place_at"]
