"""The key to the icons of Alpujarras."""

import svg

from ....core.english import capitalize
from ....core.optional import Icon
from ....core.svg import group_at, shape
from .. import components as box
from ..components import COLOURS, FRUITS
from ..text.words import plural
from .drawing import ARROW, ICON_SHAPES, JUMP, called, fruit_shapes


def fruit_icon(fruit: int) -> Icon:
    name = capitalize(plural(fruit))
    about = f"You pay for deliveries with them. They are the primary fruit of the {COLOURS[fruit]} farmland."
    return Icon(FRUITS[fruit], name, about, "1.1", fruit_shapes(FRUITS[fruit]), name)


def passed(name: str) -> svg.G:
    return svg.G(elements=[group_at(0, 4, ICON_SHAPES[name], scale=0.7), shape(JUMP, "arrow")])


def with_arrow(name: str) -> svg.G:
    return svg.G(elements=[group_at(-5, 0, ICON_SHAPES[name], scale=0.8), group_at(8, 2, shape(ARROW, "arrow"))])


CALLED = called(COLOURS[0], FRUITS[0])
TOKEN = svg.G(elements=[shape("M-11-11H11V11H-11Z", "token"), group_at(0, 0, fruit_shapes(FRUITS[3]), scale=0.75)])
PAPER = svg.G(
    elements=[
        shape("M-9-12H9V12H-9Z", "paper"),
        group_at(0, -4, fruit_shapes(FRUITS[1]), scale=0.55),
        group_at(0, 7, ICON_SHAPES["dirhem"], scale=0.35),
    ]
)
SPARE = svg.G(elements=[svg.Circle(class_=["goal-space"], r=11.5), group_at(0, 0, ICON_SHAPES["goal"], scale=0.75)])
AWARD = svg.G(
    elements=[svg.Circle(class_=["award", "green"], r=11.5), group_at(0, 0, ICON_SHAPES["water"], scale=0.75)]
)
ICONS = (
    *map(fruit_icon, range(box.LANDS)),
    Icon(
        "noria",
        "Norias",
        "Water wheels. You can spend them to exchange a fruit, move a farmer or add one.",
        "6.5",
        ICON_SHAPES["noria"],
        "Norias",
    ),
    Icon(
        "farmer",
        "Farmers in the supply",
        "You add them to farmlands and put them on goals.",
        "4.1",
        ICON_SHAPES["farmer"],
        "Farmers",
    ),
    Icon("goal", "Goals", "You can complete each goal once, if you meet it.", "7.1", ICON_SHAPES["goal"], "Goals"),
    Icon("token", "Delivery tokens", "You earn them in villages for fruits of one kind.", "8.4", TOKEN, "Tokens"),
    Icon("card", "Delivery cards", "You earn them at markets for different fruits.", "8.7", PAPER, "Cards"),
    Icon("spare", "Goal tokens", "After you complete a goal, each completes another one.", "7.7", SPARE, "Goal tokens"),
    Icon("award", "Award", "The next delivery to this village earns what you see here.", "8.8", AWARD),
    Icon("dirhem", "Dirhems", "Money, and your points.", "1.6", ICON_SHAPES["dirhem"]),
    Icon("add", "Add a farmer", "A farmer goes to any farmland and takes a fruit there.", "4.1", ICON_SHAPES["add"]),
    Icon("shield", "Add a farmer here", "A farmer goes to the farmland of this colour.", "4.5", CALLED),
    Icon("move", "Move a farmer", "A farmer goes to another farmland and takes a fruit.", "4.6", ICON_SHAPES["move"]),
    Icon("basket", "Take a fruit", "A fruit of your choice comes from the supply.", "4.7", ICON_SHAPES["fruit"]),
    Icon("swap", "Exchange a fruit", "A noria exchanges one fruit for another.", "6.6", with_arrow("fruit")),
    Icon("water", "Irrigate", "A channel token waters a space beside water.", "5.1", ICON_SHAPES["water"]),
    Icon("market", "Market", "Deliver for a token, for a card, or for both.", "8.1", ICON_SHAPES["market"]),
    Icon(
        "harvest",
        "Harvest",
        "Take the primary fruit of each farmland where you have the most farmers.",
        "9.1",
        ICON_SHAPES["harvest"],
    ),
    Icon("passed", "Passed", "Your mule would pass this market without stopping.", "3.1", passed("market")),
)
