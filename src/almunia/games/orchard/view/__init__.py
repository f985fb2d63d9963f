"""Orchard as pictures.

`pictures` has the panels: an `orchard`, and the reader's `hand`. They are made of the pieces in `drawing`, and `key`
explains the icons.
"""

from .key import ICONS
from .orchard import ghost
from .pictures import PARTS, panels

__all__ = ["ICONS", "PARTS", "ghost", "panels"]
