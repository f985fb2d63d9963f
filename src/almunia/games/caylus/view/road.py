"""The main picture of Caylus: castle, special buildings, bridge and road, with the workers on them."""

from collections.abc import Sequence
from typing import NamedTuple

import svg

from ....core.contract import NONE, Overlay
from ....core.svg import cached_drawing, canvas, clickable, group_at, label, shape
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import Special
from ..rules.placing import usual_price
from ..rules.state import CASTLE, EMPTY, ActionKind
from ..text.actions import decode
from ..text.words import PLACE_IDS, SECTIONS, SPECIAL_NAMES, SPECIAL_WORDS, TILES, money_words, tile_words
from .gains import Choices, promise
from .icons import SHAPES, drawn, mark, rect, row, title, walker, worker
from .plan import BRIDGE, ORDER, SPOTS, TILE_X, TILE_Y, WIDTH, Spot, style, way
from .tiles import face

SPECIAL_ICONS = {
    Special.GATE: (("gate", 1),),
    Special.TRADING_POST: (("coin", box.POST_MONEY),),
    Special.MERCHANTS_GUILD: (("provost", 1),),
    Special.STABLES: (("order", 1),),
    Special.INN: (("inn", 1),),
}


def piece(spot: Spot, name: str, elements: list[svg.Element], *classes: str) -> svg.G:
    """Return a group of shapes that `view.css` moves to its spot."""
    data: dict[str, str | int] = {"frame": f"{spot.x} {spot.y}"}
    return svg.G(id=name or None, class_=["piece", *classes], style=style(spot), data=data, elements=elements)


def laid(name: str, height: int, narrow: int, pieces: Sequence[svg.Element]) -> svg.SVG:
    """Return a picture whose pieces `view.css` rearranges on narrow pages. `narrow` is the height on those pages."""
    picture = canvas(name, svg.ViewBoxSpec(0, 0, WIDTH, height), [*pieces], "caylus", "laid")
    picture.style, picture.preserveAspectRatio = f"--tall:{narrow}", svg.PreserveAspectRatio("xMidYMin")
    return picture


def target(choices: Choices, action: int, area: svg.Rect, x: float = TILE_X / 2, y: float = -3) -> list[svg.Element]:
    """Return the clickable area of an action, with its chips at a point. The list is empty for an illegal action."""
    if action not in choices:
        return []
    words, chips, best = choices[action]
    found: list[svg.Element] = [clickable(area, action, words)]
    return [*found, group_at(x, y, promise(chips, best))] if chips else found


def on_piece(panel: str, name: str, drawings: Sequence[svg.Element]) -> list[Overlay]:
    """Return drawings as overlays of a piece, by the piece's id."""
    return [Overlay(panel, name, drawing) for drawing in drawings]


def over_places(s: State, choices: Choices) -> list[Overlay]:
    """Return overlays for the legal actions that name a place of the board."""
    found: list[Overlay] = []
    for action in choices:
        kind, arg = decode(action)
        if kind in (ActionKind.PLACE, ActionKind.CONVERT, ActionKind.MOVE):
            place = arg if kind != ActionKind.MOVE else s.provost + arg - box.STEPS - 1
            width, is_space = SPOTS[place].width, place < box.ROAD
            middle = (TILE_X / 2, -3) if is_space else (width / 2, 50)
            area = rect(0, 0, width, TILE_Y)
            found += on_piece("board", PLACE_IDS[place], target(choices, action, area, *middle))
    return found


# --- the road ------------------------------------------------------------------------------------------------


@cached_drawing
def ways() -> list[svg.Element]:
    return [shape(way(narrow=False), "way"), shape(way(narrow=True), "way", "narrow")]


class Road(NamedTuple):
    """The road, as the board shows it."""

    spaces: tuple[tuple[int, int, int, int], ...]  # tile, owner, worker and pending residence
    bailiff: int  # the space reached
    provost: int


def road_of(s: State) -> Road:
    spaces = tuple(zip(s.road, s.owner, s.worker, s.pending, strict=True))
    return Road(spaces, s.bailiff, s.provost)


def road(shown: Road) -> list[svg.Element]:
    found: list[svg.Element] = []
    for space, stands in enumerate(shown.spaces):
        reached = ("bailiff", shown.bailiff), ("provost", shown.provost)
        walkers = tuple(name for name, at in reached if at == space + 1)
        drawing = on_space(space, *stands, space >= shown.provost, walkers)
        found.append(piece(SPOTS[space], PLACE_IDS[space], [drawing]))
    return found


@cached_drawing
def on_space(
    space: int, tile: int, owner: int, standing: int, pending: int, beyond: bool, walkers: tuple[str, ...]
) -> svg.G:
    ground = face(tile) if tile != EMPTY else rect(0, 0, TILE_X, TILE_Y, "empty")
    found: list[svg.Element] = [svg.Title(text=space_words(space, tile, owner, standing, pending)), ground]
    found.append(label(space + 1, 16, 20, "number"))
    if owner != NONE:
        found.append(group_at(18, 90, svg.Circle(class_=["seal"], r=13), mark(owner)))
    if pending != NONE:
        found.append(group_at(44, 92, shape(SHAPES["residence"], "icon", "residence"), mark(pending), scale=0.8))
    if standing != NONE:
        found.append(group_at(114, 88, worker(standing, beyond), scale=1.35))
    if space + 1 in box.TRIGGER:
        section = list(box.TRIGGER).index(space + 1)
        found.append(
            group_at(88, 93, shape(SHAPES["gate"], "trigger"), svg.Title(text=trigger_words(section)), scale=0.8)
        )
    found += [group_at(44 + 23 * i, 91, walker(name), scale=1.1) for i, name in enumerate(walkers)]
    return svg.G(class_=["space", *(["outside"] if beyond else [])], elements=found)


def trigger_words(section: int) -> str:
    """Return words for the space that triggers the scoring of a section."""
    name = SECTIONS[section]
    return f"When the bailiff comes here, the {name} {'are' if name.endswith('s') else 'is'} scored"


def space_words(space: int, tile: int, owner: int, standing: int, pending: int) -> str:
    if tile == EMPTY:
        return f"{space + 1}: an empty space"
    whose = f"; owner: player {owner + 1}" if owner != NONE else ""
    works = f"; worker of player {standing + 1}" if standing != NONE else ""
    later = f"; it becomes a residence of player {pending + 1}" if pending != NONE else ""
    return f"{space + 1}, {TILES[tile]}, {tile_words(tile)}{whose}{works}{later}"


# --- before the bridge ---------------------------------------------------------------------------------------


class Head(NamedTuple):
    """The castle, special buildings, bridge and turn order, as the board shows them."""

    castle: tuple[int, ...]  # workers by circle
    specials: tuple[tuple[int, ...], ...]  # workers by special building and circle
    stables_closed: bool
    passed: tuple[int, ...]
    price: int  # of a worker; NONE if all have passed
    order: tuple[int, ...]
    turn: int
    number: int  # of the turn


def head_of(s: State) -> Head:
    return Head(
        tuple(s.castle)[: s.seats],
        tuple(circles_of(s, special) for special in Special),
        s.seats < box.STABLES_FROM,
        tuple(s.passed)[: s.seats],
        usual_price(s) if s.passed[s.seats - 1] == NONE else NONE,
        tuple(s.order)[: s.seats],
        s.turn,
        s.turns + 1,
    )


def head(shown: Head) -> list[svg.Element]:
    found: list[svg.Element] = [piece(SPOTS[CASTLE], "castle", [castle(shown.castle)])]
    for special, circles in zip(Special, shown.specials, strict=True):
        place = box.ROAD + special
        closed = special == Special.STABLES and shown.stables_closed
        found.append(piece(SPOTS[place], PLACE_IDS[place], [special_building(special, circles, closed)]))
    found.append(piece(SPOTS[BRIDGE], "bridge", [bridge(shown.passed, shown.price)]))
    return [*found, piece(SPOTS[ORDER], "order", [turn_order(shown.order, shown.turn, shown.number)])]


def circles_of(s: State, special: Special) -> tuple[int, ...]:
    """Return the workers' seats at a special building, circle by circle, with NONE for an empty circle."""
    several = {Special.STABLES: s.stables, Special.INN: s.inn}
    return tuple(several[special]) if special in several else (s.special[special],)


@cached_drawing
def special_building(special: Special, circles: tuple[int, ...], closed: bool) -> svg.G:
    width = SPOTS[box.ROAD + special].width
    name = SPECIAL_NAMES[special]
    found: list[svg.Element] = [
        svg.Title(text=f"{name}: {SPECIAL_WORDS[special]}{' (not with two players)' if closed else ''}"),
        rect(0, 0, width, TILE_Y, "face"),
        *(title(word, width / 2, 18 + 15 * i, width - 4, "middle") for i, word in enumerate(name.split())),
        group_at(width / 2, 54, joust() if special == Special.JOUST_FIELD else row(SPECIAL_ICONS[special], width)),
    ]
    return svg.G(
        class_=["tile", "special", *(["closed"] if closed else [])], elements=[*found, *standing(circles, width, 86)]
    )


def joust() -> svg.G:
    """Draw the trade of the Joust Field with its price in two lines. A single row would be wider than the tile."""
    taken = ("coin", box.JOUST_MONEY), ("cloth", box.JOUST_CLOTH)
    paid = [group_at(-23, -5 + 22 * i, *drawn(icon)) for i, icon in enumerate(taken)]
    return svg.G(elements=[*paid, group_at(0, 4, *drawn(("arrow", 1))), group_at(22, 4, *drawn(("favour", 1)))])


def standing(circles: tuple[int, ...], width: float, y: float) -> list[svg.Element]:
    step = min(30, (width - 4) // len(circles))
    found: list[svg.Element] = []
    for i, seat in enumerate(circles):
        x = round(width / 2 + (i - (len(circles) - 1) / 2) * step, 1)
        found.append(svg.Circle(class_=["circle"], cx=x, cy=y, r=min(13, step // 2)))
        if seat != NONE:
            found.append(group_at(x, y, worker(seat), scale=1.1 if step > 24 else 0.8))
    return found


@cached_drawing
def castle(circles: tuple[int, ...]) -> svg.G:
    spot = SPOTS[CASTLE]
    found: list[svg.Element] = [
        svg.Title(text="Castle: give batches of food and two other kinds"),
        rect(0, 0, spot.width, TILE_Y, "face"),
        label("Castle", spot.width / 2, 20, "name", "middle"),
        group_at(spot.width / 2, 50, *drawn(("gate", 1)), scale=1.6),
    ]
    return svg.G(class_=["tile", "castle"], elements=[*found, *standing(circles, spot.width, 88)])


@cached_drawing
def bridge(passed: tuple[int, ...], price: int) -> svg.G:
    width = SPOTS[BRIDGE].width
    said = "all have passed" if price == NONE else f"a worker costs {money_words(price)}"
    found: list[svg.Element] = [
        svg.Title(text=f"Bridge: {said}"),
        rect(0, 0, width, TILE_Y, "face"),
        label("Bridge", width / 2, 20, "name", "middle"),
    ]
    if price != NONE:
        found.append(group_at(width / 2, 50, *drawn(("coin", price)), scale=1.5))
    for i, seat in enumerate(passed):
        x = round(width / 2 + (i - (len(passed) - 1) / 2) * 19, 1)
        found.append(group_at(x, 90, mark(seat), scale=0.85) if seat != NONE else label(i + 1, x, 95, "middle"))
    return svg.G(class_=["tile", "bridge"], elements=found)


@cached_drawing
def turn_order(order: tuple[int, ...], turn: int, number: int) -> svg.G:
    height = 2 * TILE_Y + 6
    found: list[svg.Element] = [
        rect(0, 0, TILE_X, height, "face"),
        label(f"Turn {number}", TILE_X / 2, 22, "name", "middle"),
        svg.Title(text="The turn order"),
    ]
    for i, seat in enumerate(order):
        y = 52 + 34 * i
        found += [label(i + 1, 40, y + 7, "place"), group_at(72, y, mark(seat), scale=1.2)]
        found += [label("\N{BLACK LEFT-POINTING TRIANGLE}", 100, y + 6, "middle")] if seat == turn else []
    return svg.G(class_=["tile", "order"], elements=found)
