"""The pictures of Orchard.

`pictures` lists the panels, which `orchard` and `hand` draw with the shapes in `drawing`. `key` explains the icons, and
`places` finds the element at a point.
"""

from .key import ICONS
from .orchard import preview
from .pictures import PARTS, choices, panels
from .places import hit_test

__all__ = ["ICONS", "PARTS", "choices", "hit_test", "panels", "preview"]
