"""The icons of Caylus, each centred at 0, 0, and rows of icons."""

from functools import partial

import svg

from ....core.svg import MARKS, cached_drawing, group_at, label, rect as rounded, shape
from ..components import CUBES

Icon = tuple[str, int]  # name and number: of cubes, or the number printed on the icon
rect = partial(rounded, rx=7)


def title(words: str, x: float, y: float, room: float, *classes: str) -> svg.Text:
    """Draw a name, condensed to `room` if its letters may need more."""
    line = label(words, x, y, "name", *classes)
    if len(words) * LETTER > room:
        line.textLength, line.lengthAdjust = room, "spacingAndGlyphs"
    return line


SHAPES = {  # each kind of cube has a shape as well as a colour
    "food": "M0-9A9 9 0 1 1-.1-9Z",
    "wood": "M-10-5H10V5H-10ZM-6-5V5M-1-5V5M5-5V5",
    "stone": "M-8 7L-10-2-3-9 6-8 10 1 6 8Z",
    "cloth": "M-8-9H8L5 0 8 9H-8L-5 0Z",
    "gold": "M-5-7H5L10 7H-10Z",
    "any": "M-9-9H9V9H-9Z",
    "common": "M-9-9H9V9H-9Z",
    "question": "M-3-2.5A3 3 0 1 1 1 .5Q0 1 0 2.5M0 5.5V6",
    "arrow": "M-7 0H6M1-5L6 0 1 5",
    "or": "M3-9L-3 9",
    "points": "M0-12L11-5V6L0 13-11 6V-5Z",
    "favour": "M-11 8V-6L-5 0 0-10 5 0 11-6V8Z",
    "wood house": "M-10 10V-2L0-11 10-2V10ZM-10 2H10M-10 6H10",
    "stone house": "M-10 10V-2L0-11 10-2V10ZM-10 2H10M0-11V2M-5 2V10M5 2V10",
    "prestige house": "M-10 10V-8L-5-3 0-11 5-3 10-8V10Z",
    "residence": "M-10 10V-2L0-11 10-2V10ZM-3 10V3H3V10",
    "income": "M0-10V4M-5-1L0 4 5-1",
    "worker": "M-8 11C-8 3-5 1-3 0A5.5 5.5 0 1 1 3 0C5 1 8 3 8 11Z",
    "home": "M-9 8V-1L0-9 9-1V8Z",
    "provost": "M-9 11L-6-2A6.5 6.5 0 1 1 6-2L9 11Z",
    "order": "M-9-9H9V-3H-9ZM-9 3H3V9H-9Z",
    "gate": "M-11 10V-10H11V10H5V0A5 5 0 0 0-5 0V10Z",
    "inn": "M-12 6H12M-12-4V10M12 6V10M-12 6V1H3A9 5 0 0 1 12 6",
}
WIDTHS = {"arrow": 16, "or": 8, "points": 25, "favour": 26, "coin": 25}  # USUAL for other icons
USUAL = 23
LETTER = 10  # the width of a letter in a wide font
NUMBERED = ("coin", "points")  # icons that show their number


@cached_drawing
def mark(seat: int) -> svg.Path:
    return shape(MARKS[seat], "mark", f"of-{seat}")


@cached_drawing
def worker(seat: int, beyond: bool = False) -> svg.G:
    brand = group_at(0, 5, shape(MARKS[seat], "brand"), scale=0.42)
    return svg.G(
        class_=["worker", *(["beyond"] if beyond else [])], elements=[shape(SHAPES["worker"], f"of-{seat}"), brand]
    )


@cached_drawing
def walker(name: str) -> svg.G:
    letter = label(name[0].upper(), 0, 8, "letter")
    return svg.G(
        class_=["walker", name], elements=[svg.Title(text=name.capitalize()), shape(SHAPES["provost"]), letter]
    )


def width_of(icon: Icon) -> int:
    """Return the width of an icon in a row."""
    name, count = icon
    width = WIDTHS.get(name, USUAL)
    return width + 12 if count > 2 and name not in NUMBERED else width * (count if name in CUBES and count == 2 else 1)


def drawn(icon: Icon) -> list[svg.Element]:
    """Draw an icon of a row, centred at 0, 0."""
    name, count = icon
    if name == "coin":
        return [svg.Circle(class_=["coin"], r=11), label(count, 0, 5.5, "value")]
    if name == "points":
        return [shape(SHAPES[name], "points"), label(count, 0, 5.5, "value")]
    piece: list[svg.Element] = [shape(SHAPES[name], "icon", *name.split(), *(["cube"] if name in CUBES else []))]
    if name in ("any", "common"):
        piece.append(shape(SHAPES["question"], "question"))
    if count == 2 and name in CUBES:
        return [group_at(-USUAL / 2, 0, *piece), group_at(USUAL / 2, 0, *piece)]
    if count > 1:
        return [label(count, -11, 6, "count"), group_at(6, 0, *piece)]
    return [*piece]


def row(icons: tuple[Icon, ...], room: float = 126) -> svg.G:
    """Draw icons in a row centred at 0, 0, scaled down if the room is too small."""
    total = sum(map(width_of, icons))
    scale = min(1, round(room / max(total, 1), 2))
    x, found = -total / 2, list[svg.Element]()
    for icon in icons:
        found.append(group_at(round(x + width_of(icon) / 2, 1), 0, *drawn(icon)))
        x += width_of(icon)
    return group_at(0, 0, *found, scale=scale)
