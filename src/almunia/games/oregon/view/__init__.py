"""Oregon as pictures.

`pictures` has the panels: the `board`, the reader's `hand` with the decks, and the `tally` of what is left. They are
made of the pieces in `drawing`, and `key` explains the icons.
"""

from .board import ghost
from .key import ICONS
from .pictures import PARTS, panels

__all__ = ["ICONS", "PARTS", "ghost", "panels"]
