"""The track, the farmlands, the villages and the water of Alpujarras, as regions of the board."""

from collections.abc import Iterator
from functools import cache
from math import cos, radians, sin
from typing import NamedTuple

import svg

from ....core.contract import NONE, Overlay
from ....core.english import join_words, pluralize, signed
from ....core.memoize import memoize
from ....core.svg import cached_drawing, clickable, group_at, label, rect, shape, use
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CHANNEL_IDS, COLOURS, FRUITS
from ..rules.state import ADD, DELIVER, DIG, DUG, FROM, GO, MULES, NOWHERE, TO, ZARA, Phase
from ..text.words import (
    award_words,
    channel_name,
    farmers_id,
    fruits,
    land_name,
    offers,
    place_id,
    place_name,
    space_name,
)
from . import plan
from .drawing import HOUSE, MULE, ZARA_MARK, dirhems, farmers_figure, item_icon, mule, number_on


class Offer(NamedTuple):
    """A legal action, with its words and effects."""

    action: int
    words: str  # the action and its effect in words
    gain: int  # the dirhems that it earns at once
    most: bool  # whether the action earns dirhems, and no other delivery or goal more
    signs: tuple[str, ...]  # icons of its other effects: the most farmers, goals, another turn


Choices = dict[int, Offer]
Choice = Offer | None  # None for an action that is not legal now
Stand = tuple[float, float, float]  # x, y and scale of an icon
PLACE_CLASSES = ("start", "standard", "market", "harvest", "end")
TOKEN_X, TOKEN_Y = 36, 40  # a delivery token
NUMBER_X, NUMBER_Y = 13, 10  # the middle of a place's number, from the nearest edges
GAIN_X, GAIN_Y = 34, 20  # the size of the label with an action's dirhems

# Areas of pieces, relative to their own middles: left edge, top edge, width and height.
TOKEN = -TOKEN_X / 2, -TOKEN_Y / 2, TOKEN_X, TOKEN_Y
CHANNEL = -21, -19.5, 42, 39
VILLAGE = -96, -100, 192, 76
AWARD = 42, -55, 54, 30  # the minimum for any award
FIELDS = -94, -22, 188, 84


def choice(choices: Choices, action: int) -> Choice:
    return choices.get(action)


def target(choice: Choice, area: svg.Rect | svg.Circle) -> list[svg.Element]:
    """Return the clickable area of a legal action, in a list. The list is empty if `choice` is None."""
    if not choice:
        return []
    area.class_ = ["most"] if choice.most else []
    return [clickable(area, choice.action, choice.words)]


def gain(choice: Choice, x: float, y: float) -> list[svg.Element]:
    """Draw the dirhems that an action would earn, if any."""
    if not choice or not choice.gain:
        return []
    half = GAIN_X / 2
    pill: list[svg.Element] = [
        rect(-half, -GAIN_Y / 2, GAIN_X, GAIN_Y, rx=GAIN_Y / 2),
        label(signed(choice.gain), 0, 6),
    ]
    return [group_at(x, y, *pill, classes=["gain", *(["most"] if choice.most else [])])]


def signs(choice: Choice, x: float, y: float) -> list[svg.Element]:
    """Draw the icons of an action's other effects in a row, from this point to the left."""
    found = choice.signs if choice else ()
    return [
        group_at(x - 24 * i, y, svg.Circle(class_=["sign"], r=11), use(f"icon-{name}", 0, 0, 0.7))
        for i, name in enumerate(found)
    ]


def region(name: str, elements: list[svg.Element]) -> svg.G:
    """Return a named group of the board's picture."""
    return svg.G(class_=["region", name], elements=elements)


# --- the track ------------------------------------------------------------------------------------------


class Track(NamedTuple):
    """The track, as the board shows it."""

    places: tuple[int, ...]  # in travel order
    reached: int  # the position that the mule has reached in this turn, or NOWHERE
    mules: tuple[tuple[int, int, int, str], ...]  # number, mark, position, and the name of its space


def track_of(s: State) -> Track:
    mules = tuple(
        (i, ZARA_MARK if i == ZARA and box.WITH_ZARA[s.seats] else i, s.mule[i], space_name(s, s.mule[i]))
        for i in range(MULES)
        if s.mule[i] != NOWHERE
    )
    return Track(tuple(place for place in s.track if place != NOWHERE), reached(s), mules)


def track(shown: Track) -> svg.G:
    spots = plan.laid_out(shown.places)
    elements: list[svg.Element] = [
        place(where, position, spot, position == shown.reached)
        for position, (where, spot) in enumerate(zip(shown.places, spots, strict=True))
    ]
    elements += [mule_on(spots[position], i, mark, where) for i, mark, position, where in shown.mules]
    return region("track", elements)


def over_track(s: State, choices: Choices) -> list[Overlay]:
    """Return overlays for the places to which the mule may go. A small screen scrolls to the first place."""
    found: list[Overlay] = []
    for position, spot in enumerate(plan.spots(s)):
        offer = choice(choices, GO + position)
        if offer:
            first = () if found else ("look-here",)
            found.append(Overlay("board", place_id(position), going(offer, spot), classes=first))
    return found


@cached_drawing
def going(offer: Offer, spot: plan.Spot) -> list[svg.Element]:
    area = rect(-spot.width / 2, -spot.depth / 2, spot.width, spot.depth)
    return [upright(*free_corner(spot), signs(offer, 0, 0)), *target(offer, area)]


def lying(spot: plan.Spot) -> str:
    """Return the style that moves a place to its spot."""
    return f"--x:{spot.x:g}px;--y:{spot.y:g}px;--turn:{spot.turn}deg"


def free_corner(spot: plan.Spot) -> tuple[float, float]:
    """Return the corner of a place that its number and icons leave free, relative to the place's middle."""
    return spot.width / 2 - MULE, MULE - spot.depth / 2


def corner(spot: plan.Spot) -> str:
    """Return the style that moves a mule into the free corner of its place."""
    x, y = free_corner(spot)
    turned = radians(spot.turn)
    return lying(
        spot._replace(
            x=round(spot.x + x * cos(turned) - y * sin(turned), 1),
            y=round(spot.y + x * sin(turned) + y * cos(turned), 1),
        )
    )


@cached_drawing
def place(where: int, position: int, spot: plan.Spot, here: bool) -> svg.G:
    kind = PLACE_CLASSES[box.PLACE_KIND[where]]
    elements: list[svg.Element] = [
        svg.Title(text=f"{place_name(where, position)}: {offered(where)}"),
        face(where, position, spot),
    ]
    classes = ["place", kind, *(["here"] if here else [])]
    return svg.G(id=place_id(position), class_=classes, style=lying(spot), elements=elements)


def reached(s: State) -> int:
    """Return the position that the moving mule has reached in this turn, or NOWHERE."""
    if s.phase in (Phase.ZARA_MARKET, Phase.ZARA_HARVEST):
        return s.mule[ZARA]
    return s.mule[s.turn] if s.moved and not s.over else NOWHERE


@cache
def offered(where: int) -> str:
    return join_words(offers(where)) or "nothing more"


def face(where: int, position: int, spot: plan.Spot) -> svg.G:
    elements: list[svg.Element] = [
        rect(-spot.width / 2, -spot.depth / 2, spot.width, spot.depth, "tile"),
        upright(*number_corner(spot), [label(position + 1, 0, 5, "number")]),
    ]
    elements += [upright(x, y, drawn) for x, y, drawn in place_icons(where, spot.depth <= plan.DEPTH / 2)]
    return svg.G(elements=elements)


def number_corner(spot: plan.Spot) -> tuple[float, float]:
    """Return the corner for a place's number, relative to the place's middle."""
    x, y = (NUMBER_Y, NUMBER_X) if spot.turn % 180 else (NUMBER_X, NUMBER_Y)
    return x - spot.width / 2, y - spot.depth / 2


def upright(x: float, y: float, elements: list[svg.Element]) -> svg.G:
    """Return elements that stay upright at any rotation of their place."""
    return svg.G(class_=["up"], style=f"--lx:{x:g}px;--ly:{y:g}px", elements=elements)


# Positions and scales of icons by their number, on a whole place and on a place that shares its column.
WHOLE: tuple[tuple[Stand, ...], ...] = ((), ((0, 8, 1.25),), ((0, -9, 1.1), (0, 24, 1.1)))
SHARED: tuple[tuple[Stand, ...], ...] = ((), ((2, 9, 0.85),), ((-10, 9, 0.78), (11, 9, 0.78)))


def place_icons(where: int, shared: bool) -> Iterator[tuple[float, float, list[svg.Element]]]:
    """Yield each icon of a place with its position."""
    owes = [] if box.PLACE_KIND[where] == box.END_SPOT else owed(list(box.PLACE_OWES[where]))
    pays = int(box.PLACE_PAYS[where])
    stands = (SHARED if shared else WHOLE)[len(owes) + bool(pays)]
    for (x, y, size), (item, count) in zip(stands, owes, strict=False):
        yield x, y, item_icon(item, count, box.SHIELD[where], size)
    if pays:
        x, y, size = stands[-1]
        yield x, y, dirhems(pays, size)


def owed(owes: list[int]) -> list[tuple[int, int]]:
    """Return the items owed with their numbers, markets and harvests first."""
    order = (box.MARKET, box.HARVEST, box.ADD, box.MOVE, box.DIG, box.NORIAS, box.FRUIT, box.GOAL)
    return [(item, int(owes[item])) for item in order if owes[item]]


@cached_drawing
def mule_on(spot: plan.Spot, i: int, seat: int, where: str) -> svg.G:
    owner = "Zara's mule" if seat == ZARA_MARK else f"The mule of player {i + 1}"
    name = svg.Title(text=f"{owner}: {where}")
    return svg.G(id=f"mule-{i}", class_=["at"], style=corner(spot), elements=[name, *mule(seat)])


# --- farmlands and villages -------------------------------------------------------------------------------


class Land(NamedTuple):
    """A farmland with its village, as the board shows it."""

    tokens: tuple[tuple[int, int], ...]  # fruit, and index of the number
    award: tuple[int, int] | None  # number and visible side
    settled: tuple[tuple[int, int], ...]  # seat and number of its farmers in the village
    farmers: tuple[tuple[int, int], ...]  # seat and number of its farmers in the farmland
    fruit: tuple[int, ...]  # number by kind


def lands_of(s: State) -> tuple[tuple[Land, ...], tuple[int, ...], int]:
    """Return the farmlands, the contents of the channel spaces, and the number of seats."""
    return tuple(land_of(s, land) for land in range(box.LANDS)), tuple(s.channel), s.seats


def land_of(s: State, land: int) -> Land:
    players = [s.seat[p] for p in range(s.seats)]
    return Land(
        tokens_in(s, land),
        (s.award[land], s.flipped[land]) if s.flipped[land] < len(box.AWARD_SIDES) else None,
        tuple((p, one.village[land]) for p, one in enumerate(players) if one.village[land]),
        tuple((p, one.farmland[land]) for p, one in enumerate(players) if one.farmland[land]),
        tuple(s.growing[land]),
    )


def lands(shown: tuple[Land, ...], channels: tuple[int, ...], seats: int) -> svg.G:
    elements: list[svg.Element] = [soils(), *water(channels)]
    for land, one in enumerate(shown):
        block = over_block(land, village(land, one), *farmers(land, one, seats), *heap(land, one.fruit))
        block.id = block_id(land)
        elements.append(block)
    return region("lands", elements)


def block_id(land: int) -> str:
    return f"block-{COLOURS[land]}"


def over_lands(s: State, choices: Choices) -> list[Overlay]:
    """Return overlays for the channels, tokens and farmlands that can be chosen."""
    left, top, width, height = FIELDS
    found: list[Overlay] = []
    for space in range(box.CHANNELS):
        drawn = target(choice(choices, DIG + space), rect(*CHANNEL))
        found += [Overlay("board", channel_id(space), drawing) for drawing in drawn]
    for land in range(box.LANDS):
        for i, (fruit, size) in enumerate(tokens_in(s, land)):
            offer = choice(choices, DELIVER + (land * box.LANDS + fruit) * box.SIZES + size)
            if offer:
                drawn = [*target(offer, rect(*TOKEN)), *gain(offer, 0, -TOKEN_Y / 2 - 2)]
                found.append(Overlay("board", village_id(land), group_at(*token_at(i), *drawn)))
        for first, high in ((ADD, height), (TO, height), (FROM, height / 2)):
            offer = choice(choices, first + land)
            drawn = [*target(offer, rect(left, top, width, high)), *signs(offer, left + width - 14, top + 12)]
            found += [Overlay("board", block_id(land), drawing) for drawing in drawn]
    return found


@cached_drawing
def soils() -> svg.G:
    return svg.G(class_=["soils"], elements=[soil(land) for land in range(box.LANDS)])


def soil(land: int) -> svg.G:
    name = COLOURS[land]
    ground = svg.Polygon(class_=["land", name], points=plan.outline(land))  # type: ignore[arg-type]
    heart = over_block(land, rect(*FIELDS, "heart"))
    return svg.G(id=f"land-{name}", elements=[svg.Title(text=land_name(land).capitalize()), ground, heart])


def over_block(land: int, *elements: svg.Element) -> svg.G:
    """Return elements moved to a farmland's block."""
    x, y = plan.BLOCKS[land]
    return svg.G(class_=["block"], style=f"--x:{x}px;--y:{y}px", elements=[*elements])


def village(land: int, shown: Land) -> svg.G:
    elements: list[svg.Element] = [houses(land)]
    elements += [group_at(*token_at(i), token(*one)) for i, one in enumerate(shown.tokens)]
    if shown.award:
        elements.append(award(*shown.award))
    elements += [settlers(land, p, count, -78 + 33 * i) for i, (p, count) in enumerate(shown.settled)]
    return svg.G(id=village_id(land), elements=elements)


def village_id(land: int) -> str:
    return f"village-{COLOURS[land]}"


@cached_drawing
def settlers(land: int, p: int, count: int, x: float) -> svg.G:
    return whose(p, count, f"{COLOURS[land]} village", farmers_figure(p, count, x, -40, lying=True))


def whose(p: int, count: int, where: str, drawn: svg.Element) -> svg.G:
    """Return farmers with a title that names their player."""
    words = f"{pluralize(count, 'farmer')} of player {p + 1} in the {where}"
    return svg.G(elements=[svg.Title(text=words.capitalize()), drawn])


@cached_drawing
def houses(land: int) -> list[svg.Element]:
    return [
        svg.Title(text=f"{COLOURS[land].capitalize()} village"),
        rect(*VILLAGE, "village", COLOURS[land], rx=10),
        group_at(-84, -101, shape(HOUSE, "roof", COLOURS[land])),
    ]


def token_at(i: int) -> tuple[float, float]:
    """Return the middle of the delivery token at index `i` of a village."""
    return -74 + i * (TOKEN_X + 1), -77


@memoize(lambda s, land: (s.token.to_bytes(), land))
def tokens_in(s: State, land: int) -> tuple[tuple[int, int], ...]:
    """Return the fruit of every delivery token in a village, and the index of its number."""
    return tuple(
        (fruit, size)
        for fruit in range(box.LANDS)
        for size in range(box.SIZES)
        for _ in range(s.token[land, fruit, size])
    )


@cached_drawing
def token(fruit: int, size: int) -> svg.G:
    number = int(box.NUMBERS[size])
    face: list[svg.Element] = [
        svg.Title(text=f"{fruits(fruit, number)} for {box.REWARD[size]} dirhems"),
        rect(*TOKEN, "token"),
        use(f"fruit-{FRUITS[fruit]}", -4, -4, 0.95),
        label(number, 9, 15, "number-on"),
    ]
    return svg.G(elements=face)


@cached_drawing
def award(number: int, side: int) -> svg.G:
    row = number * len(box.AWARD_SIDES) + side
    icons = [item_icon(item, count, size=0.78) for item, count in owed([int(n) for n in box.AWARD_OWES[row]])]
    if box.AWARD_PAYS[row]:
        icons.append(dirhems(int(box.AWARD_PAYS[row]), 0.78))
    wide = 16 + 10 * (len(icons) - 1)
    elements: list[svg.Element] = [
        svg.Title(text=f"Award for the next delivery here: {award_words(number, side)}"),
        rect(-wide, -15, 2 * wide, 30, "award", box.AWARD_SIDES[side], rx=15),
    ]
    elements += [group_at((i - (len(icons) - 1) / 2) * 20, 0, *icon) for i, icon in enumerate(icons)]
    return group_at(94 - wide, -40, *elements)


def farmers(land: int, shown: Land, seats: int) -> Iterator[svg.Element]:
    return (crew(land, p, seats, count) for p, count in shown.farmers)


@cached_drawing
def crew(land: int, p: int, seats: int, count: int) -> svg.G:
    x = (p - (seats - 1) / 2) * 44
    group = whose(p, count, land_name(land), farmers_figure(p, count, x - 6, 0))
    group.id = farmers_id(land, p)
    return group


def heap(land: int, growing: tuple[int, ...]) -> list[svg.Element]:
    """Draw each fruit that grows or has a field in a farmland, the primary fruit first."""
    kinds = [land, *(fruit for fruit in range(box.LANDS) if fruit != land)]
    shown = [f for f in kinds if growing[f] or box.FIELDS[land, f]]
    return [pile(land, fruit, growing[fruit], i - (len(shown) - 1) / 2) for i, fruit in enumerate(shown)]


@cached_drawing
def pile(land: int, fruit: int, many: int, place: float) -> svg.G:
    elements: list[svg.Element] = [
        svg.Title(text=f"{fruits(fruit, many).capitalize()} in the {land_name(land)}"),
        svg.Circle(class_=["field", *(["primary"] if fruit == land else [])], r=17),
        use(f"fruit-{FRUITS[fruit]}", -3, 0, 0.95),
        label(many, 8, 15, "count"),
    ]
    if fruit == land:
        elements.append(use("icon-harvest", -12, -14, 0.6))
    classes = ["heap", *([] if many else ["bare"])]
    return group_at(place * 36, 44, *elements, classes=classes)


# --- water ------------------------------------------------------------------------------------------------


def water(crops: tuple[int, ...]) -> list[svg.Element]:
    return [canals(tuple(crop != NONE for crop in crops)), *(channel(space, crop) for space, crop in enumerate(crops))]


@cached_drawing
def canals(dug: tuple[bool, ...]) -> list[svg.Element]:
    """Draw the canals, the spring, and the starts of water. Canals whose channel spaces are dug are wet."""
    found: list[svg.Element] = []
    for (x1, y1), (x2, y2), spaces in plan.canals():
        wet = ["wet"] if all(dug[space] for space in spaces) else []
        found.append(svg.Line(class_=["canal", *wet], x1=x1, y1=y1, x2=x2, y2=y2))
    found.append(svg.Circle(class_=["spring"], r=40))
    return found + [svg.Circle(class_=["source"], cx=x, cy=y, r=9) for x, y in plan.STARTS]


@cached_drawing
def channel(space: int, crop: int) -> svg.G:
    x, y = plan.CHANNELS[space]
    leads = box.LEADS_TO[space] != NONE
    state = "" if crop == NONE else ", dug" if crop == DUG else f", dug: {FRUITS[crop]}"
    elements: list[svg.Element] = [svg.Title(text=f"{channel_name(space).capitalize()}{state}")]
    if leads:
        field_x, field_y = plan.new_field(space)
        elements.append(
            svg.Line(class_=["spur", *(["wet"] if crop != NONE else [])], x1=0, y1=0, x2=field_x - x, y2=field_y - y)
        )
        planted = [use(f"fruit-{FRUITS[crop]}", 0, 0, 0.8)] if crop not in (NONE, DUG) else []
        elements.append(group_at(field_x - x, field_y - y, svg.Circle(class_=["crop"], r=12), *planted))
    elements.append(bed(crop != NONE))
    if crop == NONE:
        elements.append(channel_icons(space))
    return group_at(x, y, *elements, name=channel_id(space))


def channel_id(space: int) -> str:
    return f"channel-{CHANNEL_IDS[space]}"


def bed(wet: bool) -> svg.Rect:
    return rect(-20, -14, 40, 28, "bed", *(["wet"] if wet else []))


def channel_icons(space: int) -> svg.G:
    norias, paid = int(box.ICON_NORIAS[space]), int(box.ICON_DIRHEMS[space])
    icons = ([number_on("icon-noria", norias, 0.78)] if norias else []) + ([dirhems(paid, 0.8)] if paid else [])
    return svg.G(elements=[group_at((i - (len(icons) - 1) / 2) * 18.5, 0, *icon) for i, icon in enumerate(icons)])
