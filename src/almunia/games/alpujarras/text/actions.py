"""The actions of Alpujarras in words."""

from ....core.contract import RichLine
from ....core.english import capitalize, pluralize
from ....core.memoize import memoize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CARD_IDS, CHANNEL_IDS, COLOURS, FRUITS
from ..rules.state import KIND_OF_CODE, KIND_OFFSETS, ActionKind
from .words import (
    GOAL_IDS,
    GOALS,
    SKIPPED,
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

Words = tuple[str, str]  # in a record, and on a page
BARGAINS = {box.ADD: "add a farmer", box.MOVE: "move a farmer", box.SWAP: "exchange a fruit"}
PLAIN = {
    ActionKind.NORIAS: ("take norias", "Take the norias"),
    ActionKind.GOAL_TOKEN: ("take goal token", "Take a goal token"),
    ActionKind.HARVEST: ("harvest", "Harvest"),
    ActionKind.CLOSE: ("finish market", "Finish the market action"),
    ActionKind.KEEP: ("take what fits", "Take as many as you have room for"),
    ActionKind.END: ("end turn", "End the turn"),
    ActionKind.ZARA_ROLL: ("roll Zara's die", "Roll Zara's die"),
    ActionKind.ZARA_MARKET: ("Zara's market", "Let Zara take a token away"),
    ActionKind.ZARA_HARVEST: ("Zara's harvest", "Let Zara harvest"),
}


def action_to_string(s: State, action: int) -> str:
    """Return an action as text for records, such as `deliver 4 cherry to red`."""
    return words_for(s, *decode(action))[0]


@memoize(lambda s, action: (s.to_bytes(), action))  # pictures and buttons show it
def button_label(s: State, action: int) -> RichLine:
    """Return the label of an action on a page, such as `Deliver 4 cherries to the red village`."""
    return [words_for(s, *decode(action))[1]]


def decode(action: int) -> tuple[int, int]:
    """Return the kind of an action, and its argument."""
    kind = int(KIND_OF_CODE[action])
    return kind, action - int(KIND_OFFSETS[kind])


def words_for(s: State, kind: int, arg: int) -> Words:
    """Return the text of an action in a record, and its label on a page."""
    match kind:
        case ActionKind.GO:
            return f"go to {arg + 1}", capitalize(space_name(s, arg))
        case ActionKind.ADD | ActionKind.FROM | ActionKind.TO:
            return land_words(s, kind, arg)
        case ActionKind.PICK | ActionKind.FRUIT | ActionKind.CROP | ActionKind.GIVE | ActionKind.TAKE:
            return fruit_words(kind, arg)
        case ActionKind.DIG:
            return f"irrigate {CHANNEL_IDS[arg]}", f"Water {channel_name(arg)}"
        case ActionKind.GOAL:
            goal, space = s.goal[arg // box.GOAL_SPACES], arg % box.GOAL_SPACES
            return (
                f"goal {GOAL_IDS[goal]} space {space + 1}",
                f'Complete "{GOALS[goal]}" for {goal_reward(goal, space)}',
            )
        case ActionKind.DELIVER:
            village, fruit, number = delivery(arg)
            to = f"to the {COLOURS[village]} village"
            return f"deliver {number} {FRUITS[fruit]} to {COLOURS[village]}", f"Deliver {fruits(fruit, number)} {to}"
        case ActionKind.CARD:
            return f"deliver card {CARD_IDS[arg]}", f"Deliver {card_fruit(arg)} for a card"
        case ActionKind.SKIP:
            return f"skip {SKIPS[arg]}", f"Skip {SKIPPED[arg]}"
        case ActionKind.BUY:
            return f"spend {arg + 1}", f"Spend {pluralize(arg + 1, 'noria')}: {bargain(arg + 1)}"
    return PLAIN[ActionKind(kind)]


def land_words(s: State, kind: int, land: int) -> Words:
    name = land_name(land)
    if kind == ActionKind.ADD:
        return f"add to {COLOURS[land]}", f"Add a farmer to the {name}"
    if kind == ActionKind.TO:
        return f"to {COLOURS[land]}", f"To the {name}"
    return f"from {COLOURS[land]}", f"{'Call' if s.calling_farmer else 'Move'} a farmer from the {name}"


def fruit_words(kind: int, fruit: int) -> Words:
    verb, words = {
        ActionKind.PICK: ("pick", f"Pick {a_fruit(fruit)}"),
        ActionKind.FRUIT: ("take", f"Take {a_fruit(fruit)}"),
        ActionKind.CROP: ("plant", f"Plant {plural(fruit)}"),
        ActionKind.GIVE: ("return", f"Return {a_fruit(fruit)}"),
        ActionKind.TAKE: ("receive", f"Take {a_fruit(fruit)}"),
    }[ActionKind(kind)]
    return f"{verb} {FRUITS[fruit]}", words


def delivery(arg: int) -> tuple[int, int, int]:
    """Return village, fruit and number of the delivery token for an argument of DELIVER."""
    rest, size = divmod(arg, box.SIZES)
    return rest // box.LANDS, rest % box.LANDS, int(box.NUMBERS[size])


def bargain(price: int) -> str:
    """Return the purchase for this number of norias, in words [6.5, 6.6]."""
    paid = int(box.BUYS_DIRHEMS[price])
    return BARGAINS[int(box.BUYS[price])] + (f", {pluralize(paid, 'dirhem')}" if paid else "")


def parts(s: State, action: int) -> dict[str, str]:
    """Return a dict of one item: the name of the action's kind, in lower case, and its argument as a string."""
    kind, arg = decode(action)
    return {ActionKind(kind).name.lower(): str(arg)}
