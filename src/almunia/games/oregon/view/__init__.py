"""Oregon as pictures.

`pictures` has the panels: the `board`, the reader's `hand` with the decks, and the `tally` of what is left. They are
made of the pieces in `drawing`, `key` explains the icons, and `places` says what is at a
point.
"""

from .board import ghost
from .key import ICONS
from .pictures import PARTS, panels
from .places import place_at

__all__ = ["ICONS", "PARTS", "ghost", "panels", "place_at"]
