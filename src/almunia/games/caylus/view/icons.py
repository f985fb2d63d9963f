"""Rows of icons, such as a trade: what is paid, an arrow, and what is gained."""

from functools import partial

import svg

from ....core.svg import label, rect as rounded, use
from ..components import CUBES

Icon = tuple[str, int]  # name and number: of cubes, or the number printed on the icon
rect = partial(rounded, rx=7)

WIDTHS = {"arrow": 10.8, "or": 8, "points": 20, "favour": 20, "coin": 19, "owner": 15, "income": 15, "exchange": 40}
USUAL = 17.6  # the width of other icons
FIGURE = 9  # the width of a number before an icon
LETTER = 9.6  # the width of a letter in a wide font
NUMBERED = ("coin", "points")  # icons that show their number


def fitted(words: str, x: float, y: float, room: float, *classes: str) -> svg.Text:
    """Draw a line of text, condensed to `room` if its letters may need more."""
    line = label(words, x, y, *classes)
    if len(words) * LETTER > room:
        line.textLength, line.lengthAdjust = room, "spacingAndGlyphs"
    return line


def whole(number: float) -> float:
    """Return a number rounded to one decimal, as an integer if it is whole, which is shorter in a picture."""
    rounded_number = round(number, 1)
    return int(rounded_number) if rounded_number == int(rounded_number) else rounded_number


def is_pair(icon: Icon) -> bool:
    return icon[0] in CUBES and icon[1] == 2


def width_of(icon: Icon, paired: bool) -> float:
    """Return the width of an icon in a row, where two cubes are drawn twice if `paired`, or else by their number."""
    name, count = icon
    width = WIDTHS.get(name, USUAL)
    if count == 1 or name in NUMBERED:
        return width
    return 2 * width if paired and is_pair(icon) else FIGURE + width


def drawn(icon: Icon, x: float = 0, paired: bool = True) -> list[svg.Element]:
    """Draw an icon of a row, centred at x, 0."""
    name, count = icon
    if name in NUMBERED:
        return [use(f"i-{name}", x), label(count, x, 4.6, f"on-{name}")]
    if count == 1:
        return [use(f"i-{name}", x)]
    if paired and is_pair(icon):
        return [use(f"i-{name}", x - USUAL / 2), use(f"i-{name}", x + USUAL / 2)]
    return [label(count, x - USUAL / 2, 4.6, "middle"), use(f"i-{name}", x + FIGURE / 2)]


def row(
    icons: tuple[Icon, ...], x: float = 0, y: float = 0, room: float = 126, scale: float = 1, centred: bool = True
) -> svg.G:
    """Draw icons in a row that begins at x, y, or is centred there. A row wider than `room` is scaled down."""
    paired = sum(width_of(icon, paired=True) for icon in icons) <= room
    widths = [width_of(icon, paired) for icon in icons]
    total = sum(widths)
    scale = round(min(scale, room / max(total, 1)), 2)
    at, found = -total / 2 if centred else 0, list[svg.Element]()
    for icon, width in zip(icons, widths, strict=True):
        found += drawn(icon, whole(at + width / 2), paired)
        at += width
    steps: list[svg.Transform] = [svg.Translate(x, y)]
    return svg.G(transform=steps + ([svg.Scale(scale)] if scale != 1 else []), elements=found)
