"""Elements for the pictures of all games, and a cache of drawings as text.

The cache helps because a move changes little of a picture, and writing elements as text takes most of the time.
"""

from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

import svg

from .memoize import memoize

Drawing = svg.Element | list[svg.Element]
Area = TypeVar("Area", bound=svg.Rect | svg.Circle | svg.G)
P = ParamSpec("P")


class CachedSvg(svg.Element):
    """Elements that never change, already written as text, without an enclosing element."""

    def __init__(self, drawing: Drawing) -> None:
        super().__init__()
        self._written = "".join(map(str, drawing)) if isinstance(drawing, list) else str(drawing)

    def as_str(self) -> str:
        return self._written


def cached_drawing(draw: Callable[P, Drawing]) -> Callable[P, CachedSvg]:
    """Return a function that draws like `draw` and caches drawings as text. A drawing may depend on arguments only."""

    def key(*args: P.args, **named: P.kwargs) -> Hashable:
        return (args, *map(type, args), *named.items())  # 1 and 1.0 are written differently

    @memoize(key)
    @wraps(draw, assigned=("__name__", "__qualname__", "__doc__"))
    def written(*args: P.args, **named: P.kwargs) -> CachedSvg:
        return CachedSvg(draw(*args, **named))

    return written


# --- elements ----------------------------------------------------------------------------------------------

MARKS = (  # path data of the seats' marks, each around 0, 0: disc, diamond, triangle, square and star
    "M0-9A9 9 0 1 1-.1-9Z",
    "M0-10L10 0 0 10-10 0Z",
    "M0-10L9.5 8H-9.5Z",
    "M-8-8H8V8H-8Z",
    "M0-10L2.6-3.4 9.5-3.1 4.1 1.3 5.9 8.1 0 4.2-5.9 8.1-4.1 1.3-9.5-3.1-2.6-3.4Z",
)


def canvas(name: str, view_box: svg.ViewBoxSpec, elements: list[svg.Element], *classes: str) -> svg.SVG:
    """Return a picture with its name for screen readers. The role "img" becomes "group" when choices are added."""
    extra = {"role": "img", "aria-label": name}
    return svg.SVG(viewBox=view_box, class_=[*classes], elements=elements, extra=extra)


def path(d: str) -> list[svg.PathData]:
    """Return path data unchanged, but typed as svg.py expects."""
    return d  # type: ignore[return-value]


def shape(d: str, *classes: str) -> svg.Path:
    """Return a path with these classes."""
    return svg.Path(class_=[*classes] or None, d=path(d))


def use(symbol: str, x: float = 0, y: float = 0, scale: float = 1, *classes: str) -> svg.Use:
    """Return a `use` element with these classes: the element with the id `symbol`, at a point and in a scale."""
    found = svg.Use(class_=[*classes] or None, href=f"#{symbol}")
    if scale == 1:
        found.x, found.y = x or None, y or None
    else:
        found.transform = [svg.Translate(x, y), svg.Scale(scale)]
    return found


def rect(x: float, y: float, width: float, height: float, *classes: str, rx: float = 8) -> svg.Rect:
    """Return a rectangle with these classes; `rx` is the radius of its corners."""
    return svg.Rect(class_=[*classes] or None, x=x, y=y, width=width, height=height, rx=rx)


def label(words: str | int, x: float = 0, y: float = 0, *classes: str) -> svg.Text:
    """Return a line of text with these classes."""
    return svg.Text(class_=[*classes] or None, x=x, y=y, text=str(words))


def clickable(area: Area, action: int, words: str = "", is_good: bool = False) -> Area:
    """Make an area clickable for an action and return the area. Pages show the words while the area is hovered.

    `is_good` marks a choice that is among the best; see `contract.View` about frames.
    """
    area.class_ = ["target", *(["good"] if is_good else []), *(area.class_ or [])]
    area.data = {"action": action}
    if words:
        area.elements = [svg.Title(text=words), *(area.elements or [])]
    return area


def are_many(choices: int, places: int) -> bool:
    """Return whether more than a third of a board's places can be chosen: then a `veil` marks the others."""
    return choices > places / 3


def veil(rest: str, edge: str = "") -> svg.G:
    """Return a veil over what cannot be chosen, and unless `edge` is empty a line around what can, from path data.

    The veil belongs under the pieces, so that they stay clear.
    """
    return svg.G(class_=["veil"], elements=[shape(rest), *([shape(edge, "edge")] if edge else [])])


def translate_style(x: float, y: float, scale: float = 1) -> str:
    """Return a CSS transform that places and scales a piece. A move to another point changes only this style."""
    return f"transform:translate({x:g}px,{y:g}px)" + (f" scale({scale:g})" if scale != 1 else "")


def group_at(
    x: float,
    y: float,
    *elements: svg.Element,
    scale: float = 1,
    name: str | None = None,
    classes: Sequence[str] = (),
) -> svg.G:
    """Return elements as a group at a point, with the id `name` and these classes."""
    steps: list[svg.Transform] = [svg.Translate(x, y)]
    if scale != 1:
        steps.append(svg.Scale(scale))
    return svg.G(id=name, class_=[*classes] or None, transform=steps, elements=[*elements])
