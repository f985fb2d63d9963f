"""Pictures of positions: a game's panels for a page, or all panels but supply and secondary ones as one SVG.

`PictureCache` stores a picture by the function that draws it and the function's arguments, for all seats, spectators,
positions and plays. Choices are added to the text of a picture afterwards. So a player who may choose and a spectator
share a drawing.
"""

import re
import sys
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import chain
from threading import Lock
from typing import NamedTuple

from ..core.contract import Overlay, Panel, Role, View
from ..errors import MissingExtra
from .describe import SeatView

ID = re.compile(r'(?<![\w-])id="([^"]+)"')
MANY_DECIMALS = re.compile(r"\.\d{4,}")
TAG = re.compile(r'<(?P<name>\w+)(?:[^>"]|"[^"]*")*?(?P<is_empty>/?)>')
VIEW_BOX = re.compile(r' viewBox="[^"]*"')
CLASS = re.compile(r' class="')
PICTURE_END = "</svg>"
PLAIN_ROLE, CLICKABLE_ROLE = ' role="img"', ' role="group"'  # of `core.svg.canvas`, and of a picture with choices
MAX_PICTURE_BYTES = 32 * 2**20  # of the texts in a cache: 500 boards of Caylus, the largest
GAP = 24  # between panels in one picture, and around them
SIDE_SHARE = 0.42  # height of a side panel, as a share of the main picture's
MIN_SIDE_HEIGHT = 150  # of a side panel
SHEET_ROLES = (Role.SUPPLY, Role.SECONDARY)  # of panels that pages show on request
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


class RenderedOverlay(NamedTuple):
    """An overlay as text."""

    panel: str
    target: str  # id of an element, or empty for the picture
    attributes: str  # of the element, each with a space before it
    classes: str  # of the element, with a space after them
    svg: str  # drawn at the end of the element
    view_box: tuple[float, float, float, float] | None  # of the picture, if it shows more


class Element(NamedTuple):
    """The positions of an element in the text of a picture."""

    name_end: int  # the end of the name of its opening tag
    class_at: int  # the start of the value of its attribute `class`, or 0
    tag_end: int  # the position of the `>` or `/>` of its opening tag
    end: int  # the position of its closing tag; `tag_end` if it is empty


@dataclass(frozen=True)
class Picture:
    """The drawing of a panel as text, without choices."""

    svg: str
    digest: str  # a short hash of the text
    size: tuple[float, float]  # width and height in its own units
    elements: dict[str, Element] = field(default_factory=dict, repr=False, compare=False)  # cached, by id

    def element(self, name: str) -> Element:
        found = self.elements.get(name)
        if found is None:
            found = self.elements[name] = find_element(self.svg, name)
        return found


class PictureCache:
    """A cache of the pictures used last, by the drawing function and its arguments. Threads may share the cache."""

    def __init__(self, max_bytes: int = MAX_PICTURE_BYTES) -> None:
        self._max_bytes, self._bytes = max_bytes, 0
        self._lock = Lock()
        self._pictures: OrderedDict[object, Picture] = OrderedDict()
        self.drawn_count = 0  # number of pictures that were drawn because they were not cached

    def __len__(self) -> int:
        return len(self._pictures)

    def get(self, panel: Panel) -> Picture:
        """Return the picture of a panel. Draw the panel if its picture is not cached."""
        key = panel.draw, panel.key
        with self._lock:
            if found := self._pictures.get(key):
                self._pictures.move_to_end(key)
                return found
        drawn = draw_picture(panel)  # without the lock: a second thread may draw the same picture
        with self._lock:
            self.drawn_count += 1
            if self._pictures.setdefault(key, drawn) is drawn:
                self._bytes += sys.getsizeof(drawn.svg)
                self._drop_oldest()
        return drawn

    def clear(self) -> None:
        with self._lock:
            self._pictures.clear()
            self._bytes = 0

    def _drop_oldest(self) -> None:
        """Drop the pictures used longest ago until the limit is kept."""
        while self._bytes > self._max_bytes and self._pictures:
            _, oldest = self._pictures.popitem(last=False)
            self._bytes -= sys.getsizeof(oldest.svg)


PICTURES = PictureCache()  # of this process


def draw_picture(panel: Panel) -> Picture:
    drawing = panel.picture
    box = drawing.viewBox
    assert box, "drawn without `core.svg.canvas`"
    text = round_numbers(str(drawing))
    return Picture(text, short_digest(text), (float(box.width), float(box.height)))


def short_digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


def panels(seen: SeatView, legal: Sequence[int] = (), cache: PictureCache = PICTURES) -> list[RenderedPanel]:
    """Return the rendered panels of a position as its seat sees it, the board first.

    The pictures offer the actions in `legal`. Raise MissingExtra if svg.py is not installed.
    """
    return assemble(describe_panels(seen), render_overlays(seen, legal), cache)


def describe_panels(seen: SeatView) -> list[Panel]:
    return view_of(seen).panels(seen.state, seen.seat)


def render_overlays(seen: SeatView, legal: Sequence[int]) -> list[RenderedOverlay]:
    if not legal:
        return []
    return [render_overlay(one) for one in view_of(seen).choices(seen.state, seen.seat, legal)]


def render_overlay(overlay: Overlay) -> RenderedOverlay:
    attributes = "".join(f' data-{name}="{escape(str(value))}"' for name, value in overlay.data.items())
    classes = "".join(f"{name} " for name in overlay.classes)
    drawn = "" if overlay.drawing is None else round_numbers(str(overlay.drawing))
    box = overlay.view_box
    frame = (float(box.min_x), float(box.min_y), float(box.width), float(box.height)) if box else None
    return RenderedOverlay(overlay.panel, overlay.target, attributes, classes, drawn, frame)


def assemble(
    described: Sequence[Panel], overlays: Iterable[RenderedOverlay], cache: PictureCache = PICTURES
) -> list[RenderedPanel]:
    """Return described panels with their pictures and overlays.

    Raise ValueError for an overlay of an unknown panel or element, or a drawing for an element without content.
    """
    by_panel: dict[str, list[RenderedOverlay]] = {panel.name: [] for panel in described}
    for overlay in overlays:
        if overlay.panel not in by_panel:
            raise ValueError(f"Choices are drawn over the panel {overlay.panel!r}; there are: {', '.join(by_panel)}.")
        by_panel[overlay.panel].append(overlay)
    rendered = []
    for panel in described:
        picture, over = cache.get(panel), by_panel[panel.name]
        text, digest, size = picture.svg, picture.digest, picture.size
        if over:
            text, digest = overlaid(picture, over), short_digest(chr(0).join([digest, *map(str, chain(*over))]))
            size = next((one.view_box[2:] for one in over if one.view_box), size)
        about = panel.role, panel.seat, digest, size, panel.min_font_size
        rendered.append(RenderedPanel(panel.name, panel.title, text, *about))
    return rendered


def overlaid(picture: Picture, overlays: Sequence[RenderedOverlay]) -> str:
    text, end = picture.svg, len(picture.svg) - len(PICTURE_END)
    inserted: list[tuple[int, int, str]] = []  # position, order at that position, text
    for order, overlay in enumerate(overlays):
        if not overlay.target:
            inserted.append((end, order, overlay.svg))
            continue
        element = picture.element(overlay.target)
        if overlay.classes and element.class_at:
            inserted.append((element.class_at, order, overlay.classes))
        elif overlay.classes:
            inserted.append((element.name_end, order, f' class="{overlay.classes.strip()}"'))
        if overlay.attributes:
            inserted.append((element.tag_end, order, overlay.attributes))
        if overlay.svg:
            if element.end == element.tag_end:
                raise ValueError(f"Nothing can be drawn in the element {overlay.target!r}, which is empty.")
            inserted.append((element.end, order, overlay.svg))
    written, done = [], 0
    for position, _, new in sorted(inserted):
        written += [text[done:position], new]
        done = position
    whole = "".join([*written, text[done:]]).replace(PLAIN_ROLE, CLICKABLE_ROLE, 1)
    box = next((one.view_box for one in overlays if one.view_box), None)
    return VIEW_BOX.sub(f' viewBox="{" ".join(f"{at:g}" for at in box)}"', whole, count=1) if box else whole


def find_element(text: str, name: str) -> Element:
    """Return the positions of the element with this id in the text of a picture.

    Raise ValueError if the picture has no such element.
    """
    at = text.find(f' id="{name}"')
    if at < 0:
        raise ValueError(f"Choices belong to the element {name!r}, which the picture lacks.")
    start = text.rfind("<", 0, at)
    tag = TAG.match(text, start)
    assert tag
    found = CLASS.search(text, start, tag.end())
    tag_end = tag.end() - (2 if tag["is_empty"] else 1)
    end = tag_end if tag["is_empty"] else closing_tag(text, tag.end(), tag["name"])
    return Element(tag.end("name"), found.end() if found else 0, tag_end, end)


def closing_tag(text: str, start: int, name: str) -> int:
    depth = 1
    for tag in tags_named(name).finditer(text, start):
        if tag["closes"]:
            depth -= 1
            if not depth:
                return tag.start()
        elif not tag["is_empty"]:
            depth += 1
    raise ValueError(f"An element {name!r} has no closing tag.")


@lru_cache(32)
def tags_named(name: str) -> re.Pattern[str]:
    return re.compile(rf'<(?P<closes>/?){name}\b(?:[^>"]|"[^"]*")*?(?P<is_empty>/?)>')


def preview(seen: SeatView, action: int) -> str:
    """Return the elements that an action would add to the main picture, as one SVG `<g>`."""
    return round_numbers(str(view_of(seen).preview(seen.state, seen.seat, action)))


def compose_svg(seen: SeatView, legal: Sequence[int] = ()) -> str:
    """Return one SVG of all panels except supply and secondary ones, with its own styles."""
    main, *sides = (panel for panel in panels(seen, legal) if panel.role not in SHEET_ROLES)
    import svg  # after `panels`, which raises MissingExtra without it

    width, height = main.size
    pictures = [place(main, GAP, GAP, 1)]
    right, below, y = width + 2 * GAP, height + 2 * GAP, float(GAP)
    for panel in sides:
        scale = max(SIDE_SHARE * height, MIN_SIDE_HEIGHT) / panel.size[1]
        if scale * panel.size[0] > MAX_SIDE_WIDTH * width:
            scale = width / panel.size[0]
            pictures.append(place(panel, GAP, below, scale))
            below += scale * panel.size[1] + GAP
            continue
        pictures.append(place(panel, width + 2 * GAP, y, scale))
        right = max(right, width + 3 * GAP + scale * panel.size[0])
        y += scale * panel.size[1] + GAP
    box = svg.ViewBoxSpec(0, 0, round(right), round(max(below, y)))
    ground = svg.Rect(width=box.width, height=box.height, rx=14, fill="var(--soil)")
    style = svg.Style(text=styles(seen))
    title = svg.Title(text=seen.game.meta.title)
    whole = str(svg.SVG(viewBox=box, width=box.width, height=box.height, elements=[title, style, ground]))
    return "".join([whole.removesuffix(PICTURE_END), *pictures, PICTURE_END])


def place(panel: RenderedPanel, x: float, y: float, scale: float) -> str:
    width, height = panel.size
    spot = {"x": x, "y": y, "width": scale * width, "height": scale * height}
    return panel.svg.replace("<svg", "<svg" + "".join(f' {name}="{round(at, 1)}"' for name, at in spot.items()), 1)


def round_numbers(text: str) -> str:
    """Return the text with numbers rounded to three decimals.

    A thousandth is far below a pixel, and a test for leaks could mistake further digits for hidden numbers.
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
    return f"{float(number):.3f}".rstrip("0").rstrip(".")


def ids_of(drawing: str) -> list[str]:
    return ID.findall(drawing)


def styles(seen: SeatView) -> str:
    palette = files(__package__).joinpath("palette.css").read_text("utf-8")
    return palette + (seen.game.file("view.css").read_text("utf-8") if seen.game.has_pictures else "")


def view_of(seen: SeatView) -> View:
    """Return the game's view. Raise MissingExtra if svg.py is not installed."""
    try:
        return seen.game.view
    except ModuleNotFoundError as error:
        if error.name != "svg":
            raise
        raise MissingExtra.named("Pictures need", "svg.py", "cli") from None
