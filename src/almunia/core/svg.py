"""What the pictures of all games are made of: bricks, and pieces that are drawn once.

Most of a picture is as it was a move ago, and most of the time that one takes goes into writing its elements as text.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

import svg

MOST = 1024  # pieces of one kind that are kept

Drawing = svg.Element | list[svg.Element]
Area = TypeVar("Area", bound=svg.Rect | svg.Circle | svg.G)
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

MARKS = (  # of the seats, as pages show them, each around 0, 0: disc, diamond, triangle, square and star
    "M0-9A9 9 0 1 1-.1-9Z",
    "M0-10L10 0 0 10-10 0Z",
    "M0-10L9.5 8H-9.5Z",
    "M-8-8H8V8H-8Z",
    "M0-10L2.6-3.4 9.5-3.1 4.1 1.3 5.9 8.1 0 4.2-5.9 8.1-4.1 1.3-9.5-3.1-2.6-3.4Z",
)


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
    return svg.Path(class_=[*classes] or None, d=path(d))


def use(symbol: str, x: float = 0, y: float = 0, scale: float = 1) -> svg.Use:
    """A shape of the picture that has this id, once more."""
    if scale == 1:
        return svg.Use(href=f"#{symbol}", x=x, y=y)
    return svg.Use(href=f"#{symbol}", transform=[svg.Translate(x, y), svg.Scale(scale, scale)])


def rect(x: float, y: float, width: float, height: float, *classes: str, rx: float = 8) -> svg.Rect:
    """A rectangle with its classes; `rx` is the radius of its round corners."""
    return svg.Rect(class_=[*classes] or None, x=x, y=y, width=width, height=height, rx=rx)


def label(words: str | int, x: float = 0, y: float = 0, *classes: str) -> svg.Text:
    """A line of text with its classes."""
    return svg.Text(class_=[*classes] or None, x=x, y=y, text=str(words))


def clickable(area: Area, action: int, words: str = "") -> Area:
    """An area that is clicked for an action, and the words that are shown when it is pointed at."""
    area.class_, area.data = ["target", *(area.class_ or [])], {"action": action}
    if words:
        area.elements = [svg.Title(text=words), *(area.elements or [])]
    return area


def moved(x: float, y: float, scale: float = 1) -> str:
    """The style that puts a piece into its place; only this changes when the piece moves."""
    return f"transform:translate({x:g}px,{y:g}px)" + (f" scale({scale:g})" if scale != 1 else "")


def at(
    x: float,
    y: float,
    *elements: svg.Element,
    scale: float = 1,
    name: str | None = None,
    classes: Sequence[str] = (),
) -> svg.G:
    """Things put into their place, once and for all, as a group with this id and these classes."""
    steps: list[svg.Transform] = [svg.Translate(x, y)]
    if scale != 1:
        steps.append(svg.Scale(scale, scale))
    return svg.G(id=name, class_=[*classes] or None, transform=steps, elements=[*elements])
