"""Pictures of positions: a game's panels for a page, or all panels as one SVG."""

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

from ..core.contract import Panel, Role, View
from ..errors import MissingExtra
from .describe import SeatView

ID = re.compile(r'(?<![\w-])id="([^"]+)"')
MANY_DECIMALS = re.compile(r"\.\d{4,}")
GAP = 24  # between panels in one picture, and around them
SIDE_SHARE = 0.42  # height of a side panel, as a share of the main picture's
MIN_SIDE_HEIGHT = 150  # of a side panel
MAX_SIDE_WIDTH = 0.8  # of a side panel, as a share of the main picture's; wider panels go below it


class RenderedPanel(NamedTuple):
    """A panel as SVG text, for a page that has the styles."""

    name: str
    title: str
    svg: str
    role: str  # of contract.Role
    seat: int  # the seat that owns the things shown, or NONE
    digest: str  # a short hash of the picture
    size: tuple[float, float]  # width and height in its own units
    min_font_size: float  # of its texts, in these units, or 0


def panels(seen: SeatView, legal: Sequence[int] = ()) -> list[RenderedPanel]:
    """Return the rendered panels of a position as its seat sees it, the board first.

    The actions `legal` can be clicked. Raise MissingExtra if svg.py is not installed.
    """
    rendered = []
    for panel in svg_panels(seen, legal):
        text = round_numbers(str(panel.picture))
        digest = sha256(text.encode()).hexdigest()[:12]
        about = panel.role, panel.seat, digest, size(panel.picture), panel.min_font_size
        rendered.append(RenderedPanel(panel.name, panel.title, text, *about))
    return rendered


def preview(seen: SeatView, action: int) -> str:
    """Return the elements that an action would add to the main picture, as one SVG `<g>`.

    Raise MissingExtra if svg.py is not installed.
    """
    return round_numbers(str(view_of(seen).preview(seen.state, seen.seat, action)))


def compose_svg(seen: SeatView, legal: Sequence[int] = ()) -> str:
    """Return one SVG of all panels except secondary ones, with its own styles. The actions `legal` can be clicked.

    Raise MissingExtra if svg.py is not installed.
    """
    pictures = [panel.picture for panel in svg_panels(seen, legal) if panel.role != Role.SECONDARY]
    import svg

    main, sides = pictures[0], pictures[1:]
    width, height = size(main)
    place(main, GAP, GAP, 1)
    right, below, y = width + 2 * GAP, height + 2 * GAP, float(GAP)
    for picture in sides:
        scale = max(SIDE_SHARE * height, MIN_SIDE_HEIGHT) / size(picture)[1]
        if scale * size(picture)[0] > MAX_SIDE_WIDTH * width:
            scale = width / size(picture)[0]
            place(picture, GAP, below, scale)
            below += scale * size(picture)[1] + GAP
            continue
        place(picture, width + 2 * GAP, y, scale)
        right = max(right, width + 3 * GAP + scale * size(picture)[0])
        y += scale * size(picture)[1] + GAP
    box = svg.ViewBoxSpec(0, 0, round(right), round(max(below, y)))
    ground = svg.Rect(width=box.width, height=box.height, rx=14, fill="var(--soil)")
    style = svg.Style(text=styles(seen))
    title = svg.Title(text=seen.game.meta.title)
    whole = str(svg.SVG(viewBox=box, width=box.width, height=box.height, elements=[title, style, ground, *pictures]))
    return round_numbers(whole)


def round_numbers(text: str) -> str:
    """Return the text with numbers rounded to three decimals.

    A thousandth is far below a pixel, and further digits could look to a test for leaks like hidden numbers.
    """
    written, done = [], 0
    for found in MANY_DECIMALS.finditer(text):  # searching for a point is much faster than for a digit
        start = found.start()
        while start > done and text[start - 1].isdigit():
            start -= 1
        if start < found.start():
            written += [text[done:start], round_number(text[start : found.end()])]
            done = found.end()
    return "".join([*written, text[done:]])


@lru_cache(4096)
def round_number(number: str) -> str:
    """Return a number rounded to at most three decimals."""
    return f"{float(number):.3f}".rstrip("0").rstrip(".")


def ids_of(drawing: str) -> list[str]:
    """Return the ids of the elements in a picture."""
    return ID.findall(drawing)


def place(picture: Any, x: float, y: float, scale: float) -> None:
    """Set the place of a picture inside a larger picture, and its size, to `scale` times its view box."""
    width, height = size(picture)
    picture.x, picture.y = round(x, 1), round(y, 1)
    picture.width, picture.height = round(scale * width, 1), round(scale * height, 1)


def size(picture: Any) -> tuple[float, float]:
    """Return width and height of a picture, from its view box."""
    return float(picture.viewBox.width), float(picture.viewBox.height)


def styles(seen: SeatView) -> str:
    """Return the palette and the game's own styles, as one style sheet."""
    palette = files(__package__).joinpath("palette.css").read_text("utf-8")
    return palette + seen.game.file("view.css").read_text("utf-8")


def svg_panels(seen: SeatView, legal: Sequence[int]) -> list[Panel]:
    """Return the game's panels, drawn as objects of the library svg.py."""
    return view_of(seen).panels(seen.state, seen.seat, legal)


def view_of(seen: SeatView) -> View:
    """Return the game's view. Raise MissingExtra if svg.py is not installed."""
    try:
        return seen.game.view
    except ModuleNotFoundError as error:
        if error.name != "svg":
            raise
        raise MissingExtra.named("Pictures need", "svg.py", "cli") from None
