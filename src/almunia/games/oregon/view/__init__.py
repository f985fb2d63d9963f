"""Oregon as pictures: `pictures` has the panels, drawn with the `shapes`."""

from .pictures import PARTS, ghost, panels

__all__ = ["PARTS", "ghost", "panels"]
