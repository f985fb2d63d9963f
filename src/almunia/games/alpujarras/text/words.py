"""The words of Alpujarras: fruit, farmlands, channels, places on the track, actions owed, goals, cards and awards."""

from ....core.contract import NONE
from ....core.english import NUMBERS, join_words, pluralize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import AWARD_SIDES, COLOURS, DATA, FRUITS

GOALS = tuple(str(goal["name"]) for goal in DATA["goal"])
GOAL_IDS = tuple(str(goal["id"]) for goal in DATA["goal"])
SKIPS = ("farmer", "move", "water", "norias", "fruit", "goal", "market", "harvest")  # in records
SKIPPED = (  # by item, on a page
    *("adding a farmer", "moving a farmer", "irrigating", "the norias", "the fruit"),
    *("the goal", "the market", "the harvest"),
)
ARROWS = ("down", "up")


def fruits(fruit: int, count: int) -> str:
    """Return a number of fruits in words, such as `1 cherry` or `2 cherries`."""
    return f"{count} {plural(fruit) if count != 1 else FRUITS[fruit]}"


def plural(fruit: int) -> str:
    """Return the plural of a fruit's name, such as `cherries`."""
    name = FRUITS[fruit]
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def a_fruit(fruit: int) -> str:
    """Return a fruit's name with its article, such as `an apple`."""
    return f"{'an' if FRUITS[fruit][0] in 'aeiou' else 'a'} {FRUITS[fruit]}"


def land_name(land: int) -> str:
    """Return the name of a farmland, such as `orange farmland` [1.1]."""
    return f"{COLOURS[land]} farmland"


def channel_name(space: int) -> str:
    """Return the name of a channel space, such as `channel space 4`."""
    return f"channel space {space + 1}"


# --- places on the track ----------------------------------------------------------------------------


def place_id(position: int) -> str:
    return f"place-{position + 1}"


def farmers_id(land: int, seat: int) -> str:
    return f"farmers-{COLOURS[land]}-{seat}"


def space_name(s: State, position: int) -> str:
    """Return the name of a position, such as `space 24 (market)` [1.2, D2]."""
    return place_name(s.track[position], position)


def place_name(where: int, position: int) -> str:
    """Return the name of a place at a position, such as `space 24 (market)`."""
    kind = box.PLACE_KIND[where]
    what = {box.MARKET_SPOT: " (market)", box.HARVEST_SPOT: " (harvest)", box.END_SPOT: " (end)", box.START: " (start)"}
    return f"space {position + 1}{what.get(kind, '')}"


def offers(place: int) -> list[str]:
    """Return the actions and dirhems of a place, each in a few words [1.2]."""
    owes = [int(number) for number in box.PLACE_OWES[place]]
    found = owed_words(owes, box.SHIELD[place])
    if box.PLACE_PAYS[place]:
        found.append(pluralize(box.PLACE_PAYS[place], "dirhem"))
    return found


def owed_words(owes: list[int], shield: int = NONE) -> list[str]:
    """Return words for each item owed."""
    return [item_words(item, count, shield) for item, count in enumerate(owes) if count]


def item_words(item: int, count: int, shield: int = NONE) -> str:
    """Return words for an item that is owed `count` times."""
    match item:
        case box.ADD if shield != NONE:
            return f"add a farmer to {COLOURS[shield]}"
        case box.ADD:
            return "add a farmer" if count == 1 else f"add {NUMBERS[count]} farmers"
        case box.NORIAS:
            return f"take {pluralize(count, 'noria')}"
        case box.FRUIT:
            return f"take {pluralize(count, 'fruit')}"
    return ("", "move a farmer", "irrigate", "", "", "complete a goal", "deliver", "harvest")[item]


# --- goals, cards and awards --------------------------------------------------------------------------


def goal_reward(goal: int, space: int) -> str:
    """Return the reward of a goal space in words, such as `3 dirhems`."""
    dirhems, norias = int(box.GOAL_DIRHEMS[goal, space]), int(box.GOAL_NORIAS[goal, space])
    words = ([pluralize(dirhems, "dirhem")] if dirhems else []) + ([pluralize(norias, "noria")] if norias else [])
    return join_words(words or ["nothing"])


def card_fruit(card: int) -> str:
    """Return the fruits of a delivery card in words, such as `lemon and cherry`."""
    return join_words(FRUITS[fruit] for fruit in range(box.LANDS) if box.ASKS[card, fruit])


def back_words(back: int) -> str:
    """Return the back of a delivery card in words, such as `apple, arrow up`."""
    return f"{FRUITS[back // 2]}, arrow {ARROWS[back % 2]}"


def award_words(award: int, side: int) -> str:
    """Return the actions and dirhems of one side of an award token, in words."""
    row = award * len(AWARD_SIDES) + side
    words = owed_words([int(number) for number in box.AWARD_OWES[row]])
    paid = int(box.AWARD_PAYS[row])
    return join_words([*words, *([pluralize(paid, "dirhem")] if paid else [])])
