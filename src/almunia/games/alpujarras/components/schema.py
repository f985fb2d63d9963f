"""Models of the values that a corrected component file of Alpujarras may change."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, model_validator

from ....core.component_data import Data, shorten
from ....core.corrections import FALLING, UNIQUE, Corrections, Name, Partial, Whole, between, repeats, rows
from . import DIRHEM

Fruit = Literal["orange", "lemon", "apple", "cherry", "grape"]
Colour = Literal["orange", "yellow", "green", "red", "purple"]
Kind = Literal["go", "market", "harvest", "end"]  # of segments
FiveOrLess = Annotated[int, between(1, 5)]
Position = Annotated[list[Annotated[int, between(0, 1000)]], rows(2)]
Neighbours = Annotated[list[str], rows(1, 15), UNIQUE]
ADDS = {"add_farmer", "add_two_farmers"}
COUNTED = ("noria", "fruit", DIRHEM)  # the icons that may have a number
MULES = {"green": 4, "blue": 3}  # number of mules on each side of the track
ENDS = {"go": "start_spots", "market": "spots", "harvest": "spots", "end": "end_dirhems"}  # by kind of segment
MAX_PLACES = 6  # spaces and spots of a segment: the track has fewer than 128 places then


class Icon(Whole):
    """An icon, with a number or a shield if its kind allows it."""

    a: Literal["add_farmer", "add_two_farmers", "move_farmer", "irrigate", "noria", "fruit", "dirhem", "goal"]
    n: FiveOrLess = 1
    farmland: Colour | None = None

    @model_validator(mode="after")
    def fits(self) -> "Icon":
        """Raise ValueError if the kind of the icon does not allow its number or its shield."""
        if self.n > 1 and self.a not in COUNTED:
            raise ValueError("have an n of 1")
        if self.farmland and self.a != "add_farmer":
            raise ValueError("name no farmland, which only 'add_farmer' may")
        return self


def go_together(icons: list[Icon]) -> list[Icon]:
    """Return the icons. Raise ValueError if two are of the same kind or both add farmers."""
    names = {icon.a for icon in icons}
    if len(names) != len(icons) or names >= ADDS:
        raise ValueError("be different actions")
    return icons


Icons = Annotated[list[Icon], rows(1, 2), AfterValidator(go_together)]
SpotIcons = Annotated[list[Icon], rows(0, 2), AfterValidator(go_together)]


class Die(Partial):
    """The numbers on the faces of Zara's die."""

    faces: Annotated[list[Annotated[int, between(1, 6)]], rows(6)]


class Setup(Partial):
    """The order in which the kinds of segments form the track."""

    segment_order: Annotated[list[Kind], rows(10)]


class Farmland(Partial):
    id: Name
    color: Colour
    primary: Fruit
    fields: Annotated[list[Fruit], rows(1, 5)]
    new_fields: Annotated[list[Name], rows(2)]
    layout_xy: Position


class ChannelStart(Whole):
    id: Name
    adjacent: Neighbours
    layout_xy: Position
    between: Any = None
    status: Any = None


class ChannelIcons(Whole):
    """The numbers of norias and dirhems on a channel space."""

    noria: Annotated[int, between(0, 5)]
    dirhem: Annotated[int, between(0, 5)]


class ChannelSpace(Whole):
    id: Name
    shape: Literal["t", "straight"]
    adjacent: Neighbours
    leads_to: str | None = None
    icons: ChannelIcons
    layout_xy: Position
    status: Any = None


class MarketCard(Partial):
    """The bonus at each place of the market card, from the left."""

    bonus: Annotated[list[int], rows(5)]


class DeliveryTokens(Partial):
    """The numbers on the delivery tokens of a fruit."""

    numbers: Annotated[list[FiveOrLess], rows(5)]
    two_three_player_numbers: list[int]


class DeliveryCard(Partial):
    """A delivery card with its back."""

    id: Name
    fruits: Annotated[list[Fruit], rows(1, 5), UNIQUE]
    value: Annotated[int, between(1, 10)]
    back_fruit: Fruit
    back_arrow: Literal["up", "down"]


class Reward(Whole):
    """The dirhems or norias that a space of a goal pays."""

    dirhem: FiveOrLess | None = None
    noria: FiveOrLess | None = None


class Goal(Partial):
    """The goal on one side of a goal card, with the rewards of its spaces."""

    id: Name
    name: str
    requirement: dict[str, Any]
    rewards: Annotated[list[Reward], rows(2, 5)]


class Award(Partial):
    id: Name
    green: Icons
    red: Icons


class Side(Whole):
    """The spaces and spots on one side of a segment."""

    standard: Annotated[list[Icons], rows(1, MAX_PLACES)]
    spots: Annotated[list[SpotIcons], rows(1, MAX_PLACES)] | None = None
    start_spots: Annotated[int, between(1, MAX_PLACES)] | None = None
    end_dirhems: Annotated[list[Annotated[int, between(0, 10)]], rows(1, MAX_PLACES), FALLING] | None = None


class Segment(Partial):
    id: Name
    kind: Kind
    green: Side
    blue: Side


class Tables(Corrections):
    """The tables that a corrected file may change, with a model for the rows of each."""

    remarks = "status", "why", "segment_order_status", "card_pairing_status", "alternative", "village", "neighbours"
    die: Die
    setup: Setup
    farmland: list[Farmland]
    channel_start: Annotated[list[ChannelStart], rows(1, 10)]
    channel_space: Annotated[list[ChannelSpace], rows(15)]
    market_card: MarketCard
    delivery_tokens: DeliveryTokens
    delivery_card: list[DeliveryCard]
    goal: list[Goal]
    award_token: list[Award]
    segment: list[Segment]

    def contradictions(self, data: Data, shipped: Data) -> Iterator[str]:
        """Yield sentences on contradictions between rows, and with documented facts."""
        for table in ("farmland", "delivery_card", "goal", "award_token", "segment"):
            yield from repeats(data, (table, "id"))
        yield from repeats(data, ("channel_start", "id"), ("channel_space", "id"))
        yield from repeats(data, *((table, "layout_xy") for table in ("farmland", "channel_start", "channel_space")))
        for table, key in (("farmland", "color"), ("farmland", "primary"), ("channel_space", "leads_to")):
            yield from repeats(data, (table, key))
        yield from farmland_faults(data)
        yield from channel_faults(data)
        yield from delivery_faults(data)
        yield from goal_faults(data["goal"], shipped["goal"])
        yield from award_faults(data)
        yield from track_faults(data)


def farmland_faults(data: Data) -> Iterator[str]:
    for row, land in enumerate(data["farmland"], 1):
        if land["primary"] not in land["fields"]:
            yield f"farmland {row}, fields is {land['fields']} and must have {land['primary']}, the primary fruit"
        new = land["new_fields"]
        if any(not field.startswith(f"{land['id']}:") for field in new) or len({*map(str.casefold, new)}) != len(new):
            yield f"farmland {row}, new_fields is {new} and must be different, and begin with {land['id']}:"
    counted = Counter(field for land in data["farmland"] for field in land["fields"])
    most = (data["counts"]["fruits_per_type"] - 1) // max(data["setup"]["fruit_per_field"].values())
    for fruit, count in counted.items():
        if count > most:
            yield f"farmland has {count} fields of {fruit}, and there is fruit for {most}"


def channel_faults(data: Data) -> Iterator[str]:
    starts, spaces = data["channel_start"], data["channel_space"]
    fields = [field for land in data["farmland"] for field in land["new_fields"]]
    tees = sum(space["shape"] == "t" for space in spaces)
    if tees != len(fields):
        yield f"channel_space has {tees} spaces of shape t and must have {len(fields)}, one for each crop token"
    ids = [space["id"] for space in spaces]
    for table, known in (("channel_start", ids), ("channel_space", [start["id"] for start in starts] + ids)):
        for row, space in enumerate(data[table], 1):
            if not {*space["adjacent"]} <= {*known}:
                yield f"{table} {row}, adjacent is {space['adjacent']} and must be some of {', '.join(known)}"
    for row, space in enumerate(spaces, 1):
        if ("leads_to" in space) != (space["shape"] == "t"):
            yield f"channel_space {row} has the shape {space['shape']!r}, and t spaces alone must have leads_to"
        if space.get("leads_to", fields[0]) not in fields:
            yield f"channel_space {row}, leads_to is {space['leads_to']!r} and must be one of {', '.join(fields)}"
        if space["id"] in space["adjacent"]:
            yield f"channel_space {row}, adjacent is {space['adjacent']} and must not name the space itself"
    reached = within_reach([*starts, *spaces], {start["id"] for start in starts})
    dry = [space["id"] for space in spaces if space["id"] not in reached]
    if dry:
        yield f"channel_space has {', '.join(dry)}, which water cannot reach by adjacent spaces"


def within_reach(spaces: list[Data], reached: set[str]) -> set[str]:
    """Return `reached` and the ids of all spaces connected to `reached`, directly or by other spaces.

    Two spaces are connected directly if either names the other.
    """
    for _ in spaces:
        for space in spaces:
            if space["id"] in reached:
                reached = reached | set(space["adjacent"])
            elif reached & set(space["adjacent"]):
                reached = reached | {space["id"]}
    return reached


def delivery_faults(data: Data) -> Iterator[str]:
    bonus, tokens, cards = data["market_card"]["bonus"], data["delivery_tokens"], data["delivery_card"]
    if any(not 1 <= paid <= 2 for paid in bonus[:3]) or any(bonus[3:]):
        yield f"market_card, bonus is {bonus} and must be 1 or 2 three times, then 0 twice"
    numbers, fewer = tokens["numbers"], tokens["two_three_player_numbers"]
    if 2 not in numbers:
        yield f"delivery_tokens, numbers is {numbers} and must have a 2"
    elif Counter(fewer) != Counter(numbers) - Counter([2]):
        yield f"delivery_tokens, two_three_player_numbers is {fewer} and must be {numbers} without a 2"
    if not any({*card["fruits"]} == {"lemon", "cherry"} and card["value"] == 2 for card in cards):
        yield "delivery_card must have a card for a lemon and a cherry, worth 2"
    if not any((card["back_fruit"], card["back_arrow"]) == ("apple", "up") for card in cards):
        yield "delivery_card must have a card with an apple and an arrow up on its back"


def goal_faults(goals: list[Data], shipped: list[Data]) -> Iterator[str]:
    requirements = {goal["name"]: goal["requirement"] for goal in shipped}
    yield from repeats({"goal": goals}, ("goal", "name"))
    for row, goal in enumerate(goals, 1):
        rewards, wanted = goal["rewards"], requirements.get(goal["name"])
        if wanted is None:
            yield f"goal {row}, name is {goal['name']!r} and must be one of {', '.join(requirements)}"
        elif goal["requirement"] != wanted:
            yield f"goal {row}, requirement is {goal['requirement']} and must be {wanted}"
        if len(rewards) != len(goals[0]["rewards"]):
            yield f"goal {row}, rewards has {len(rewards)} spaces and must have those of goal 1"
        if [*map(list, rewards)] != [[DIRHEM]] * (len(rewards) - 1) + [["noria"]]:
            yield f"goal {row}, rewards is {rewards} and must be dirhems, and norias on the last space alone"


def award_faults(data: Data) -> Iterator[str]:
    for row, award in enumerate(data["award_token"], 1):
        for side in ("green", "red"):
            if any(icon["a"] == "goal" for icon in award[side]):
                yield f"award_token {row}, {side} is {shorten(award[side])} and must have no goal"
    if not any(paid(award["green"], 2) and paid(award["red"], 1) for award in data["award_token"]):
        yield "award_token must have a token for 2 dirhems on its green side and 1 on its red side"


def paid(side: list[Data], dirhems: int) -> bool:
    return [(icon["a"], icon.get("n", 1)) for icon in side] == [(DIRHEM, dirhems)]


def track_faults(data: Data) -> Iterator[str]:
    order, kinds = data["setup"]["segment_order"], [segment["kind"] for segment in data["segment"]]
    if (order[0], order[-1]) != ("go", "end") or any(a == b for a, b in pairwise(order)):
        yield f"setup, segment_order is {order} and must run from go to end, no kind twice in a row"
    if Counter(kinds) != Counter(order):
        yield f"segment has the kinds {', '.join(kinds)}, and setup, segment_order has others"
    for row, segment in enumerate(data["segment"], 1):
        for side, mules in MULES.items():
            end = ENDS[segment["kind"]]
            if {*segment[side]} != {"standard", end}:
                yield f"segment {row}, {side} has {', '.join(segment[side])} and must have standard and {end}"
                continue
            spots = segment[side][end]
            if (spots if end == "start_spots" else len(spots)) < mules:
                limits = f"from {mules} to {MAX_PLACES}"
                wanted = f"be {limits}" if end == "start_spots" else f"have {limits} rows"
                yield f"segment {row}, {side}, {end} is {shorten(spots)} and must {wanted}"
