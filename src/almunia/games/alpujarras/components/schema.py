"""The schema of Alpujarras' component data: the documented values are fixed, others may be corrected."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ....core.component_data import Data
from ....core.schema import (
    Place,
    Rule,
    among,
    different,
    entry,
    falling,
    faults as schema_faults,
    must_be,
    name,
    rows,
    whole,
)

FRUITS = ("orange", "lemon", "apple", "cherry", "grape")
COLOURS = ("orange", "yellow", "green", "red", "purple")
DIRHEM = "dirhem"
ADDS = ("add_farmer", "add_two_farmers")
AWARDED = (*ADDS, "move_farmer", "irrigate", "noria", "fruit", DIRHEM)
COUNTED = ("noria", "fruit", DIRHEM)  # icons that may have a number
MOST = 5  # the highest number on an icon
REQUIREMENTS = {  # of the goals, by name
    "3 Different Fruit": {"kind": "different_fruit", "n": 3},
    "2 Pairs of Fruit": {"kind": "fruit_pairs", "n": 2},
    "3 Farmers in 1 Farmland": {"kind": "farmers_in_farmlands", "each": 3, "farmlands": 1},
    "2 Farmers in 2 Farmlands": {"kind": "farmers_in_farmlands", "each": 2, "farmlands": 2},
    "3 Different Delivery Tokens": {"kind": "delivery_token_types", "n": 3},
    "2 of the Same Delivery Tokens": {"kind": "delivery_tokens_same", "n": 2},
    "1 Farmer in 4 Different Villages": {"kind": "farmers_in_villages", "each": 1, "villages": 4},
    "2 Farmers in 2 Different Villages": {"kind": "farmers_in_villages", "each": 2, "villages": 2},
}
MULES = {"green": 4, "blue": 3}  # number of mules on each side of the track
ENDS = {"go": "start_spots", "market": "spots", "harvest": "spots", "end": "end_dirhems"}  # by kind of segment
LONGEST = 6  # spaces or spots in a segment, so that a position on the track fits into int8


def icons(least: int, *known: str) -> Rule:
    """Return a rule for `least` to 2 icons of different, known actions, with numbers and shields where allowed."""

    def rule(found: list[Place], _: Data) -> Iterator[str]:
        for place in found:
            names = [icon["a"] for icon in place.value]
            if not least <= len(names) <= 2:
                yield must_be(place, f"{least} to 2 icons")
            elif len(set(names)) != len(names) or set(ADDS) <= set(names):
                yield must_be(place, "different actions")
            for icon in place.value:
                yield from (f"{place.name}: {wrong}" for wrong in icon_faults(icon, known))

    return rule


def icon_faults(icon: dict[str, Any], known: tuple[str, ...]) -> Iterator[str]:
    """Yield the faults of one icon."""
    what, number = icon["a"], icon.get("n", 1)
    if what not in known:
        yield f"a is {what!r} and must be one of {', '.join(known)}"
    if not 1 <= number <= (MOST if what in COUNTED else 1):
        yield f"n of {what!r} is {number} and must be from 1 to {MOST if what in COUNTED else 1}"
    if "farmland" in icon and what != "add_farmer":
        yield f"{what!r} names the farmland {icon['farmland']!r}, which only 'add_farmer' may"


DOCUMENTED = {
    "players": [2, 3, 4],
    "counts.track_segments": 10,
    "counts.mules": 4,
    "counts.dice": 1,
    "counts.farmers_per_player": 15,
    "counts.fruits_per_type": 21,
    "counts.crop_tokens_per_type": 2,
    "counts.channel_tokens": 15,
    "counts.award_tokens": 5,
    "counts.goal_tokens": 10,
    "counts.coins": 50,
    "counts.norias_large": 5,
    "counts.norias_small": 10,
    "counts.noria_large_value": 3,
    "counts.delivery_tokens_per_type": 5,
    "counts.goal_cards": 4,
    "counts.delivery_cards": 20,
    "counts.market_cards": 1,
    "counts.reference_cards": 5,
    "limits.max_fruit_per_type": 5,
    "limits.max_norias": 5,
    "setup.fruit_per_field": {"2": 2, "3": 2, "4": 3},
    "setup.delivery_tokens_per_village": {"2": 4, "3": 4, "4": 5},
    "setup.min_fruit_types_per_village": 3,
    "setup.remove_one_2_token_per_fruit": {"2": True, "3": True, "4": False},
    "setup.face_up_delivery_cards": 3,
    "setup.track_side": {"2": "blue", "3": "blue", "4": "green"},
    "setup.market_card_fruits_come_from_the_21": True,
    "setup.zara": {"2": True, "3": False, "4": False},
    "setup.cover_odd_coin_goal_spaces": {"2": True, "3": False, "4": False},
    "noria_spending.5": [{"a": "add_farmer"}, {"a": DIRHEM, "n": 3}],
    "noria_spending.4": [{"a": "add_farmer"}, {"a": DIRHEM, "n": 1}],
    "noria_spending.3": [{"a": "add_farmer"}],
    "noria_spending.2": [{"a": "move_farmer"}],
    "noria_spending.1": [{"a": "swap_fruit"}],
    "channel_tokens.t": 10,
    "channel_tokens.straight": 5,
    "delivery_tokens.reward_minus_number": 1,
}

CORRECTABLE = {
    "die.faces": rows(6),
    "die.faces.*": whole(1, 6),
    "setup.segment_order": rows(10),
    "setup.segment_order.*": among(*ENDS),
    # --- farmlands and water ---
    "farmland": rows(5),
    "farmland.*.id": name(),
    "farmland.*.color": (among(*COLOURS), different()),
    "farmland.*.primary": (among(*FRUITS), different()),
    "farmland.*.fields": rows(1, 5),
    "farmland.*.fields.*": among(*FRUITS),
    "farmland.*.new_fields": rows(2),
    "farmland.*.new_fields.*": name(),
    "farmland.*.layout_xy": (rows(2), different()),
    "farmland.*.layout_xy.*": whole(0, 1000),
    "channel_start": rows(1, 10),
    "channel_start.*.id": name(),
    "channel_start.*.adjacent": rows(1, 15, repeats=False),
    "channel_start.*.adjacent.*": entry("channel_space.*.id"),
    "channel_start.*.layout_xy": (rows(2), different("farmland.*.layout_xy")),
    "channel_start.*.layout_xy.*": whole(0, 1000),
    "channel_space": rows(15),
    "channel_space.*.id": name("channel_start.*.id"),
    "channel_space.*.shape": among("t", "straight"),
    "channel_space.*.adjacent": rows(1, 15, repeats=False),
    "channel_space.*.adjacent.*": entry("channel_start.*.id", "channel_space.*.id"),
    "channel_space.*.leads_to": (entry("farmland.*.new_fields.*"), different()),
    "channel_space.*.icons.*": whole(0, MOST),
    "channel_space.*.layout_xy": (rows(2), different("farmland.*.layout_xy", "channel_start.*.layout_xy")),
    "channel_space.*.layout_xy.*": whole(0, 1000),
    # --- deliveries ---
    "market_card.bonus": rows(5),
    "delivery_tokens.numbers": rows(5),
    "delivery_tokens.numbers.*": whole(1, 5),
    "delivery_card": rows(20),
    "delivery_card.*.id": name(),
    "delivery_card.*.fruits": rows(1, 5, repeats=False),
    "delivery_card.*.fruits.*": entry("farmland.*.primary"),
    "delivery_card.*.value": whole(1, 10),
    "delivery_card.*.back_fruit": entry("farmland.*.primary"),
    "delivery_card.*.back_arrow": among("up", "down"),
    # --- goals and awards ---
    "goal": rows(len(REQUIREMENTS)),
    "goal.*.id": name(),
    "goal.*.name": (among(*REQUIREMENTS), different()),
    "goal.*.card": whole(1, 4),
    "goal.*.rewards": rows(2, 5),
    "goal.*.rewards.*.dirhem": whole(1, 5),
    "goal.*.rewards.*.noria": whole(1, 5),
    "award_token": rows(5),
    "award_token.*.id": name(),
    "award_token.*.green": icons(1, *AWARDED),
    "award_token.*.red": icons(1, *AWARDED),
    # --- the track ---
    "segment": rows(10),
    "segment.*.id": name(),
    "segment.*.kind": among(*ENDS),
}

TRACK = {
    f"segment.*.{side}.{part}": rule
    for side, mules in MULES.items()
    for part, rule in {
        "standard": rows(1, LONGEST),
        "standard.*": icons(1, *AWARDED, "goal"),
        "standard.*.*.farmland": entry("farmland.*.color"),
        "spots": rows(mules, LONGEST),
        "spots.*": icons(0, *AWARDED, "goal"),
        "spots.*.*.farmland": entry("farmland.*.color"),
        "start_spots": whole(mules, LONGEST),
        "end_dirhems": (rows(mules, LONGEST), falling),
        "end_dirhems.*": whole(0, 10),
    }.items()
}

SCHEMA = DOCUMENTED | CORRECTABLE | TRACK


def faults(data: Data) -> Iterator[str]:
    """Yield the faults of the data: values outside the schema, and rows that do not fit together."""
    lands = farmland_faults, channel_faults
    return schema_faults(data, SCHEMA, *lands, delivery_faults, card_faults, goal_faults, award_faults, track_faults)


def farmland_faults(data: Data) -> Iterator[str]:
    """Yield a fault for a farmland without its primary fruit or with wrong new fields, and for too many fields."""
    for row, land in enumerate(data["farmland"], 1):
        if land["primary"] not in land["fields"]:
            yield f"farmland {row}, fields is {land['fields']} and must have {land['primary']}, the primary fruit"
        if any(not field.startswith(f"{land['id']}:") for field in land["new_fields"]):
            yield f"farmland {row}, new_fields is {land['new_fields']} and must begin with {land['id']}:"
    counted = Counter(field for land in data["farmland"] for field in land["fields"])
    most = (data["counts"]["fruits_per_type"] - 1) // max(data["setup"]["fruit_per_field"].values())
    for fruit, count in counted.items():
        if count > most:
            yield f"farmland has {count} fields of {fruit}, and there is fruit for {most}"


def channel_faults(data: Data) -> Iterator[str]:
    """Yield a fault for shapes that do not match the crop tokens, wrong fields, and spaces without water."""
    spaces = data["channel_space"]
    fields = sum(len(land["new_fields"]) for land in data["farmland"])
    tees = sum(space["shape"] == "t" for space in spaces)
    if tees != fields:
        yield f"channel_space has {tees} spaces of shape t and must have {fields}, one for each crop token"
    for row, space in enumerate(spaces, 1):
        if ("leads_to" in space) != (space["shape"] == "t"):
            yield f"channel_space {row} has the shape {space['shape']!r}, and t spaces alone must have leads_to"
        if space["id"] in space["adjacent"]:
            yield f"channel_space {row}, adjacent is {space['adjacent']} and must not name the space itself"
    reached = within_reach([*data["channel_start"], *spaces], {start["id"] for start in data["channel_start"]})
    dry = [space["id"] for space in spaces if space["id"] not in reached]
    if dry:
        yield f"channel_space has {', '.join(dry)}, which water cannot reach by adjacent spaces"


def within_reach(spaces: list[Data], reached: set[str]) -> set[str]:
    """Return the ids of all spaces connected to those reached, where either space may name the other."""
    for _ in spaces:
        for space in spaces:
            if space["id"] in reached:
                reached = reached | set(space["adjacent"])
            elif reached & set(space["adjacent"]):
                reached = reached | {space["id"]}
    return reached


def delivery_faults(data: Data) -> Iterator[str]:
    """Yield the faults of the market card and the delivery tokens."""
    bonus, tokens = data["market_card"]["bonus"], data["delivery_tokens"]
    if any(not 1 <= paid <= 2 for paid in bonus[:3]) or any(bonus[3:]):
        yield f"market_card, bonus is {bonus} and must be 1 or 2 three times, then 0 twice"
    numbers, fewer = tokens["numbers"], tokens["two_three_player_numbers"]
    if 2 not in numbers:
        yield f"delivery_tokens, numbers is {numbers} and must have a 2"
    elif Counter(fewer) != Counter(numbers) - Counter([2]):
        yield f"delivery_tokens, two_three_player_numbers is {fewer} and must be {numbers} without a 2"


def card_faults(data: Data) -> Iterator[str]:
    """Yield a fault for each documented delivery card that is missing."""
    cards = data["delivery_card"]
    if not any(set(card["fruits"]) == {"lemon", "cherry"} and card["value"] == 2 for card in cards):
        yield "delivery_card must have a card for a lemon and a cherry, worth 2"
    if not any((card["back_fruit"], card["back_arrow"]) == ("apple", "up") for card in cards):
        yield "delivery_card must have a card with an apple and an arrow up on its back"


def goal_faults(data: Data) -> Iterator[str]:
    """Yield a fault for a goal on the wrong card, with another requirement, or with wrong rewards."""
    goals = data["goal"]
    for row, goal in enumerate(goals, 1):
        card, wanted = goal["card"], REQUIREMENTS[goal["name"]]
        if card != (row + 1) // 2:
            yield f"goal {row}, card is {card} and must be {(row + 1) // 2}: two sides of each card, in order"
        if goal["requirement"] != wanted:
            yield f"goal {row}, requirement is {goal['requirement']} and must be {wanted}"
        if len(goal["rewards"]) != len(goals[0]["rewards"]):
            yield f"goal {row}, rewards has {len(goal['rewards'])} spaces and must have those of goal 1"
        if [*map(list, goal["rewards"])] != [[DIRHEM]] * (len(goal["rewards"]) - 1) + [["noria"]]:
            yield f"goal {row}, rewards is {goal['rewards']} and must be dirhems, and norias on the last space alone"


def award_faults(data: Data) -> Iterator[str]:
    """Yield a fault if no award token has the documented sides of 2 dirhems and 1 dirhem."""
    if not any(paid(award["green"], 2) and paid(award["red"], 1) for award in data["award_token"]):
        yield "award_token must have a token for 2 dirhems on its green side and 1 on its red side"


def paid(side: list[Data], dirhems: int) -> bool:
    """Return whether a side of an award token pays these dirhems and nothing else."""
    return [(icon["a"], icon.get("n", 1)) for icon in side] == [(DIRHEM, dirhems)]


def track_faults(data: Data) -> Iterator[str]:
    """Yield the faults of the segment order, and a fault for each side without the spots of its kind."""
    order, kinds = data["setup"]["segment_order"], [segment["kind"] for segment in data["segment"]]
    if (order[0], order[-1]) != ("go", "end") or any(a == b for a, b in pairwise(order)):
        yield f"setup, segment_order is {order} and must run from go to end, no kind twice in a row"
    if Counter(kinds) != Counter(order):
        yield f"segment has the kinds {', '.join(kinds)}, and setup, segment_order has others"
    for row, segment in enumerate(data["segment"], 1):
        for side in MULES:
            if set(segment[side]) != {"standard", ENDS[segment["kind"]]}:
                wanted = f"standard and {ENDS[segment['kind']]}"
                yield f"segment {row}, {side} has {', '.join(segment[side])} and must have {wanted}"
