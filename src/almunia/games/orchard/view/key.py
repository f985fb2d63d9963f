"""The icons of Orchard and their meanings."""

import svg

from ....core.english import capitalize
from ....core.optional import Icon
from ....core.svg import group_at, label, rect, shape
from ..components import Fruit
from ..text.words import FRUITS
from .drawing import CANOPY, die_face, fruit_shape, rotten


def shrunk(scale: float, *elements: svg.Element, classes: tuple[str, ...] = ()) -> svg.G:
    return group_at(0, 0, *elements, scale=scale, classes=classes)


def dice_left(fruit: Fruit) -> Icon:
    name = FRUITS[fruit]
    back = rect(-11, -11, 22, 22, rx=5)
    picture = svg.G(class_=["supply"], elements=[back, *fruit_shape(fruit)])
    about = f"A {name} tree that covers another {name} tree takes a die, if you have any left."
    title = f"{capitalize(name)} dice left"
    return Icon(f"{name}-dice", title, about, "4.1", picture, fact=title)


def tree(fruit: Fruit) -> Icon:
    name = FRUITS[fruit]
    picture = shrunk(0.42, shape(CANOPY, "canopy"), shrunk(2, *fruit_shape(fruit)))
    about = f"Cover it with a tree of the same fruit, and its {name} die goes up."
    return Icon(f"{name}-tree", f"{capitalize(name)} tree", about, "3.2", picture)


ICONS = (
    *map(dice_left, Fruit),
    Icon(
        "rotten",
        "Rotten fruit left",
        "Twice, a tree may cover a different fruit. It costs 3 points, and you can't cover it again.",
        "5.1",
        shrunk(0.62, *rotten(), classes=("rotten",)),
        fact="Rotten fruit left",
    ),
    Icon("pile", "Draw pile", "The cards that are still to be drawn.", "3.4", rect(-8, -11, 16, 22, "back", rx=3)),
    *map(tree, Fruit),
    Icon(
        "die",
        "Die",
        "What its tree is worth. It goes up each time you cover the tree with the same fruit.",
        "4.3",
        shrunk(0.85, die_face(Fruit.APPLE, 3)),
    ),
    Icon(
        "gain",
        "Points",
        "What the card would score here. Gains are filled, and the best is the largest. Losses are hollow.",
        "6.3",
        svg.G(class_=["place", "good"], elements=[rect(-14, -9, 28, 18, "pill", rx=9), label("+3")]),
    ),
)
