"""Orchard as pictures.

`pictures` has the panels: an `orchard`, and the reader's `hand`. They use the shapes in `drawing`. `key` explains the
icons, and `places` finds the thing at a point.
"""

from .key import ICONS
from .orchard import ghost
from .pictures import PARTS, panels
from .places import place_at

__all__ = ["ICONS", "PARTS", "ghost", "panels", "place_at"]
