"""The icons of Caylus and their meanings."""

import svg

from ....core.english import capitalize
from ....core.optional import Icon
from ..components import CUBES
from .shapes import icon, walker


def plain(name: str) -> svg.Element:
    return svg.G(transform=[svg.Scale(1.25)], elements=[icon(name)])


def smaller(name: str) -> svg.Element:
    return svg.G(elements=[icon(name)])


def standing(name: str) -> svg.Element:
    return svg.G(transform=[svg.Translate(0, 11), svg.Scale(0.6)], elements=[walker(name)])


CUBE_ICONS = tuple(
    Icon(kind, capitalize(kind), f"A cube of {kind}.", "1.1", plain(kind), fact=capitalize(kind)) for kind in CUBES
)
HOUSE_ICONS = tuple(
    Icon(f"{kind}-house", f"{capitalize(kind)} building", words, rule, plain(f"{kind}-house"))
    for kind, words, rule in (
        ("wood", "You build it with a Carpenter or a favour.", "2.19"),
        ("stone", "You build it with a Mason or a favour.", "2.19"),
        ("prestige", "You build it with an Architect or a favour, in place of one of your residences.", "2.20"),
    )
)
ICONS = (
    Icon(
        "worker",
        "Workers",
        "You pay deniers to place them. They come home afterwards.",
        "2.2",
        smaller("worker"),
        "Workers",
    ),
    Icon(
        "coin",
        "Deniers",
        "Money. You pay it for workers and for the provost's moves.",
        "1.1",
        plain("coin"),
        "Deniers",
    ),
    Icon("income", "Income", "Deniers that you get at the start of each turn.", "2.1", plain("income"), "Income"),
    *CUBE_ICONS,
    Icon("any", "Any cube", "A cube of any kind, gold too.", "2.22", plain("any")),
    Icon("common", "Any cube but gold", "A cube of food, wood, stone or cloth.", "2.22", plain("common")),
    Icon("points", "Points", "Prestige points that you get at once.", "3.2", plain("points")),
    Icon(
        "favour",
        "Royal favour",
        "Move a marker to the next column, and use any column up to it.",
        "4.2",
        plain("favour"),
    ),
    *HOUSE_ICONS,
    Icon(
        "residence",
        "Residence",
        "It earns a denier each turn, and you can replace it with a prestige building.",
        "2.21",
        plain("residence"),
    ),
    Icon("provost", "Provost", "Buildings beyond him aren't used. Players can move him.", "2.15", standing("provost")),
    Icon(
        "bailiff",
        "Bailiff",
        "He moves along the road. When he comes to a sign, a section is scored.",
        "2.27",
        standing("bailiff"),
    ),
    Icon(
        "gate",
        "Scoring",
        "When the bailiff comes here, a section of the castle is scored.",
        "2.28",
        plain("scoring"),
    ),
)
