"""Oregon as pictures: `pictures` has the panels, drawn with the pieces in `drawing`."""

from .pictures import PARTS, ghost, panels

__all__ = ["PARTS", "ghost", "panels"]
