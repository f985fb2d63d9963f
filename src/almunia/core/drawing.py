"""What the pictures of all games are made of: bricks, and pieces that are drawn once.

Most of a picture is as it was a move ago, and most of the time that one takes goes into writing its elements as text.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import svg

MOST = 1024  # pieces of one kind that are kept

Drawing = svg.Element | list[svg.Element]
P = ParamSpec("P")


class Still(svg.Element):
    """Elements that never change again, written out already; nothing is drawn around them."""

    def __init__(self, drawing: Drawing) -> None:
        super().__init__()
        self._written = "".join(map(str, drawing)) if isinstance(drawing, list) else str(drawing)

    def as_str(self) -> str:
        """The elements as text."""
        return self._written


def once(draw: Callable[P, Drawing]) -> Callable[P, Still]:
    """Let a function draw its piece once for the same arguments, which are all that the piece depends on.

    `functools.lru_cache` would not do: a twin of a function is made of functions that Python itself runs.
    """
    kept: dict[tuple[object, ...], Still] = {}

    @wraps(draw, assigned=("__name__", "__qualname__", "__doc__"))
    def drawn(*given: P.args, **named: P.kwargs) -> Still:
        place = (given, *map(type, given), *named.items())  # 1 and 1.0 are written in two ways
        found = kept.get(place)
        if found is None:
            if len(kept) >= MOST:
                kept.clear()
            found = kept[place] = Still(draw(*given, **named))
        return found

    return drawn


# --- bricks ------------------------------------------------------------------------------------------------


def canvas(
    name: str, view_box: svg.ViewBoxSpec, elements: list[svg.Element], *classes: str, clickable: bool = False
) -> svg.SVG:
    """A whole picture, with what a screen reader calls it; one in which something may be clicked is a group to it."""
    extra = {"role": "group" if clickable else "img", "aria-label": name}
    return svg.SVG(viewBox=view_box, class_=[*classes], elements=elements, extra=extra)


def path(d: str) -> list[svg.PathData]:
    """Path data written by hand, as the library wants it."""
    return d  # type: ignore[return-value]


def shape(d: str, *classes: str) -> svg.Path:
    """A path with its classes."""
    return svg.Path(class_=[*classes], d=path(d))


def moved(x: float, y: float, scale: float = 1) -> str:
    """The style that puts a piece into its place; only this changes when the piece moves."""
    return f"transform:translate({x:g}px,{y:g}px)" + (f" scale({scale:g})" if scale != 1 else "")


def at(x: float, y: float, *elements: svg.Element, scale: float = 1) -> svg.G:
    """Things put into their place, once and for all."""
    steps: list[svg.Transform] = [svg.Translate(x, y)]
    if scale != 1:
        steps.append(svg.Scale(scale, scale))
    return svg.G(transform=steps, elements=[*elements])
