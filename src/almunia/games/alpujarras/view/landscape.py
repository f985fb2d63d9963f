"""The track, the farmlands and the water of Alpujarras, as regions of the main picture."""

from collections.abc import Iterator
from functools import cache
from math import cos, radians, sin

import svg

from ....core.contract import NONE
from ....core.drawing import at, clickable, label, once, rect, shape, use
from ....core.plain import CheckedRecord as State
from ....core.words import listed
from .. import components as box
from ..components import CHANNEL_IDS, COLOURS, FRUITS
from ..rules.state import ADD, DELIVER, DIG, DUG, FROM, GO, MULES, NOWHERE, TO, ZARA, Phase
from ..text.words import award_words, channel_name, fruits, land_name, offers, place_id, place_name
from . import plan
from .drawing import HOUSE, ZARA_MARK, counted, dirhems, farmer_icon, move_icon, mule, number_on

Choices = dict[int, str]  # what may be chosen, each with what is said of it
Choice = tuple[int, str] | None  # one of them, or what cannot be chosen now
PLACE_CLASSES = ("start", "standard", "market", "harvest", "end")
TOKEN = 32  # a delivery token


def choice(choices: Choices, action: int) -> Choice:
    """An action with what is said of it, if it may be chosen."""
    return (action, choices[action]) if action in choices else None


def target(choice: Choice, area: svg.Rect | svg.Circle) -> list[svg.Element]:
    """The area where an action may be clicked, if it may be chosen."""
    return [clickable(area, *choice)] if choice else []


@once
def oblong(choice: Choice, x: float, y: float, width: float, height: float) -> list[svg.Element]:
    """An oblong where an action may be clicked, if it may be chosen."""
    return target(choice, rect(x, y, width, height))


def region(name: str, elements: list[svg.Element]) -> svg.G:
    """A part of the picture that `view.css` puts into its place."""
    return svg.G(class_=["region", name], elements=elements)


# --- the track ------------------------------------------------------------------------------------------


def track(s: State, choices: Choices) -> svg.G:
    """Every place, and the mules."""
    spots = plan.spots(s)
    here = reached(s)
    elements: list[svg.Element] = [
        place(s.track[position], position, spot, choice(choices, GO + position), position == here)
        for position, spot in enumerate(spots)
    ]
    elements += [mule_at(s, i, spots[s.mule[i]]) for i in range(MULES) if s.mule[i] != NOWHERE]
    return region("track", elements)


def lying(spot: plan.Spot) -> str:
    """The style that puts a place where it belongs, on wide and on narrow pages."""
    wide = f"--x:{spot.x:g}px;--y:{spot.y:g}px;--wide:{spot.turn}deg"
    return f"{wide};--nx:{spot.narrow_x:g}px;--ny:{spot.narrow_y:g}px;--ns:{spot.narrow_scale:g}"


def corner(spot: plan.Spot) -> str:
    """The style that puts a mule into the corner of its place that number and icons leave free."""
    x, y = spot.width / 2 - 11, 11 - spot.depth / 2
    turned = radians(spot.turn)
    return lying(
        spot._replace(
            x=round(spot.x + x * cos(turned) - y * sin(turned), 1),
            y=round(spot.y + x * sin(turned) + y * cos(turned), 1),
            narrow_x=spot.narrow_x + x * spot.narrow_scale,
            narrow_y=spot.narrow_y + y * spot.narrow_scale,
        )
    )


@once
def place(where: int, position: int, spot: plan.Spot, choice: Choice, here: bool) -> svg.G:
    """One place of the track: its number, its icons, and its edge if the mule may go there."""
    kind = PLACE_CLASSES[box.PLACE_KIND[where]]
    area = -spot.width / 2, -spot.depth / 2, spot.width, spot.depth
    elements: list[svg.Element] = [
        svg.Title(text=f"{place_name(where, position)}: {offered(where)}"),
        face(where, position, spot),
        *target(choice, rect(*area)),
    ]
    classes = ["place", kind, *(["here"] if here else [])]
    return svg.G(id=place_id(position), class_=classes, style=lying(spot), elements=elements)


def reached(s: State) -> int:
    """Where the turn's mule has moved to, or NOWHERE."""
    if s.phase in (Phase.REMOVE, Phase.STRIP):
        return s.mule[ZARA]
    return s.mule[s.turn] if s.moved and not s.over else NOWHERE


@cache
def offered(where: int) -> str:
    """What a place lets a player do, in words."""
    return listed(offers(where)) or "nothing more"


def face(where: int, position: int, spot: plan.Spot) -> svg.G:
    """What is printed on a place of the track, and its number; the same all through a play."""
    elements: list[svg.Element] = [
        rect(-spot.width / 2, -spot.depth / 2, spot.width, spot.depth, "tile"),
        upright(10 - spot.width / 2, 9 - spot.depth / 2, [place_number(position, spot)]),
    ]
    icons = place_icons(where)
    for (x, y, scale), icon in zip(icon_places(len(icons), halved(spot)), icons, strict=True):
        elements.append(upright(x, y, icon, scale))
    return svg.G(elements=elements)


def place_number(position: int, spot: plan.Spot) -> svg.Text:
    """The number of a place, smaller where two share a column."""
    return label(position + 1, 0, 4, "number", *(["halved"] if halved(spot) else []))


def halved(spot: plan.Spot) -> bool:
    """Does the place share its column with another?"""
    return spot.depth <= plan.DEPTH / 2


def upright(x: float, y: float, elements: list[svg.Element], scale: float = 1) -> svg.G:
    """Something on a place that stands upright however the place is turned."""
    return svg.G(class_=["up"], style=f"--lx:{x:g}px;--ly:{y:g}px;--size:{scale:g}", elements=elements)


def icon_places(count: int, shared: bool) -> tuple[tuple[float, float, float], ...]:
    """Where icons stand on a place, and their scale."""
    full = ((), ((0, 6, 1.25),), ((0, -9, 1.05), (0, 22, 1.05)), ((0, -18, 0.8), (0, 5, 0.8), (0, 27, 0.8)))
    half = ((), ((3, 7, 0.85),), ((-10, 8, 0.7), (11, 8, 0.7)), ((-14, 9, 0.55), (1, 9, 0.55), (15, 9, 0.55)))
    return half[count] if shared else full[count]


def place_icons(where: int) -> list[list[svg.Element]]:
    """The icons of a place; on an end spot its dirhems stand for everything."""
    pays = int(box.PLACE_PAYS[where])
    found = [] if box.PLACE_KIND[where] == box.END_SPOT else owed_icons(list(box.PLACE_OWES[where]), box.SHIELD[where])
    return [*found, dirhems(pays)] if pays else found


def owed_icons(owes: list[int], shield: int = NONE) -> list[list[svg.Element]]:
    """An icon for each action, markets and harvests first."""
    order = (box.MARKET, box.HARVEST, box.ADD, box.MOVE, box.DIG, box.NORIAS, box.FRUIT, box.GOAL)
    return [item_icon(item, owes[item], shield) for item in order if owes[item]]


def item_icon(item: int, count: int, shield: int = NONE) -> list[svg.Element]:
    """The icon of one action."""
    match item:
        case box.ADD:
            return farmer_icon(shield, two=count > 1)
        case box.MOVE:
            return move_icon()
        case box.NORIAS:
            return number_on("icon-noria", count)
        case box.FRUIT:
            return number_on("icon-fruit", count)
    names = {box.DIG: "water", box.GOAL: "goal", box.MARKET: "market", box.HARVEST: "harvest"}
    return [use(f"icon-{names[item]}")]


def mule_at(s: State, i: int, spot: plan.Spot) -> svg.Element:
    """A mule on its place."""
    return mule_on(spot, i, ZARA_MARK if i == ZARA and box.WITH_ZARA[s.seats] else i)


@once
def mule_on(spot: plan.Spot, i: int, seat: int) -> svg.G:
    """A mule with its mark in the corner of its place."""
    name = "Zara's mule" if seat == ZARA_MARK else f"The mule of player {i + 1}"
    return svg.G(id=f"mule-{i}", class_=["at"], style=corner(spot), elements=[svg.Title(text=name), *mule(seat)])


# --- farmlands and villages -------------------------------------------------------------------------------


def lands(s: State, choices: Choices) -> svg.G:
    """The farmlands, the water between them, and the villages."""
    elements: list[svg.Element] = [soil(land) for land in range(box.LANDS)]
    elements += water(s, choices)
    for land, (x, y) in enumerate(plan.BLOCKS):
        elements.append(at(x, y, *block(s, land, choices)))
    return region("lands", elements)


@once
def soil(land: int) -> svg.G:
    """The ground of a farmland."""
    name = COLOURS[land]
    ground = svg.Polygon(class_=["land", name], points=plan.outline(land))  # type: ignore[arg-type]
    return svg.G(id=f"land-{name}", elements=[svg.Title(text=land_name(land).capitalize()), ground])


def block(s: State, land: int, choices: Choices) -> list[svg.Element]:
    """What is drawn for a farmland: its village above, its farmers, and its fruit."""
    elements: list[svg.Element] = [village(s, land, choices)]
    elements += farmers(s, land)
    elements += heap(s, land)
    for first, height in ((ADD, 84), (TO, 84), (FROM, 38)):
        elements.append(oblong(choice(choices, first + land), -92, -20, 184, height))
    return elements


def village(s: State, land: int, choices: Choices) -> svg.G:
    """The village: its delivery tokens, its award, and the farmers who stay there."""
    elements: list[svg.Element] = [houses(land)]
    for i, (fruit, size) in enumerate(tokens_in(s, land)):
        action = DELIVER + (land * box.LANDS + fruit) * box.SIZES + size
        elements.append(token(fruit, size, i, choice(choices, action)))
    if s.flipped[land] < len(box.AWARD_SIDES):
        elements.append(award(s.award[land], s.flipped[land]))
    settled = [p for p in range(s.seats) if s.seat[p].village[land]]
    elements += [counted(p, s.seat[p].village[land], -72 + 40 * i, -38, lying=True) for i, p in enumerate(settled)]
    return svg.G(id=f"village-{COLOURS[land]}", elements=elements)


@once
def houses(land: int) -> list[svg.Element]:
    """The ground of a village, with its name."""
    return [
        svg.Title(text=f"{COLOURS[land].capitalize()} village"),
        rect(-94, -92, 188, 68, "village", COLOURS[land], rx=10),
        at(-84, -92, shape(HOUSE, "roof", COLOURS[land])),
    ]


def tokens_in(s: State, land: int) -> list[tuple[int, int]]:
    """Fruit and size of every delivery token in a village."""
    return [
        (fruit, size)
        for fruit in range(box.LANDS)
        for size in range(box.SIZES)
        for _ in range(s.token[land, fruit, size])
    ]


@once
def token(fruit: int, size: int, i: int, choice: Choice) -> svg.G:
    """A delivery token: how many of which fruit it takes."""
    number = int(box.NUMBERS[size])
    face: list[svg.Element] = [
        svg.Title(text=f"{fruits(fruit, number)} for {box.REWARD[size]} dirhems"),
        rect(-TOKEN / 2, -17, TOKEN, 34, "token"),
        use(f"fruit-{FRUITS[fruit]}", -4, -4, 0.85),
        label(number, 9, 14, "number-on"),
    ]
    face += target(choice, rect(-TOKEN / 2, -17, TOKEN, 34))
    return at(-73 + i * (TOKEN + 4), -71, *face)


@once
def award(number: int, side: int) -> svg.G:
    """The side of an award token that shows."""
    row = number * len(box.AWARD_SIDES) + side
    icons = owed_icons([int(count) for count in box.AWARD_OWES[row]])
    if box.AWARD_PAYS[row]:
        icons.append(dirhems(int(box.AWARD_PAYS[row])))
    scale = 0.9 if len(icons) == 1 else 0.58
    elements: list[svg.Element] = [
        svg.Title(text=f"Award for the next delivery here: {award_words(number, side)}"),
        svg.Circle(class_=["award", box.AWARD_SIDES[side]], r=16),
    ]
    elements += [at((i - (len(icons) - 1) / 2) * 14, 0, *icon, scale=scale) for i, icon in enumerate(icons)]
    return at(76, -38, *elements)


def farmers(s: State, land: int) -> Iterator[svg.Element]:
    """The farmers of each player, in seats' order."""
    for p in range(s.seats):
        if s.seat[p].farmland[land]:
            yield crew(land, p, s.seats, s.seat[p].farmland[land])


@once
def crew(land: int, p: int, seats: int, count: int) -> svg.G:
    """The farmers of a player in a farmland."""
    x = (p - (seats - 1) / 2) * 44
    return svg.G(id=f"farmers-{COLOURS[land]}-{p}", elements=[counted(p, count, x - 6, -1)])


def heap(s: State, land: int) -> list[svg.Element]:
    """The fruit of a farmland: every kind that grows there, its primary fruit first, with a sickle."""
    kinds = [land, *(fruit for fruit in range(box.LANDS) if fruit != land)]
    shown = [f for f in kinds if s.growing[land, f] or box.FIELDS[land, f]]
    return [pile(land, fruit, s.growing[land, fruit], i - (len(shown) - 1) / 2) for i, fruit in enumerate(shown)]


@once
def pile(land: int, fruit: int, many: int, place: float) -> svg.G:
    """One kind of fruit in a farmland, so many places from the middle."""
    elements: list[svg.Element] = [
        svg.Title(text=f"{fruits(fruit, many).capitalize()} in the {land_name(land)}"),
        svg.Circle(class_=["field", *(["primary"] if fruit == land else [])], r=17),
        use(f"fruit-{FRUITS[fruit]}", -3, 0, 0.95),
        label(many, 10, 14, "count"),
    ]
    if fruit == land:
        elements.append(use("icon-harvest", -12, -14, 0.6))
    classes = ["heap", *([] if many else ["bare"])]
    return at(place * 37, 44, *elements, classes=classes)


# --- water ------------------------------------------------------------------------------------------------


def water(s: State, choices: Choices) -> list[svg.Element]:
    """Canals, dry or running, and the channel spaces along them."""
    dug = [crop != NONE for crop in s.channel]
    channels = (channel(space, s.channel[space], choice(choices, DIG + space)) for space in range(box.CHANNELS))
    return [canals(tuple(dug)), *channels]


@once
def canals(dug: tuple[bool, ...]) -> list[svg.Element]:
    """Canals, wet between channel spaces that have been dug, the spring and where they start."""
    found: list[svg.Element] = []
    for (x1, y1), (x2, y2), spaces in plan.canals():
        wet = ["wet"] if all(dug[space] for space in spaces) else []
        found.append(svg.Line(class_=["canal", *wet], x1=x1, y1=y1, x2=x2, y2=y2))
    found.append(svg.Circle(class_=["spring"], r=40))
    return found + [svg.Circle(class_=["source"], cx=x, cy=y, r=9) for x, y in plan.STARTS]


@once
def channel(space: int, crop: int, choice: Choice) -> svg.G:
    """A channel space: what it brings, or the token on it, and the crop that it leads to."""
    x, y = plan.CHANNELS[space]
    leads = box.LEADS_TO[space] != NONE
    elements: list[svg.Element] = [svg.Title(text=f"{channel_name(space).capitalize()}")]
    if leads:
        field_x, field_y = plan.new_field(space)
        elements.append(
            svg.Line(class_=["spur", *(["wet"] if crop != NONE else [])], x1=0, y1=0, x2=field_x - x, y2=field_y - y)
        )
        planted = [use(f"fruit-{FRUITS[crop]}", 0, 0, 0.8)] if crop not in (NONE, DUG) else []
        elements.append(at(field_x - x, field_y - y, svg.Circle(class_=["crop"], r=12), *planted))
    elements.append(rect(-19, -14, 38, 28, "bed", *(["wet"] if crop != NONE else [])))
    if crop == NONE:
        elements.append(channel_icons(space))
    elements += target(choice, rect(-19, -14, 38, 28))
    return at(x, y, *elements, name=f"channel-{CHANNEL_IDS[space]}")


def channel_icons(space: int) -> svg.G:
    """The icons of a channel space, side by side."""
    norias, paid = int(box.ICON_NORIAS[space]), int(box.ICON_DIRHEMS[space])
    icons = ([number_on("icon-noria", norias)] if norias else []) + ([dirhems(paid)] if paid else [])
    return svg.G(elements=[at((i - (len(icons) - 1) / 2) * 17, 0, *icon, scale=0.72) for i, icon in enumerate(icons)])
