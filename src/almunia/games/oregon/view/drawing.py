"""The shapes in the pictures of Oregon."""

import svg

from ....core.english import signed
from ....core.svg import MARKS, group_at, label, rect, shape
from .. import components as box
from ..components import BUILT, LANDS, Building, Sort, Terrain
from ..text.words import SORTS

Elements = list[svg.Element]

# The shapes of the symbols, by id in the data: filled shapes, then lines.
SYMBOLS = {
    "settler": (
        "M-14 15C-14 6-8 3-4 2.5L0 6 4 2.5C8 3 14 6 14 15ZM-12-6H12V-4H-12ZM-6-6C-7-14-4-15 0-13 4-15 7-14 6-6Z",
        "M-4-2C-4 2 4 2 4-2",
    ),
    "wagon": (
        "M-15 2C-17-8-12-14-7-13-3-15 3-15 7-13 12-14 17-8 15 2ZM-15 3H15L13 8H-13Z",
        "M-9 6.5a4.5 4.5 0 1 0 .1 0M9 6.5a4.5 4.5 0 1 0 .1 0M-5-13C-8-8-8-3-6 2M5-13C8-8 8-3 6 2",
    ),
    "campfire": (
        "M0-16C7-9 10-4 8 3 7 8-7 8-8 3-9-1-6-3-5-8-3-6-1-5 0-3 2-7 1-12 0-16Z",
        "M-14 15L13 8M14 15L-13 8",
    ),
    "bison": (
        "M-16 2C-17-4-13-8-9-8-6-14 4-14 7-6 12-6 16-3 16 4L15 13H11L10 6H0L-2 13H-6L-7 8C-11 11-15 8-16 2Z",
        "M-14-6C-17-8-17-11-15-13M16 2C19 4 18 8 17 9",
    ),
    "eagle": (
        "M0-9C3-10 5-8 7-5L4-5C9-7 14-10 18-13 18-5 12 1 5 4L7 13 0 10-7 13-5 4C-12 1-18-5-18-13-14-10-9-7-4-5L-3-8Z",
        "",
    ),
}

# The shapes of the buildings: filled shapes, lines, and inner lines.
BUILDINGS = {
    Building.POST_OFFICE: ("M-13-9H13V9H-13Z", "", "M-13-9L0 2 13-9M-13 9L-4-1.5M13 9L4-1.5"),
    Building.HARBOR: ("", "M0-7V12M-7-3H7M-12 3C-11 11-4 12 0 12S11 11 12 3M0-7a3.5 3.5 0 1 0-.1 0", ""),
    Building.CHURCH: ("M-11 13V1L0-6 11 1V13H3.5V6H-3.5V13Z", "M0-15V-6M-4-12H4", ""),
    Building.COAL_MINE: ("M-14 12L-9-9H9L14 12H8V2C8-7-8-7-8 2V12Z", "", ""),
    Building.GOLD_MINE: ("M-14 12L-9-9H9L14 12H8V2C8-7-8-7-8 2V12Z", "", ""),
    Building.WAREHOUSE: ("M-12-6L0-13 12-6V12H-12Z", "", "M-8 12V-1H8V12M-8-1L8 12M8-1L-8 12"),
    Building.TRAIN_STATION: (
        "M-13 6V-11H-2V-3H3V-9H1V-12H9V-9H7V-3H12C14-1 14 4 13 6Z",
        "M-8 7.5a3.5 3.5 0 1 0 .1 0M2 7.5a3.5 3.5 0 1 0 .1 0M10 7.5a3.5 3.5 0 1 0 .1 0",
        "M-10-8H-5V-3H-10Z",
    ),
}
COAL = "M0 2a4.5 4.5 0 1 0 .1 0Z"
GOLD = "M0 1L5.5 6.5 0 12-5.5 6.5Z"

# The shapes of the terrains.
TERRAINS = {
    Terrain.PLAIN: "M-13 9l2-6 2 6M7-7l2-6 2 6",
    Terrain.MOUNTAIN: "M-18 15L-6-10 1 4 7-5 18 15M-9-4l3 3 3-2M4 0l3 2 3-2",
    Terrain.RAIL: "M-20-5H20M-20 5H20M-15-9V9M-7.5-9V9M0-9V9M7.5-9V9M15-9V9",
    Terrain.WATER: "M-17-7q4-5 8.5 0t8.5 0 8.5 0 8.5 0M-17 7q4-5 8.5 0t8.5 0 8.5 0 8.5 0",
}

# The symbols of the tokens: a star for any landscape, and an arrow in a circle.
JOKER = "M0-17L4.5-5.5 17-5.5 7 2 10.5 14 0 6.5-10.5 14-7 2-17-5.5-4.5-5.5Z"
EXTRA = "M-11 3A13 13 0 1 1-5 12L-8 16A18 18 0 1 0-16 1H-21L-13 10-5 1H-11Z"

BODY = "M-10 14C-11 4-7-1 0-1S11 4 10 14Z"
HEAD = "M0-14a6.5 6.5 0 1 0 .1 0Z"


def symbol(name: str) -> svg.G:
    filled, lines = SYMBOLS[name]
    return svg.G(class_=["symbol"], elements=[shape(filled, "solid"), *([shape(lines, "stroke")] if lines else [])])


def building(kind: int) -> svg.G:
    filled, lines, inner = BUILDINGS[Building(kind)]
    elements: Elements = [shape(d, name) for d, name in ((filled, "solid"), (lines, "stroke"), (inner, "inner")) if d]
    if kind in (Building.COAL_MINE, Building.GOLD_MINE):
        elements.append(shape(COAL, "coal") if kind == Building.COAL_MINE else shape(GOLD, "gold"))
    return svg.G(class_=["symbol"], elements=elements)


def farmer_alone() -> Elements:
    return [shape(BODY, "body"), shape(HEAD, "body")]


def farmer(seat: int) -> Elements:
    return [*farmer_alone(), group_at(0, 6.6, shape(MARKS[seat], "mark"), scale=0.42)]


def standing(piece: int) -> svg.G:
    if piece >= BUILT:
        return building_tile(piece - BUILT)
    return svg.G(class_=["farmer", f"of-{piece}"], elements=farmer(piece), transform=[svg.Scale(1.15, 1.15)])


def building_tile(kind: int) -> svg.G:
    edge = rect(-19, -19, 38, 38, rx=6)
    return svg.G(class_=["built", Building(kind).name.lower()], elements=[edge, building(kind)])


def face_down(sort: int) -> svg.G:
    mark = shape(COAL, "coal") if sort == Sort.COAL else shape(GOLD, "gold")
    mark.transform = [svg.Translate(0, -11), svg.Scale(1.7, 1.7)]
    return svg.G(class_=["tile", SORTS[sort]], elements=[rect(-17, -17, 34, 34, rx=5), mark])


def token(sign: str) -> Elements:
    return [svg.Circle(r=23), group_at(0, 0, shape(sign, "sign"), scale=0.88)]


def on_card(kind: int) -> svg.G:
    return symbol(box.SYMBOLS[kind]) if kind < LANDS else building(kind - LANDS)


def upright(x: float, y: float, *elements: svg.Element) -> svg.G:
    """Return a group of shapes at x, y that stay upright when `view.css` swaps rows and columns of the board."""
    return group_at(x, y, svg.G(class_=["upright"], elements=[*elements]))


def pill(points: int, y: float = 0) -> Elements:
    """Draw points in a rounded rectangle, which is smaller for 0 points."""
    across, down = (19, 11) if points else (11, 9)
    return [
        rect(-across, y - down, 2 * across, 2 * down, rx=down),
        label(signed(points) if points else 0, 0, y, "points"),
    ]


def promise_classes(points: int, most: bool) -> list[str]:
    return ["promise", *(["poor"] if points <= 0 else ["most"] if most else [])]
