"""The shapes in the pictures of Orchard."""

import svg

from ....core.english import signed
from ....core.svg import cached_drawing, group_at, label, rect, shape, use
from .. import components as box
from ..components import Fruit
from ..text.words import FRUITS

U = 56  # side of a tree's cell
DIE = 13  # half a die

CANOPY = (
    "M0-24C8-26 17-21 19-14 26-10 27-1 23 5 24 13 17 20 9 20 "
    "4 25-5 25-9 20-17 20-24 13-23 5-27-1-26-10-19-14-17-21-8-26 0-24Z"
)
APPLE = "M0-5C-3-8-9-6-8 0-7.5 5-3 8 0 7 3 8 7.5 5 8 0 9-6 3-8 0-5Z"
PEAR = "M0-8C-3-8-3.5-4-4-1-7 1-8 8 0 8 8 8 7 1 4-1 3.5-4 3-8 0-8Z"
PLUM = "M0-8C6-7 8-1 6 4 4 8-2 9-5 6-9 2-7-7 0-8Z"
CLEFT = "M0-8Q-3 0 1 7"
STEMS = ("M0-5Q.5-8 3-9", "M0-8Q0-10 2-10", "M0-8Q0-10 2-10")
FRUIT_PLACES = ((-10, -3), (10, -4), (0, 11))
SPOILT = "M-8-8L8 8M8-8L-8 8"


@cached_drawing
def card(number: int, turned: int, symbols: str) -> list[svg.Element]:
    """Draw a card with its top left corner at 0, 0. `symbols` is the prefix of the ids of the tree shapes."""
    width, height = box.WIDTH[turned] * U, box.HEIGHT[turned] * U
    elements: list[svg.Element] = [rect(1.5, 1.5, width - 3, height - 3, "face", rx=9)]
    for k in range(box.TREES):
        x, y = (box.RIGHT[turned, k] + 0.5) * U, (box.DOWN[turned, k] + 0.5) * U
        elements.append(use(f"{symbols}-{FRUITS[box.FRUIT[number, turned, k]]}", x, y))
    half = 12 if number < 10 else 17  # wide enough for the digits, as the trees around are dark
    ground = rect(-half, -12, 2 * half, 24, rx=12)
    return [*elements, group_at(width / 2, height / 2, ground, label(number), classes=["number"])]


@cached_drawing
def shapes(symbols: str) -> svg.Defs:
    """Return the three tree shapes, to which cards refer by ids that begin with `symbols`."""
    return svg.Defs(elements=[tree_shape(fruit, symbols) for fruit in Fruit])


def tree_shape(fruit: Fruit, symbols: str) -> svg.G:
    name = FRUITS[fruit]
    elements: list[svg.Element] = [shape(CANOPY, "canopy")]
    for x, y in FRUIT_PLACES:
        elements.append(group_at(x, y, *fruit_shape(fruit)))
    elements.append(label(box.LETTERS[fruit], 0, -17, "letter"))
    return svg.G(id=f"{symbols}-{name}", class_=["tree"], elements=elements)


def fruit_shape(fruit: Fruit) -> list[svg.Element]:
    outline = (APPLE, PEAR, PLUM)[fruit]
    elements: list[svg.Element] = [
        shape(outline, "fruit", FRUITS[fruit]),
        shape(STEMS[fruit], "stem"),
    ]
    return [*elements, shape(CLEFT, "stem")] if fruit == Fruit.PLUM else elements


def die_face(fruit: int, value: int) -> svg.G:
    return svg.G(
        class_=["die", FRUITS[fruit]],
        elements=[rect(-DIE, -DIE, 2 * DIE, 2 * DIE, rx=6), label(value)],
    )


def rotten() -> list[svg.Element]:
    return [svg.Circle(r=17), shape(SPOILT, "cross")]


def edge(line: float) -> float:
    """Return the coordinate of the first edge of a row or a column."""
    return (line - box.CENTRE) * U


def written(points: int) -> str:
    return signed(points) if points else "0"
