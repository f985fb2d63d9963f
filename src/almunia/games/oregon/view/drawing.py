"""The shapes in the pictures of Oregon."""

import svg

from ....core.english import signed
from ....core.svg import MARKS, group_at, label, rect, shape
from .. import components as box
from ..components import BUILT, LANDS, Building, Sort
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

# The pictures of the buildings: shapes from back to front, each as a class and its path.
HILL = "M-15 13Q-13-9 0-11 13-9 15 13Z"
MOUTH = "M-8 13V3Q-8-4 0-4T8 3V13Z"
BUILDINGS = {
    Building.POST_OFFICE: (("wall", "M-13-8.5H13V9H-13Z"), ("fold", "M-13-8.5L0 2.5 13-8.5M-13 9L-4.5-1M13 9L4.5-1")),
    Building.HARBOR: (
        ("ink", "M0-6V12M-6.5-2.5H6.5M-12 3C-11 11-4 12.5 0 12.5S11 11 12 3M0-6.4a3.6 3.6 0 1 0-.1 0Z"),
        ("dark", "M-14.5 4.5l3-6 3 6ZM14.5 4.5l-3-6-3 6Z"),
    ),
    Building.CHURCH: (
        ("wall", "M-11 14V2H11V14Z"),
        ("roof", "M-13.5 3L0-7 13.5 3Z"),
        ("dark", "M-3.5 14V8a3.5 3.5 0 0 1 7 0V14Z"),
        ("ink", "M0-16V-6M-4-12H4"),
    ),
    Building.COAL_MINE: (("hill", HILL), ("dark", MOUTH), ("coal", "M0 2.5a5 5 0 1 0 .1 0Z")),
    Building.GOLD_MINE: (("hill", HILL), ("dark", MOUTH), ("gold", "M0 1L6 7.5 0 14-6 7.5Z")),
    Building.WAREHOUSE: (
        ("wall", "M-12 13V-4H12V13Z"),
        ("roof", "M-14.5-3L-8-11H8L14.5-3Z"),
        ("fold", "M-7 13V1H7V13M-7 1L7 13M7 1L-7 13"),
    ),
    Building.TRAIN_STATION: (
        ("dark", "M-14 6V-12H-2V-3H3V-8H1.5V-12H9.5V-8H8V-3H11Q15-2 14 6Z"),
        ("window", "M-11-9H-5V-3.5H-11Z"),
        ("wheel", "M-9 5a4 4 0 1 0 .1 0ZM1 5a4 4 0 1 0 .1 0ZM10 5.8a3.2 3.2 0 1 0 .1 0Z"),
    ),
}
COAL = "M0 2a4.5 4.5 0 1 0 .1 0Z"
GOLD = "M0 1L5.5 6.5 0 12-5.5 6.5Z"

# The symbols of the tokens: a star for any landscape, and an arrow in a circle.
JOKER = "M0-17L4.5-5.5 17-5.5 7 2 10.5 14 0 6.5-10.5 14-7 2-17-5.5-4.5-5.5Z"
EXTRA = "M-11 3A13 13 0 1 1-5 12L-8 16A18 18 0 1 0-16 1H-21L-13 10-5 1H-11Z"

BODY = "M-11.5 15C-12.5 4-8-1.5-4-2.5A7.4 7.4 0 1 1 4-2.5C8-1.5 12.5 4 11.5 15Z"
HAT = "M-11-9.5Q0-13 11-9.5Q6-11 5-16.5Q0-18.5-5-16.5Q-6-11-11-9.5Z"

PIECE = "ore-piece-"  # id of the symbol of a piece, before its number


def symbol(name: str) -> svg.G:
    filled, lines = SYMBOLS[name]
    return svg.G(class_=["symbol"], elements=[shape(filled, "solid"), *([shape(lines, "stroke")] if lines else [])])


def building(kind: int) -> svg.G:
    return svg.G(elements=[shape(d, f"ore-{name}") for name, d in BUILDINGS[Building(kind)]])


def farmer(*marks: svg.Element) -> Elements:
    return [shape(BODY, "ore-body"), shape(HAT, "ore-hat"), *marks]


def farmer_of(seat: int) -> svg.G:
    mark = group_at(0, 6.5, shape(MARKS[seat], "ore-mark"), scale=0.52)
    shadow = svg.Ellipse(class_=["ore-shadow"], cx=1.5, cy=16, rx=13, ry=4)
    return svg.G(class_=["ore-farmer", f"of-{seat}"], elements=[shadow, *farmer(mark)])


def building_tile(kind: int) -> svg.G:
    shadow, tile = rect(-17.5, -15, 37, 37, "ore-shadow"), rect(-18.5, -18.5, 37, 37, "ore-tile", rx=7)
    return svg.G(elements=[shadow, tile, building(kind)])


def pieces() -> svg.Defs:
    """Return the farmers and buildings as symbols, which `standing` shows."""
    symbols: Elements = []
    for piece in range(BUILT + len(Building)):
        drawn = building_tile(piece - BUILT) if piece >= BUILT else farmer_of(piece)
        drawn.id = f"{PIECE}{piece}"
        symbols.append(drawn)
    return svg.Defs(elements=symbols)


def standing(piece: int) -> svg.Use:
    """Return a piece around 0, 0, on a board that has the symbols of `pieces`."""
    return upright_use(f"{PIECE}{piece}", "standing")


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


def upright_use(symbol: str, *classes: str) -> svg.Use:
    """Return a symbol that stays upright when `view.css` swaps rows and columns of the board."""
    return svg.Use(class_=["upright", *classes], href=f"#{symbol}")


def pill(points: int, y: float = 0) -> Elements:
    """Draw points in a rounded rectangle, which is smaller for 0 points."""
    across, down = (19, 11) if points else (11, 9)
    return [
        rect(-across, y - down, 2 * across, 2 * down, rx=down),
        label(signed(points) if points else 0, 0, y, "points"),
    ]


def promise_classes(points: int, most: bool) -> list[str]:
    return ["promise", *(["poor"] if points <= 0 else ["most"] if most else [])]
