"""The icons of Oregon and their meanings."""

import svg

from ....core.english import capitalize
from ....core.optional import Icon
from ....core.svg import group_at, rect
from .. import components as box
from ..components import Building, Sort, Terrain
from ..text.words import PAID
from . import drawing
from .land import sample
from .tally import cards_sign, tiles_sign

BUILDING_WORDS = {
    Building.POST_OFFICE: "Each farmer beside it earns 3 points.",
    Building.HARBOR: "It needs water beside it. Each farmer beside it earns 4 points.",
    Building.CHURCH: "Each farmer beside it earns a point for every farmer there, of any colour.",
    Building.COAL_MINE: "Each farmer beside it earns a coal tile.",
    Building.GOLD_MINE: "Each farmer beside it earns a gold tile.",
    Building.WAREHOUSE: "Each farmer beside it earns 1 point, and makes the joker ready.",
    Building.TRAIN_STATION: "Each farmer beside it earns 1 point, and makes the extra turn ready.",
}
TERRAIN_WORDS = {
    Terrain.PLAIN: ("Plain", "For farmers and most buildings."),
    Terrain.MOUNTAIN: ("Mountain", "For mines and farmers."),
    Terrain.RAIL: ("Rail", "For train stations and farmers."),
    Terrain.WATER: ("Water", "You can't place anything here. A harbor must touch it."),
}


def shrunk(scale: float, *elements: svg.Element, classes: tuple[str, ...] = ()) -> svg.G:
    return group_at(0, 0, *elements, scale=scale, classes=classes)


def on_a_card(kind: int, *classes: str) -> svg.G:
    icon = drawing.on_card(kind)
    icon.transform = [svg.Scale(0.4, 0.4)]
    return svg.G(class_=["card", *classes], elements=[rect(-8, -11, 16, 22, rx=3), icon])


def token(sign: str) -> svg.G:
    return shrunk(0.48, *drawing.token(sign), classes=("token",))


def ground(terrain: Terrain) -> svg.G:
    return shrunk(0.54, *sample(terrain))


def held(name: str, words: str, rule: str, picture: svg.Element) -> Icon:
    return Icon(name.lower().replace(" ", "-"), name, words, rule, picture, fact=name)


ICONS = (
    held(
        "Farmers",
        "Still to be placed. When a player has none left, the game ends after the round.",
        "13.1",
        shrunk(0.72, *drawing.farmer(), classes=("ore-farmer",)),
    ),
    held("Landscape cards", "In hand. Two of them place a farmer.", "4.2", on_a_card(0, "landscape", box.SYMBOLS[0])),
    held(
        "Building cards",
        "In hand. One of them and a landscape card place that building.",
        "4.2",
        on_a_card(box.LANDS + Building.CHURCH, "building"),
    ),
    held("Joker", "While it is ready, you can use it in place of any landscape card.", "7.1", token(drawing.JOKER)),
    held("Extra turn", "While it is ready, you may play two more cards in a turn.", "11.1", token(drawing.EXTRA)),
    held("Coal", "Each tile is worth 1 to 3 points at the end.", "13.4", shrunk(0.6, drawing.face_down(Sort.COAL))),
    held("Gold", "Each tile is worth 3 to 5 points at the end.", "13.4", shrunk(0.6, drawing.face_down(Sort.GOLD))),
    *(
        Icon(
            name,
            capitalize(name),
            "Its cards open its rows and its columns.",
            "5.2",
            shrunk(0.6, drawing.symbol(name), classes=(name,)),
        )
        for name in box.SYMBOLS
    ),
    *(
        Icon(kind.name.lower(), box.NAMES[kind], words, PAID[kind], shrunk(0.58, drawing.building_tile(kind)))
        for kind, words in BUILDING_WORDS.items()
    ),
    *(
        Icon(terrain.name.lower(), name, words, "6.3", ground(terrain))
        for terrain, (name, words) in TERRAIN_WORDS.items()
    ),
    Icon("tiles-left", "Tiles left", "The game ends when enough stacks are empty.", "13.2", tiles_sign()),
    Icon("discarded", "Cards discarded", "When the deck is used up, they become the new deck.", "12.4", cards_sign()),
)
