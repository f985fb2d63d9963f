"""The actions of Alpujarras in words."""

from ....core.contract import Line
from ....core.plain import CheckedRecord as State
from ....core.words import capital, count_of
from .. import components as box
from ..components import CARD_IDS, CHANNEL_IDS, COLOURS, FRUITS
from ..rules.state import FIRST, KIND, Deed
from .words import (
    GOAL_IDS,
    GOALS,
    SKIPS,
    a_fruit,
    card_fruit,
    channel_name,
    fruits,
    goal_reward,
    land_name,
    plural,
    space_name,
)

Words = tuple[str, str]  # as records have them, and as a page offers them
BARGAINS = {box.ADD: "add a farmer", box.MOVE: "move a farmer", box.SWAP: "exchange a fruit"}
PLAIN = {
    Deed.NORIAS: ("take norias", "Take the norias"),
    Deed.GOAL_TOKEN: ("take goal token", "Take a goal token"),
    Deed.HARVEST: ("harvest", "Harvest"),
    Deed.CLOSE: ("finish market", "Finish the market action"),
    Deed.KEEP: ("take what fits", "Take what there is room for"),
    Deed.END: ("end turn", "End the turn"),
    Deed.ROLL: ("roll Zara's die", "Roll Zara's die"),
    Deed.REMOVE: ("Zara's market", "Let Zara take a token away"),
    Deed.STRIP: ("Zara's harvest", "Let Zara harvest"),
}


def say(s: State, action: int) -> str:
    """`go to 17`, `add to orange`, `deliver 4 cherry to red`, `end turn`."""
    return words_for(s, *decode(action))[0]


def offer(s: State, action: int) -> Line:
    """`Space 17`, `Add a farmer to the orange farmland`, `Deliver 4 cherries to the red village`."""
    return [words_for(s, *decode(action))[1]]


def decode(action: int) -> tuple[int, int]:
    """Return the kind of an action, and its argument: its number within the kind."""
    kind = int(KIND[action])
    return kind, action - int(FIRST[kind])


def words_for(s: State, kind: int, which: int) -> Words:
    """An action in words: the kinds that name a place, a fruit or a price."""
    match kind:
        case Deed.GO:
            return f"go to {which + 1}", capital(space_name(s, which))
        case Deed.ADD | Deed.FROM | Deed.TO:
            return land_words(s, kind, which)
        case Deed.PICK | Deed.FRUIT | Deed.CROP | Deed.GIVE | Deed.TAKE:
            return fruit_words(kind, which)
        case Deed.DIG:
            return f"irrigate {CHANNEL_IDS[which]}", f"Water {channel_name(which)}"
        case Deed.GOAL:
            goal, space = s.goal[which // box.GOAL_SPACES], which % box.GOAL_SPACES
            return f"goal {GOAL_IDS[goal]} space {space + 1}", f"Complete {GOALS[goal]} for {goal_reward(goal, space)}"
        case Deed.DELIVER:
            village, fruit, number = delivery(which)
            to = f"to the {COLOURS[village]} village"
            return f"deliver {number} {FRUITS[fruit]} to {COLOURS[village]}", f"Deliver {fruits(fruit, number)} {to}"
        case Deed.CARD:
            return f"deliver card {CARD_IDS[which]}", f"Deliver {card_fruit(which)} for a card"
        case Deed.SKIP:
            return f"skip {SKIPS[which]}", f"Skip the {SKIPS[which]}"
        case Deed.BUY:
            return f"spend {which + 1}", f"Spend {count_of(which + 1, 'noria')}: {bargain(which + 1)}"
    return PLAIN[Deed(kind)]


def land_words(s: State, kind: int, land: int) -> Words:
    """Farmers that come and go."""
    name = land_name(land)
    if kind == Deed.ADD:
        return f"add to {COLOURS[land]}", f"Add a farmer to the {name}"
    if kind == Deed.TO:
        return f"to {COLOURS[land]}", f"To the {name}"
    return f"from {COLOURS[land]}", f"{'Call' if s.calling else 'Move'} a farmer from the {name}"


def fruit_words(kind: int, fruit: int) -> Words:
    """Fruit that is taken, planted or returned."""
    verb, words = {
        Deed.PICK: ("pick", f"Pick {a_fruit(fruit)}"),
        Deed.FRUIT: ("take", f"Take {a_fruit(fruit)}"),
        Deed.CROP: ("plant", f"Plant {plural(fruit)}"),
        Deed.GIVE: ("return", f"Return {a_fruit(fruit)}"),
        Deed.TAKE: ("receive", f"Take {a_fruit(fruit)}"),
    }[Deed(kind)]
    return f"{verb} {FRUITS[fruit]}", words


def delivery(which: int) -> tuple[int, int, int]:
    """Village, fruit and number of a delivery token."""
    rest, size = divmod(which, box.SIZES)
    return rest // box.LANDS, rest % box.LANDS, int(box.NUMBERS[size])


def bargain(price: int) -> str:
    """What so many norias buy [6.5, 6.6]."""
    paid = int(box.BUYS_DIRHEMS[price])
    return BARGAINS[int(box.BUYS[price])] + (f", {count_of(paid, 'dirhem')}" if paid else "")


def parts(s: State, action: int) -> dict[str, str]:
    """Every action is one answer: its kind, and which of them."""
    kind, which = decode(action)
    return {Deed(kind).name.lower(): str(which)}
