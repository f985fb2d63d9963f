"""The pieces and icons of Alpujarras."""

import svg

from ....core.contract import NONE
from ....core.svg import MARKS, cached_drawing, group_at, label, shape, use
from .. import components as box
from ..components import COLOURS, FRUITS

# --- fruit ---------------------------------------------------------------------------------------------

FRUIT_SHAPES = {
    "orange": (
        ("M0-9A9.5 9.5 0 1 1-.1-9Z", "skin"),
        ("M0-9Q3-13 8-12 6-8 0-9Z", "leaf"),
        ("M-4-3A5 5 0 0 1-1-6", "shine"),
    ),
    "lemon": (
        ("M-12 1Q-9-1-8-4-3-10 5-7 9-6 12-8 12-4 10-2 9 6 1 9-6 9-9 4-10 2-12 1Z", "skin"),
        ("M-4-3A6 5 0 0 1 1-5", "shine"),
    ),
    "apple": (
        ("M0-6C-5-10-11-7-10 0-9 7-4 11 0 9 4 11 9 7 10 0 11-7 5-10 0-6Z", "skin"),
        ("M0-6Q0-10 3-12", "stem"),
        ("M2-9Q7-13 10-10 7-7 2-9Z", "leaf"),
    ),
    "cherry": (
        ("M-5-1Q-2-9 6-12Q4-5 5 1", "stem"),
        ("M-5-1A5.5 5.5 0 1 0-4.9-1Z", "skin"),
        ("M5 0A5.5 5.5 0 1 0 5.1 0Z", "skin"),
        ("M6-12Q0-13-3-9 3-8 6-12Z", "leaf"),
    ),
    "grape": (
        ("M0-7V-12", "stem"),
        ("M-5-7a4 4 0 1 0 .1 0ZM5-7a4 4 0 1 0 .1 0ZM0-7a4 4 0 1 0 .1 0Z", "skin"),
        ("M-3 0a4 4 0 1 0 .1 0ZM3 0a4 4 0 1 0 .1 0ZM0 5a4 4 0 1 0 .1 0Z", "skin"),
    ),
}


def fruit_shapes(name: str) -> svg.G:
    """Draw a fruit, about 24 units high."""
    return svg.G(class_=["fruit", name], elements=[shape(d, kind) for d, kind in FRUIT_SHAPES[name]])


# --- icons ----------------------------------------------------------------------------------------------

FARMER = "M-7 11C-8 2-5-1-3-2A5.2 5.2 0 1 1 3-2C5-1 8 2 7 11Z"
HAT = "M-9-6Q0-10 9-6Q5-8 4-11H-4Q-5-8-9-6Z"
DROP = "M0-11Q9 1 6 6A7 7 0 0 1-6 6Q-9 1 0-11Z"
TICK = "M-9 0L-3 7 9-8"
CART = "M-11-8H-7L-4 4H8L10-5H-6M-2 9a1.6 1.6 0 1 0 .1 0ZM6 9a1.6 1.6 0 1 0 .1 0Z"
SICKLE = "M-2 4C-13 0-10-13 3-12 8-11.5 11-8 11-4 8-9 2-9-1-6-4-3-3 1 1 3Z"
HANDLE = "M-1 5L-7 11"
SHIELD = "M-12-12H12V1Q11 10 0 14-11 10-12 1Z"
ARROW = "M-5 0H5M1-4L5 0 1 4"
AGAIN = "M5.5-6.5A8.5 8.5 0 1 0 8.5 1M5.5-12V-6.5H0"
BASKET = "M-10-1H10L7 9H-7ZM-7-1A7 7 0 0 1 7-1"
HOUSE = "M-11 10V-2L0-11 11-2V10Z"
PLUS = "M-4.5 0H4.5M0-4.5V4.5"
SPOKES = "M-9 0H9M0-9V9M-6.4-6.4L6.4 6.4M6.4-6.4L-6.4 6.4"


def icon(name: str, *shapes: svg.Element) -> svg.G:
    return svg.G(class_=["icon", name], elements=[*shapes])


ICON_SHAPES = {
    "farmer": icon("farmer", shape(FARMER, "body"), shape(HAT, "hat")),
    "noria": icon(
        "noria", svg.Circle(class_=["rim"], r=10), shape(SPOKES, "spokes"), svg.Circle(class_=["hub"], r=2.6)
    ),
    "dirhem": icon("dirhem", svg.Circle(class_=["coin"], r=11), svg.Circle(class_=["edge"], r=8.4)),
    "water": icon("water", shape(DROP, "drop"), shape("M-3 5A4 4 0 0 0 0 8", "shine")),
    "goal": icon("goal", shape(TICK, "tick")),
    "market": icon("market", shape(CART, "pen")),
    "harvest": icon("harvest", shape(SICKLE, "blade"), shape(HANDLE, "handle")),
    "fruit": icon("basket", shape(BASKET, "pen")),
    "again": icon("again", shape(AGAIN, "pen")),
}


@cached_drawing
def symbols() -> svg.G:
    """Return the definitions of fruits, icons and patterns, each with an id."""
    fruit = [svg.G(id=f"fruit-{name}", elements=[fruit_shapes(name)]) for name in FRUITS]
    icons = [svg.G(id=f"icon-{name}", elements=[drawn]) for name, drawn in ICON_SHAPES.items()]
    return svg.G(elements=[svg.Defs(elements=[*fruit, *icons, *patterns()])])


PATTERNS = (  # distinguish farmlands without colours
    "M0 14L14 0",
    "M0 7H14",
    "M3 3h1M10 10h1",
    "M0 0L14 14",
    "M7 0V14",
)


def patterns() -> list[svg.Element]:
    found: list[svg.Element] = []
    for colour, d in zip(COLOURS, PATTERNS, strict=True):
        ground: list[svg.Element] = [svg.Rect(class_=["ground"], width=14, height=14), shape(d, "lines")]
        found.append(
            svg.Pattern(
                id=f"soil-{colour}",
                class_=["soil", colour],
                width=14,
                height=14,
                patternUnits="userSpaceOnUse",
                elements=ground,
            )
        )
    return found


# Text never shrinks with its icon, because a picture has one minimum font size.


def sized(elements: list[svg.Element], size: float) -> list[svg.Element]:
    """Return shapes at another scale. No shape may be text."""
    return [group_at(0, 0, *elements, scale=size)]


def number_on(symbol: str, number: int, size: float = 1) -> list[svg.Element]:
    """Draw an icon, with its number if greater than 1."""
    found: list[svg.Element] = [use(symbol, 0, 0, size)]
    return [*found, label(number, 5 * size, 11 * size + 1, "times")] if number > 1 else found


def dirhems(number: int, size: float = 1) -> list[svg.Element]:
    return [use("icon-dirhem", 0, 0, size), label(number, 0, 5.7, "value")]


def farmer_icon(shield: int, two: bool = False) -> list[svg.Element]:
    if shield >= 0:
        return [
            shape(SHIELD, "shield", COLOURS[shield]),
            use("icon-farmer", -3, 0, 0.8),
            use(f"fruit-{FRUITS[shield]}", 7, 6, 0.55),
        ]
    if two:
        return [use("icon-farmer", -6, 2, 0.8), use("icon-farmer", 6, 2, 0.8), group_at(0, -9, shape(PLUS, "plus"))]
    return [use("icon-farmer", -2, 0), group_at(9, -7, shape(PLUS, "plus"))]


def move_icon() -> list[svg.Element]:
    return [use("icon-farmer", -5, 0, 0.85), group_at(8, 2, shape(ARROW, "arrow"))]


def swap_icon() -> list[svg.Element]:
    return [use("icon-fruit", -6, 0, 0.8), group_at(9, 0, shape(ARROW, "arrow"))]


def item_icon(item: int, count: int, shield: int = NONE, size: float = 1) -> list[svg.Element]:
    match item:
        case box.ADD:
            return sized(farmer_icon(shield, two=count > 1), size)
        case box.MOVE:
            return sized(move_icon(), size)
        case box.NORIAS:
            return number_on("icon-noria", count, size)
        case box.FRUIT:
            return number_on("icon-fruit", count, size)
    names = {box.DIG: "water", box.GOAL: "goal", box.MARKET: "market", box.HARVEST: "harvest"}
    return [use(f"icon-{names[item]}", 0, 0, size)]


# --- seats -----------------------------------------------------------------------------------------------

ZARA_MARK = 4  # the star
MULE = 12  # radius of a mule, without the outer edge of its lines
MULE_SHAPE = "M-15 10V-4Q-15-8-10-8H4L8-16 11-15 11-11 16-7 14-4 9-4 7 1V10H3V2H-9V10Z"


def mark(seat: int) -> svg.Path:
    return shape(MARKS[seat], f"of-{seat}")


def mule(seat: int) -> list[svg.Element]:
    return [
        svg.Circle(class_=["saddle", f"of-{seat}"], r=10.5),
        group_at(-1, 1, shape(MULE_SHAPE, f"of-{seat}"), scale=0.5),
        group_at(6.5, -6.5, svg.Circle(class_=["saddle", f"of-{seat}"], r=5.5), group_at(0, 0, mark(seat), scale=0.36)),
    ]


@cached_drawing
def farmers_figure(seat: int, count: int, x: float, y: float, lying: bool = False) -> svg.G:
    """Draw farmers of a seat as one figure, with their number unless it is 1."""
    body = svg.G(
        class_=["seat-farmer", f"of-{seat}"],
        transform=[svg.Rotate(-90)] if lying else [],
        elements=[shape(FARMER, "body"), group_at(0, 4, shape(MARKS[seat], "brand"), scale=0.38)],
    )
    return group_at(x, y, body, label(count, 10, 6, "count")) if count != 1 else group_at(x, y, body)
