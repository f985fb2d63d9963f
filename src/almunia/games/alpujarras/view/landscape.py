"""The track, the farmlands, the villages and the water of Alpujarras, as regions of the board."""

from collections.abc import Iterator
from functools import cache
from math import hypot
from typing import NamedTuple

import svg

from ....core.contract import NONE, Overlay
from ....core.english import join_words, pluralize, signed
from ....core.memoize import memoize
from ....core.svg import MARKS, are_many, cached_drawing, clickable, group_at, label, rect, shape, use, veil
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CHANNEL_IDS, COLOURS, FRUITS
from ..rules.state import ADD, DELIVER, DIG, DUG, FROM, GO, MULES, NOWHERE, TO, ZARA
from ..text.effects import PASSED, moves_again
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
from .drawing import JUMP, TOKEN, ZARA_MARK, dirhems, farmers_figure, item_icon, mule, number_on


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
PLACE_CLASSES: tuple[list[str], ...] = (["start"], [], ["market"], ["harvest"], ["end"])
GAIN_X, GAIN_Y = 34, 21  # the size of the label with an action's dirhems
PLACES, PATH = "track-places", "mule-path"  # ids of groups: above the places lies a veil, on the path a journey
HALF_ICON = 0.8  # the scale of icons on a place that shares its column, where two lie side by side
TOLL_SHIFTS = (
    26,
    0,
    52,
    -26,
    78,
    -52,
    104,
    130,
    156,
    182,
    208,
    234,
)  # along the path, from a market or harvest to the sign that it is passed
TERRACES = (120, 165, 210, 255, 294)  # radii
HOUSES = ((-55, 15, 8), (-25, 16, 9), (-41, 17, 12))  # left edge, width and height of the walls
TOLL_X = 46  # the least distance from mules and other signs

# Areas of pieces, relative to their own middles: left edge, top edge, width and height.
CHANNEL = -24, -22, 48, 44
VILLAGE = -91, -118, 182, 79
PLATE = -91, -84, 182, 45
AWARD = 55, -117, 36, 30  # the minimum for any award
FIELDS = -95, -34, 190, 76


def choice(choices: Choices, action: int) -> Choice:
    return choices.get(action)


def target(choice: Choice, area: svg.Rect, *classes: str) -> list[svg.Element]:
    """Return the frame of a legal action, which is clickable, in a list. The list is empty if `choice` is None."""
    if not choice:
        return []
    area.class_ = ["possible", *classes]
    return [clickable(area, choice.action, choice.words, choice.most)]


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
    mules: tuple[tuple[int, int, int, str], ...]  # number, mark, position, and the name of its space


def track_of(s: State) -> Track:
    mules = tuple((i, mark_of(s, i), s.mule[i], space_name(s, s.mule[i])) for i in range(MULES) if s.mule[i] != NOWHERE)
    return Track(tuple(place for place in s.track if place != NOWHERE), mules)


def mark_of(s: State, i: int) -> int:
    """Return the mark of a mule: that of its seat, or of Zara."""
    return ZARA_MARK if i == ZARA and box.WITH_ZARA[s.seats] else i


def track(shown: Track) -> svg.G:
    spots = plan.laid_out(shown.places)
    held = {position: seat for _, seat, position, _ in shown.mules}
    drawn: list[svg.Element] = [
        place(where, position, spot, held.get(position, NONE))
        for position, (where, spot) in enumerate(zip(shown.places, spots, strict=True))
    ]
    stands = plan.standing([spots[position] for _, _, position, _ in shown.mules])
    mules = [mule_on(stand, i, seat, where) for stand, (i, seat, _, where) in zip(stands, shown.mules, strict=True)]
    return region("track", [path(), svg.G(id=PLACES, elements=drawn), *mules])


@cached_drawing
def path() -> svg.G:
    """Draw the path of the mules, inside the track."""
    outer, inner = plan.DEPTH, plan.DEPTH + plan.LANE
    far, near = plan.SIDE - outer, plan.SIDE - inner
    lane = shape(f"M{outer} {outer}H{far}V{far}H{outer}ZM{inner} {inner}V{near}H{near}V{inner}Z", "lane")
    lane.fill_rule = "evenodd"
    side = 2 * plan.PATH
    hooves = rect(plan.MIDDLE - plan.PATH, plan.MIDDLE - plan.PATH, side, side, "hooves", rx=12)
    return svg.G(id=PATH, elements=[lane, hooves])


@cached_drawing
def place(where: int, position: int, spot: plan.Spot, held: int) -> svg.G:
    kind = PLACE_CLASSES[box.PLACE_KIND[where]]
    elements: list[svg.Element] = [
        svg.Title(text=f"{place_name(where, position)}: {offered(where)}"),
        svg.Rect(width=spot.width, height=spot.height),
        svg.Text(text=str(position + 1)),
        *place_icons(where, spot),
    ]
    if held != NONE:
        elements.append(group_at(spot.width - 9.5, 10, shape(MARKS[held], "holder"), scale=0.62))
    classes = ["place", *kind, *(["held", f"of-{held}"] if held != NONE else [])]
    return group_at(spot.x, spot.y, *elements, name=place_id(position), classes=classes)


@cache
def offered(where: int) -> str:
    return join_words(offers(where)) or "nothing more"


def place_icons(where: int, spot: plan.Spot) -> list[svg.Element]:
    owes = [] if box.PLACE_KIND[where] == box.END_SPOT else owed(list(box.PLACE_OWES[where]))
    pays = int(box.PLACE_PAYS[where])
    points = icon_places(spot, len(owes) + bool(pays))
    return icons_at(points, owes, pays, box.SHIELD[where], HALF_ICON if spot.is_shared else 1)


def icons_at(
    points: list[plan.Point], owes: list[tuple[int, int]], pays: int, shield: int = NONE, size: float = 1
) -> list[svg.Element]:
    """Draw items with their numbers, then dirhems if there are any, at these points."""
    drawn: list[svg.Element] = []
    for (x, y), (item, count) in zip(points, owes, strict=False):
        drawn += item_icon(item, count, shield, size, x, y)
    return [*drawn, *dirhems(pays, size, *points[-1])] if pays else drawn


def icon_places(spot: plan.Spot, count: int) -> list[tuple[float, float]]:
    """Return the middles of one or two icons on a place, clear of its number."""
    width, height = spot.width, spot.height
    if spot.is_shared:
        return [(width - 13.5, height - 13.5)] if count == 1 else [(11, height - 13), (width - 11, height - 13)]
    if height > width:
        return [(width / 2, height / 2 + 7)] if count == 1 else [(width / 2, 36), (width / 2, 68)]
    return [(width / 2 + 8, height / 2 + 2)] if count == 1 else [(37, height / 2 + 4), (69, height / 2 + 4)]


def owed(owes: list[int]) -> list[tuple[int, int]]:
    """Return the items owed with their numbers, markets and harvests first."""
    order = (box.MARKET, box.HARVEST, box.ADD, box.MOVE, box.DIG, box.NORIAS, box.FRUIT, box.GOAL)
    return [(item, int(owes[item])) for item in order if owes[item]]


@cached_drawing
def mule_on(distance: float, i: int, seat: int, where: str) -> svg.G:
    owner = "Zara's mule" if seat == ZARA_MARK else f"The mule of player {i + 1}"
    return svg.G(id=f"mule-{i}", elements=[svg.Title(text=f"{owner}: {where}"), walking(distance, seat)])


def walking(distance: float, seat: int) -> svg.G:
    """Draw a mule at a distance along the path."""
    x, y = plan.on_path(distance)
    drawn = mule(seat, faces_left=distance // plan.PATH_SIDE == plan.LEFTWARDS)
    return svg.G(class_=["at"], style=f"--x:{x:g}px;--y:{y + 5:g}px", elements=[drawn])


# --- where the mule may go --------------------------------------------------------------------------------


class Journey(NamedTuple):
    """The ways of a mule: how far it passes no market and no harvest, and how far it stays furthest back."""

    here: plan.Spot
    again: plan.Spot  # the last place from which the mule moves again
    safe: plan.Spot  # the last place before which nothing is passed
    end: plan.Spot  # the first place of the end space
    tolls: tuple[tuple[str, plan.Point], ...]  # icon and point of the sign at each market and harvest


def over_track(s: State, choices: Choices) -> list[Overlay]:
    """Return overlays for the places to which the mule may go. A small screen scrolls to the first place."""
    spots = plan.spots(s)
    goals = [position for position in range(len(spots)) if GO + position in choices]
    if not goals:
        return []
    found = [
        Overlay(
            "board",
            place_id(position),
            data={"action": GO + position},
            classes=("target", "look-here") if position == goals[0] else ("target",),
        )
        for position in goals
    ]
    if are_many(len(goals), len(spots)):
        mules = [s.mule[i] for i in range(MULES)]
        rest = (spot for position, spot in enumerate(spots) if position not in goals and position not in mules)
        found.append(Overlay("board", PLACES, veil_over(tuple(rest))))
    return [*found, Overlay("board", PATH, journey(journey_of(s, goals)))]


@cached_drawing
def veil_over(spots: tuple[plan.Spot, ...]) -> svg.G:
    edge = plan.GAP / 2
    return veil(
        "".join(
            f"M{one.x - edge:g} {one.y - edge:g}h{one.width + 2 * edge:g}v{one.height + 2 * edge:g}"
            f"h{-one.width - 2 * edge:g}Z"
            for one in spots
        )
    )


def journey_of(s: State, goals: list[int]) -> Journey:
    spots, here, stops = plan.spots(s), s.mule[s.turn], stops_ahead(s)
    end = next(position for position in range(len(spots)) if box.PLACE_KIND[s.track[position]] == box.END_SPOT)
    again = max((position for position in goals if moves_again(s, position)), default=here)
    safe = min(stops[0], end) if stops else end
    mules = [spots[s.mule[i]] for i in range(MULES) if s.mule[i] != NOWHERE]
    taken, tolls = [plan.on_path(distance) for distance in plan.standing(mules)], []
    for stop in stops:
        at = toll_at(spots[stop], taken)
        taken.append(at)
        tolls.append((PASSED[box.PLACE_KIND[s.track[stop]]], at))
    return Journey(spots[here], spots[again], spots[safe], spots[end], tuple(tolls))


def stops_ahead(s: State) -> list[int]:
    """Return the last position of each market and harvest ahead of the mule, in travel order."""
    here = s.mule[s.turn]
    last = {stop_at(s, position): position for position in range(here + 1, len(plan.spots(s)))}
    return [position for stop, position in last.items() if stop[1] in PASSED and stop != stop_at(s, here)]


def stop_at(s: State, position: int) -> tuple[int, int]:
    """Return the segment and the kind of a place. Places with the same ones are spots of one space."""
    return int(box.PLACE_SEGMENT[s.track[position]]), int(box.PLACE_KIND[s.track[position]])


def toll_at(spot: plan.Spot, taken: list[plan.Point]) -> plan.Point:
    """Return a point of the path behind a stop where no mule and no other sign stands, if there is one."""
    tries = [plan.on_path(plan.along_path(spot) + shift) for shift in TOLL_SHIFTS]
    free = (one for one in tries if all(hypot(one[0] - x, one[1] - y) >= TOLL_X for x, y in taken))
    return next(free, tries[0])


@cached_drawing
def journey(shown: Journey) -> svg.G:
    """Draw the ways of the mule, and behind each market and harvest a sign that it is passed from there on."""
    drawn: list[svg.Element] = [
        shape(plan.road(shown.safe, shown.end), "far"),
        shape(plan.road(shown.here, shown.safe), "near"),
    ]
    if shown.again != shown.here:
        line = plan.road(shown.here, shown.again)
        drawn += [shape(line, "again", "border"), shape(line, "again")]
    drawn += [group_at(*at, *toll(name), classes=["toll"]) for name, at in shown.tolls]
    return svg.G(class_=["journey"], elements=drawn)


def toll(name: str) -> list[svg.Element]:
    """Draw the sign that a market or harvest is passed: an arrow jumps over its icon."""
    words = svg.Title(text=f"If your mule goes farther, it passes this {name}")
    return [words, rect(-21, -15, 42, 30, rx=15), use(f"icon-{name}", 0, 4.5, 0.7), shape(JUMP, "arrow")]


# --- farmlands and villages -------------------------------------------------------------------------------


class Land(NamedTuple):
    """A farmland with its village, as the board shows it."""

    tokens: tuple[tuple[int, int], ...]  # fruit, and index of the number
    award: tuple[int, int] | None  # number and visible side
    settled: tuple[tuple[int, int], ...]  # seat and number of its farmers in the village
    farmers: tuple[tuple[int, int], ...]  # seat and number of its farmers in the farmland
    fruit: tuple[int, ...]  # number by kind


def lands_of(s: State) -> tuple[tuple[Land, ...], tuple[int, ...]]:
    """Return the farmlands and the contents of the channel spaces."""
    return tuple(land_of(s, land) for land in range(box.LANDS)), tuple(s.channel)


def land_of(s: State, land: int) -> Land:
    players = [s.seat[p] for p in range(s.seats)]
    return Land(
        tokens_in(s, land),
        (s.award[land], s.flipped[land]) if s.flipped[land] < len(box.AWARD_SIDES) else None,
        tuple((p, one.village[land]) for p, one in enumerate(players) if one.village[land]),
        tuple((p, one.farmland[land]) for p, one in enumerate(players) if one.farmland[land]),
        tuple(s.growing[land]),
    )


def lands(shown: tuple[Land, ...], channels: tuple[int, ...]) -> svg.G:
    elements: list[svg.Element] = [soils(), *water(channels)]
    for land, one in enumerate(shown):
        block = over_block(land, village(land, one), *farmers(land, one), *heap(land, one.fruit))
        block.id = block_id(land)
        elements.append(block)
    return group_at(plan.MIDDLE, plan.MIDDLE, *elements, classes=["region", "lands"])


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
                drawn = [*target(offer, rect(*TOKEN)), *gain(offer, 0, 24)]
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
    """Draw a farmland: a flat colour, with walls of terraces around the fountain."""
    name, ground = COLOURS[land], plan.outline(land)
    title = svg.Title(text=land_name(land).capitalize())
    points = "".join(f"L{x:.1f} {y:.1f}" for x, y in ground)
    terraces = shape("".join(terrace(ground, radius) for radius in TERRACES), "terraces", name)
    heart = over_block(land, rect(*FIELDS, "heart"))
    return svg.G(id=f"land-{name}", elements=[title, shape(f"M0 0{points}Z", "land", name), terraces, heart])


def terrace(ground: list[plan.Point], radius: float) -> str:
    """Return an arc around the middle of the board, from one edge of a farmland to the other."""
    (x1, y1), (x2, y2) = ((radius * x / hypot(x, y), radius * y / hypot(x, y)) for x, y in (ground[0], ground[-1]))
    return f"M{x1:.1f} {y1:.1f}A{radius} {radius} 0 0 1 {x2:.1f} {y2:.1f}"


def over_block(land: int, *elements: svg.Element) -> svg.G:
    """Return elements moved to a farmland's block."""
    return group_at(*plan.BLOCKS[land], *elements)


def village(land: int, shown: Land) -> svg.G:
    elements: list[svg.Element] = [houses(land)]
    elements += [token(*one, *token_at(i)) for i, one in enumerate(shown.tokens)]
    if shown.award:
        elements.append(award(*shown.award))
    x = 3
    for p, count in shown.settled:
        elements.append(settlers(land, p, count, x))
        x += 24 if count == 1 else 36  # with a number
    return svg.G(id=village_id(land), elements=elements)


def village_id(land: int) -> str:
    return f"village-{COLOURS[land]}"


@cached_drawing
def settlers(land: int, p: int, count: int, x: float) -> svg.G:
    return whose(p, count, f"{COLOURS[land]} village", farmers_figure(p, count, x, -98, 0.85))


def whose(p: int, count: int, where: str, drawn: svg.Element) -> svg.G:
    """Return farmers with a title that names their player."""
    words = f"{pluralize(count, 'farmer')} of player {p + 1} in the {where}"
    return svg.G(elements=[svg.Title(text=words.capitalize()), drawn])


@cached_drawing
def houses(land: int) -> list[svg.Element]:
    """Draw the houses of a village with roofs of its colour, and the sign of its fruit."""
    colour = COLOURS[land]
    drawn: list[svg.Element] = [
        svg.Title(text=f"{colour.capitalize()} village"),
        rect(*PLATE, "plate", colour),
    ]
    for x, width, high in HOUSES:
        top, middle = -84 - high, x + width / 2
        drawn += [
            shape(f"M{x} -84V{top}H{x + width}V-84Z", "house"),
            shape(f"M{x - 2} {top}L{middle:g} {top - 9} {x + width + 2} {top}Z", "roof", colour),
            shape(f"M{middle - 2:g} -84v-6h4v6Z", "door"),
        ]
    fruit = use(f"fruit-{FRUITS[land]}", -73, -90, 0.95)
    return [*drawn, svg.Circle(class_=["signpost", colour], cx=-73, cy=-90, r=15.5), fruit]


def token_at(i: int) -> tuple[int, int]:
    """Return the middle of the delivery token at index `i` of a village."""
    return -70 + 36 * i, -61


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
def token(fruit: int, size: int, x: float = 0, y: float = 0) -> svg.G:
    number = int(box.NUMBERS[size])
    face: list[svg.Element] = [
        svg.Title(text=f"{fruits(fruit, number)} for {box.REWARD[size]} dirhems"),
        use("token"),
        use(f"fruit-{FRUITS[fruit]}", -4, -4, 0.85),
        label(number, 9.5, 14, "number-on"),
    ]
    return group_at(x, y, *face)


@cached_drawing
def award(number: int, side: int) -> svg.G:
    row = number * len(box.AWARD_SIDES) + side
    owes, pays = owed([int(n) for n in box.AWARD_OWES[row]]), int(box.AWARD_PAYS[row])
    count = len(owes) + bool(pays)
    left, top, width, height = AWARD
    wide = width + 27 * (count - 1)
    elements: list[svg.Element] = [
        svg.Title(text=f"Award for the next delivery here: {award_words(number, side)}"),
        rect(0, 0, wide, height, "award", box.AWARD_SIDES[side], rx=15),
        *icons_at([(18 + 27 * i, 15) for i in range(count)], owes, pays),
    ]
    return group_at(left + width - wide, top, *elements)


def farmers(land: int, shown: Land) -> Iterator[svg.Element]:
    """Yield the farmers of each seat that has some in a farmland, in the order of the seats."""
    for i, (p, count) in enumerate(shown.farmers):
        yield crew(land, p, count, (i - (len(shown.farmers) - 1) / 2) * 42 - 7)


@cached_drawing
def crew(land: int, p: int, count: int, x: float) -> svg.G:
    group = whose(p, count, land_name(land), farmers_figure(p, count, x, -12))
    group.id = farmers_id(land, p)
    return group


def heap(land: int, growing: tuple[int, ...]) -> list[svg.Element]:
    """Draw each fruit that grows or has a field in a farmland on a strip, the primary fruit first."""
    kinds = [land, *(fruit for fruit in range(box.LANDS) if fruit != land)]
    shown = [f for f in kinds if growing[f] or box.FIELDS[land, f]]
    width = 44 * len(shown)
    strip = rect(-width / 2 - 2, 6, width + 4, 32, "tray", rx=16)
    return [strip, *(pile(land, f, growing[f], i - (len(shown) - 1) / 2) for i, f in enumerate(shown))]


@cached_drawing
def pile(land: int, fruit: int, many: int, place: float) -> svg.G:
    elements: list[svg.Element] = [
        svg.Title(text=f"{fruits(fruit, many).capitalize()} in the {land_name(land)}"),
        *([rect(-21, -14, 42, 28, "primary", rx=14)] if fruit == land else []),
        use(f"fruit-{FRUITS[fruit]}", -7, 0),
        label(many, 11, 6, "number-on"),
    ]
    classes = ["heap", *([] if many else ["bare"])]
    return group_at(place * 44, 22, *elements, classes=classes)


# --- water ------------------------------------------------------------------------------------------------


def water(crops: tuple[int, ...]) -> list[svg.Element]:
    return [canals(tuple(crop != NONE for crop in crops)), *(channel(space, crop) for space, crop in enumerate(crops))]


@cached_drawing
def canals(dug: tuple[bool, ...]) -> list[svg.Element]:
    """Draw the canals and the fountain. Canals whose channel spaces are dug are wet."""
    lines = {True: "", False: ""}
    for (x1, y1), (x2, y2), spaces in plan.canals():
        lines[all(dug[space] for space in spaces)] += f"M{x1:g} {y1:g}L{x2:g} {y2:g}"
    return [shape(lines[False], "canal"), shape(lines[True], "canal", "wet"), *fountain()]


def fountain() -> list[svg.Element]:
    star = "M0-24L7-7 24 0 7 7 0 24-7 7-24 0-7-7ZM-17-17L17-17 17 17-17 17Z"
    rings = [svg.Circle(class_=[name], r=radius) for name, radius in (("basin", 37), ("pool", 31))]
    return [*rings, shape(star, "star"), svg.Circle(class_=["jet"], r=6)]


@cached_drawing
def channel(space: int, crop: int) -> svg.G:
    x, y = plan.CHANNELS[space]
    state = "" if crop == NONE else ", dug" if crop == DUG else f", dug: {FRUITS[crop]}"
    elements: list[svg.Element] = [svg.Title(text=f"{channel_name(space).capitalize()}{state}")]
    if box.LEADS_TO[space] != NONE:
        field_x, field_y = plan.new_field(space)
        wet = ["wet"] if crop != NONE else []
        elements.append(shape(f"M0 0L{field_x - x:.1f} {field_y - y:.1f}", "canal", *wet))
        is_planted = crop not in (NONE, DUG)
        field = svg.Circle(class_=["crop", *(["grown"] if is_planted else [])], r=13.5)
        planted = [use(f"fruit-{FRUITS[crop]}", 0, 0, 0.85)] if is_planted else []
        elements.append(group_at(round(field_x - x, 1), round(field_y - y, 1), field, *planted))
    elements += bed(space, crop != NONE)
    return group_at(x, y, *elements, name=channel_id(space))


def channel_id(space: int) -> str:
    return f"channel-{CHANNEL_IDS[space]}"


def bed(space: int, wet: bool) -> list[svg.Element]:
    """Draw a channel space: water, or what digging it brings."""
    norias, paid = int(box.ICON_NORIAS[space]), int(box.ICON_DIRHEMS[space])
    both = bool(norias and paid)
    width, apart = (54, 12.5) if both else (40, 0)
    frame = rect(-width / 2, -14.5, width, 29, "bed", *(["wet"] if wet else []), rx=9)
    if wet:
        return [frame, shape("M-12 1q6-6 12 0t12 0", "wave")]
    drawn: list[svg.Element] = [frame, *(number_on("icon-noria", norias, 1, -apart) if norias else [])]
    return [*drawn, *(dirhems(paid, 1, apart) if paid else [])]
