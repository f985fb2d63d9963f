"""The icons of Alhambra and their meanings."""

import svg

from ....core.english import capitalize
from ....core.optional import Icon
from ....core.svg import group_at, label, rect, shape
from .. import components as box
from ..components import Currency, Kind
from ..text.words import PLURALS
from .drawing import STAR, WALL, building, sign


def kind_icon(kind: Kind) -> Icon:
    first, second, third = (int(box.POINTS[held, kind, 0]) for held in range(box.ROUNDS))
    points = f"The most {PLURALS[kind]} earn {first}, {second} and {third} points in the three scorings."
    name = box.KIND_NAMES[kind]
    return Icon(
        name, capitalize(PLURALS[kind]), points, "10.2", group_at(0, 0, *building(kind), scale=0.36, classes=[name])
    )


def currency_icon(currency: Currency) -> Icon:
    name = box.CURRENCY_NAMES[currency]
    about = f"Money in {name}s. It only pays for the tile on the square with this sign."
    return Icon(name, f"{capitalize(name)}s", about, "5.1", svg.G(class_=[name], elements=[sign(currency, 0, 0)]))


ICONS = (
    *(kind_icon(kind) for kind in Kind),
    Icon(
        "wall",
        "Longest wall",
        "In each scoring, it earns a point for each side of a tile along it.",
        "10.6",
        group_at(0, -1, shape(WALL, "little-wall"), scale=0.42),
        "Wall",
    ),
    *(currency_icon(currency) for currency in Currency),
    Icon(
        "cards",
        "Money cards in hand",
        "How many cards a player holds. Which cards they are is secret, unless memory is perfect.",
        "D8",
        svg.G(elements=[rect(-9, -8, 11, 16, "back", rx=2), rect(-3, -10, 11, 17, "back", rx=2)]),
        "Cards",
    ),
    Icon(
        "now",
        "Scored now",
        "What your buildings and wall would earn if the next scoring came now.",
        "10.1",
        group_at(0, 0, shape(STAR, "now"), scale=0.24),
        "Scored now",
    ),
    Icon(
        "exact",
        "Exact payment",
        "You can pay this price exactly and get another action.",
        "5.3",
        svg.G(class_=["exact"], elements=[svg.Circle(r=10), label("=", 0, 5)]),
    ),
)
