"""The pieces and icons of Alpujarras."""

import svg

from ....core.contract import NONE
from ....core.svg import MARKS, cached_drawing, group_at, label, rect, shape, use
from .. import components as box
from ..components import COLOURS, FRUITS

# --- fruit ---------------------------------------------------------------------------------------------

FRUIT_SHAPES = {
    "orange": (
        ("M-10 1a10 10 0 1 1 20 0 10 10 0 0 1-20 0Z", "skin"),
        ("M0-9Q3-14 9-12 7-7 0-9Z", "leaf"),
        ("M-5-2A6 6 0 0 1-1-6", "shine"),
    ),
    "lemon": (
        ("M-12 3Q-10 1-9-2C-7-9 3-11 8-6Q10-6 12-9 13-4 10-1C9 6 1 10-6 8Q-9 6-12 3Z", "skin"),
        ("M-5-1A6 6 0 0 1 0-5", "shine"),
    ),
    "apple": (
        ("M0-6C-5-10-11-7-10.5 0-9.5 7-4 11.5 0 9.5 4 11.5 9.5 7 10.5 0 11-7 5-10 0-6Z", "skin"),
        ("M0-6Q0-10 3-12.5", "stem"),
        ("M2-9Q7-13 10-10 7-7 2-9Z", "leaf"),
        ("M-6-1A5 5 0 0 1-4-4", "shine"),
    ),
    "cherry": (
        ("M-5-1Q-3-8 5-12.5Q4-6 5.5 1", "stem"),
        ("M-5-1.3a5.8 5.8 0 1 0 .1 0ZM6 .2a5.8 5.8 0 1 0 .1 0Z", "skin"),
        ("M5-12.5Q0-14-4-10 2-8 5-12.5Z", "leaf"),
        ("M-7 4A2.5 2.5 0 0 1-5 2M4 6A2.5 2.5 0 0 1 6 4", "shine"),
    ),
    "grape": (
        ("M0-7V-13", "stem"),
        ("M-6-8a4.3 4.3 0 1 0 .1 0ZM6-8a4.3 4.3 0 1 0 .1 0ZM0-8a4.3 4.3 0 1 0 .1 0Z", "skin"),
        ("M-3.2-1.5a4.3 4.3 0 1 0 .1 0ZM3.2-1.5a4.3 4.3 0 1 0 .1 0ZM0 4a4.3 4.3 0 1 0 .1 0Z", "skin"),
        ("M0-10Q5-15 10-11 5-8 0-10Z", "leaf"),
    ),
}


def fruit_shapes(name: str) -> svg.G:
    """Draw a fruit, about 24 units high."""
    return svg.G(class_=["fruit", name], elements=[shape(d, kind) for d, kind in FRUIT_SHAPES[name]])


# --- icons ----------------------------------------------------------------------------------------------

FARMER = "M-7.5 11.5C-8.5 2-5.5-1-3-2.2A5.6 5.6 0 1 1 3-2.2C5.5-1 8.5 2 7.5 11.5Z"
HAT = "M-9.5-6.5Q0-10.5 9.5-6.5Q5.5-8 4.5-12Q0-13.5-4.5-12Q-5.5-8-9.5-6.5Z"
DROP = "M0-12Q9 0 7 5.5A7.5 7.5 0 0 1-7 5.5Q-9 0 0-12Z"
TICK = "M-9 1L-3 8 9-8"
AWNING, STRIPE = "M-11-4L-9-11H9L11-4Z", "M-4-4L-3-11H3L4-4Z"
STALL = "M-11-4Q-7.5 1-4-4 0 1 4-4 7.5 1 11-4M-9 0V10H9V0M-9 5H9"
SICKLE = "M-2 4C-13 0-10-13 3-12 8-11.5 11-8 11-4 8-9 2-9-1-6-4-3-3 1 1 3Z"
GRIP = "M-1 5L-7 11"
SHIELD = "M-12-12H12V1Q11 10 0 14-11 10-12 1Z"
ARROW = "M-5 0H5M1-4L5 0 1 4"
BASKET, HANDLE, WEAVE = "M-11-1H11L8 10H-8Z", "M-7-1A7.5 8 0 0 1 7-1", "M-9.5 3H9.5M-8.5 7H8.5"
JUMP = "M-14 6C-13-13 11-14 13 2M8.5-2L13 3 17-3"
PLUS = "M0-4V4M-4 0H4"
PADDLES = "M0-12.5V-9M0 9V12.5M-12.5 0H-9M9 0H12.5M-8.8-8.8L-6.4-6.4M6.4 6.4L8.8 8.8M-8.8 8.8L-6.4 6.4M6.4-6.4L8.8-8.8"
TOKEN = -16.5, -18, 33, 36  # left edge, top edge, width and height of a delivery token, around its middle
SPOKES = "M-8.5 0H8.5M0-8.5V8.5M-6-6L6 6M6-6L-6 6"


def icon(name: str, *shapes: svg.Element) -> svg.G:
    return svg.G(class_=["icon", name], elements=[*shapes])


def person(x: float, y: float, scale: float) -> svg.G:
    return group_at(x, y, shape(FARMER, "body"), shape(HAT, "hat"), scale=scale)


ICON_SHAPES = {
    "farmer": icon("farmer", shape(FARMER, "body"), shape(HAT, "hat")),
    "add": icon("add", person(-3, 1, 1), group_at(9, -6, shape(PLUS, "pen"))),
    "add-two": icon("add", person(-6, 3, 0.85), person(6, 3, 0.85), group_at(0, -9, shape(PLUS, "pen"))),
    "move": icon("move", person(-5, 1, 0.95), group_at(8, 4, shape(ARROW, "pen"))),
    "noria": icon(
        "noria",
        shape(PADDLES, "paddles"),
        svg.Circle(class_=["rim"], r=8.5),
        shape(SPOKES, "spokes"),
        svg.Circle(class_=["hub"], r=2.6),
    ),
    "dirhem": icon("dirhem", svg.Circle(class_=["coin"], r=11), svg.Circle(class_=["edge"], r=8.6)),
    "water": icon("water", shape(DROP, "drop"), shape("M-3 5A4 4 0 0 0 0 8.5", "shine")),
    "goal": icon("goal", shape(TICK, "tick")),
    "market": icon("market", shape(AWNING, "awning"), shape(STRIPE, "stripe"), shape(STALL, "pen")),
    "harvest": icon("harvest", shape(SICKLE, "blade"), shape(GRIP, "grip")),
    "fruit": icon("basket", shape(HANDLE, "handle"), shape(BASKET, "wicker"), shape(WEAVE, "weave")),
}


def called(colour: str, fruit: str) -> svg.G:
    """Draw a farmer for the farmland of a colour."""
    small = group_at(7, 6, fruit_shapes(fruit), scale=0.6)
    return icon("called", shape(SHIELD, "shield", colour), person(-3, 0, 0.8), small)


@cached_drawing
def symbols() -> svg.G:
    """Return the definitions of fruits, icons, tokens, mules and farmers, each with an id."""
    drawn: dict[str, svg.Element] = {f"fruit-{name}": fruit_shapes(name) for name in FRUITS}
    drawn |= {f"icon-{name}": shapes for name, shapes in ICON_SHAPES.items()}
    drawn |= {f"icon-{colour}": called(colour, fruit) for colour, fruit in zip(COLOURS, FRUITS, strict=True)}
    drawn["token"] = rect(*TOKEN, "token", rx=5)
    drawn |= {f"mule-of-{seat}": mule_shapes(seat) for seat in range(len(MARKS))}
    drawn |= {f"man-of-{seat}": man_shapes(seat) for seat in range(len(MARKS))}
    return svg.G(elements=[svg.Defs(elements=[svg.G(id=name, elements=[one]) for name, one in drawn.items()])])


# Text never shrinks with its icon, because a picture has one minimum font size.


def sized(elements: list[svg.Element], size: float) -> list[svg.Element]:
    """Return shapes at another scale. No shape may be text."""
    return [group_at(0, 0, *elements, scale=size)]


def number_on(symbol: str, number: int, size: float = 1, x: float = 0, y: float = 0) -> list[svg.Element]:
    """Draw an icon, with its number if greater than 1."""
    found: list[svg.Element] = [use(symbol, x, y, size)]
    return [*found, label(number, x + 10 * size, y + 13 * size, "times")] if number > 1 else found


def dirhems(number: int, size: float = 1, x: float = 0, y: float = 0) -> list[svg.Element]:
    return [use("icon-dirhem", x, y, size), label(number, x, y + 5.7, "value")]


def farmer_symbol(shield: int, two: bool = False) -> str:
    """Return the id of the icon for adding a farmer, or two, to any farmland or to that of the shield."""
    return f"icon-{COLOURS[shield] if shield >= 0 else 'add-two' if two else 'add'}"


def farmer_icon(shield: int) -> list[svg.Element]:
    return [use(farmer_symbol(shield))]


def move_icon() -> list[svg.Element]:
    return [use("icon-move")]


def swap_icon() -> list[svg.Element]:
    return [use("icon-fruit", -6, 0, 0.8), group_at(9, 0, shape(ARROW, "arrow"))]


def item_icon(
    item: int, count: int, shield: int = NONE, size: float = 1, x: float = 0, y: float = 0
) -> list[svg.Element]:
    match item:
        case box.ADD:
            return [use(farmer_symbol(shield, two=count > 1), x, y, size)]
        case box.NORIAS:
            return number_on("icon-noria", count, size, x, y)
        case box.FRUIT:
            return number_on("icon-fruit", count, size, x, y)
    names = {box.MOVE: "move", box.DIG: "water", box.GOAL: "goal", box.MARKET: "market", box.HARVEST: "harvest"}
    return [use(f"icon-{names[item]}", x, y, size)]


# --- seats -----------------------------------------------------------------------------------------------

ZARA_MARK = 4  # the star
MULE = (
    "M-19-2Q-18-10-10-10H4L9-17 8-26 12-19 15-26 17-17 23-11 21-6 14.5-7.5 11.5 0V15H6V6H-7V15H-12.5V4L-15.5 1V9H-19Z"
)


def mark(seat: int) -> svg.Path:
    return shape(MARKS[seat], f"of-{seat}")


def mule_shapes(seat: int) -> svg.G:
    drawn: list[svg.Element] = [
        svg.Ellipse(class_=["shadow"], cy=15.5, rx=18, ry=4),
        shape(MULE, "rimmed"),
        svg.Circle(class_=["pannier"], cx=-3, cy=-3, r=8.8),
        group_at(-3, -3, shape(MARKS[seat]), scale=0.62),
    ]
    return svg.G(class_=["piece-of", f"of-{seat}"], elements=drawn)


def man_shapes(seat: int) -> svg.G:
    brand = group_at(0, 5.5, shape(MARKS[seat], "brand"), scale=0.52)
    return svg.G(
        class_=["piece-of", f"of-{seat}"], elements=[group_at(0, 0, shape(FARMER, "rimmed"), scale=1.2), brand]
    )


def mule(seat: int, faces_left: bool = False) -> svg.Element:
    drawn = use(f"mule-of-{seat}")
    return svg.G(transform=[svg.Scale(-1, 1)], elements=[drawn]) if faces_left else drawn


@cached_drawing
def farmers_figure(seat: int, count: int, x: float, y: float, scale: float = 1) -> svg.G:
    """Draw a farmer of a seat, with the number beside it unless it is 1."""
    drawn: list[svg.Element] = [use(f"man-of-{seat}", 0, 0, scale)]
    if count != 1:
        drawn.append(label(count, 5 + 6 * scale, 9, "count"))
    return group_at(x, y, *drawn, classes=["seat-farmer"])
