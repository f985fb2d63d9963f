"""The shapes in the pictures of Alhambra, and the outline of an Alhambra."""

from collections.abc import Iterator

import svg

from ....core.english import signed
from ....core.memoize import memoize
from ....core.svg import MARKS, cached_drawing, clickable, group_at, label, path, rect, shape, translate_style, use
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import Currency, Kind
from ..rules.scoring import next_side, outermost
from ..text.words import card_name, ground, tile_in_words

U = 100  # the side of a tile
CARD = (46, 64)  # a money card
SEAT_MARKS = (*MARKS, "M-3.5-10H3.5V-3.5H10V3.5H3.5V10H-3.5V3.5H-10V-3.5H-3.5Z")

# Emblems are centred at 0, 0 and about 60 units wide. The second path is drawn as openings in the first.
EMBLEMS = {
    Kind.PAVILION: (
        (
            "M0-37 3-33 0-29-3-33ZM-22-4C-22-20-8-22 0-29 8-22 22-20 22-4ZM-19-2H-13V18H-19ZM13-2H19V18H13Z"
            "M-4-2H4V18H-4ZM-26 18H26V25H-26Z"
        ),
        "M-14-6C-14-14-6-16 0-21 6-16 14-14 14-6Z",
    ),
    Kind.SERAGLIO: (
        (
            "M-30 25V-4H30V25ZM-12-5C-12-17-4-20 0-27 4-20 12-17 12-5ZM-29-5C-29-12-24-14-21-19-18-14-13-12-13-5Z"
            "M13-5C13-12 18-14 21-19 24-14 29-12 29-5Z"
        ),
        "M-6 25V12A8 8 0 1 1 6 12V25ZM-24 4H-16V15H-24ZM16 4H24V15H16Z",
    ),
    Kind.ARCADES: (
        "M-32 25V-22H32V25Z",
        "M-28 25V6A8 8 0 1 1-15 6V25ZM-6.5 25V6A8 8 0 1 1 6.5 6V25ZM15 25V6A8 8 0 1 1 28 6V25ZM-28-18H28V-14H-28Z",
    ),
    Kind.CHAMBERS: (
        "M-25 25V-28H25V25Z",
        (
            "M-14 25V4C-18 0-16-6-11-6-11-12-4-14 0-17 4-14 11-12 11-6 16-6 18 0 14 4V25ZM-20-23H-13V-16H-20Z"
            "M13-23H20V-16H13ZM-3.5-25H3.5V-21H-3.5Z"
        ),
    ),
    Kind.GARDEN: (
        (
            "M-19-31C-10-15-10 6-19 14-28 6-28-15-19-31ZM19-31C28-15 28 6 19 14 10 6 10-15 19-31Z"
            "M0-16C9-16 13-8 10-2 13 6 6 12 0 12-6 12-13 6-10-2-13-8-9-16 0-16ZM-21 12H-17V22H-21Z"
            "M17 12H21V22H17ZM-2.5 10H2.5V22H-2.5ZM-30 20H30V25H-30Z"
        ),
        "",
    ),
    Kind.TOWER: (
        "M-19-36H-11V-30H-4V-36H4V-30H11V-36H19V-20H14V14L20 25H-20L-14 14V-20H-19Z",
        "M-5 0V-8A5.5 5.5 0 1 1 5 -8V0ZM-4 25V14A5 5 0 1 1 4 14V25Z",
    ),
}
STAR = "M0-46 13.5-32.5H32.5V-13.5L46 0 32.5 13.5V32.5H13.5L0 46-13.5 32.5H-32.5V13.5L-46 0-32.5-13.5V-32.5H-13.5Z"
CORNERS = "M2 18A16 16 0 0 0 18 2M82 2A16 16 0 0 0 98 18M98 82A16 16 0 0 0 82 98M18 98A16 16 0 0 0 2 82"
PATHS = ("M50 0V30", "M100 50H70", "M50 100V70", "M0 50H30")  # from each side to the star
WALLS = ("M0 0H100V11H0Z", "M89 0H100V100H89Z", "M0 89H100V100H0Z", "M0 0H11V100H0Z")
BATTLEMENTS = ("M6 5.5H96", "M94.5 6V96", "M6 94.5H96", "M5.5 6V96")
TURRETS = ((6, 6, 3, 0), (94, 6, 0, 1), (94, 94, 1, 2), (6, 94, 2, 3))  # where two walls meet: x, y, sides

# The symbols of the currencies, about 20 units high, centred at 0, 0.
SIGNS = {
    Currency.FLORIN: (
        "M0-12C4-8 4-3 1.5 1H-1.5C-4-3-4-8 0-12ZM-6 2H6V4.5H-6ZM-2.5 5.5H2.5L4.5 11 0 8.5-4.5 11Z"
        "M2.5 1C3-5 7-8 10-5 11.5-2 9.5 1 7 0 8-1.5 7-3 6-2.5 4.5-1.5 4.5 0 4.5 1Z"
        "M-2.5 1C-3-5-7-8-10-5-11.5-2-9.5 1-7 0-8-1.5-7-3-6-2.5-4.5-1.5-4.5 0-4.5 1Z"
    ),
    Currency.DIRHAM: "M-9-9H9V9H-9ZM-4-4V4H4V-4Z",
    Currency.DENAR: "M-3-10H3V-3H10V3H3V10H-3V3H-10V-3H-3Z",
    Currency.DUCAT: "M0-11 2.9-3.6 10.5-3.4 4.5 1.4 6.5 8.9 0 4.6-6.5 8.9-4.5 1.4-10.5-3.4-2.9-3.6Z",
}
PRICE_SPOT = (22, 77)
WALL = "M-26 20V-16H-16V-6H-6V-16H6V-6H16V-16H26V20Z"  # the symbol of the longest wall


# --- tiles -------------------------------------------------------------------------------------------


@cached_drawing
def shapes() -> svg.Defs:
    """Return the shapes of tiles, to which pictures refer by id."""
    ground = svg.G(
        id="ground",
        class_=["alhambra"],
        elements=[
            rect(0.5, 0.5, U - 1, U - 1, "floor", rx=3),
            shape(CORNERS, "corners"),
        ],
    )
    kinds = [draw(kind) for kind in Kind for draw in (emblem, face)]
    return svg.Defs(elements=[ground, *kinds, fountain()])


def emblem(kind: Kind) -> svg.G:
    smaller: list[svg.Transform] = [svg.Scale(0.92, 0.92)]
    name = box.KIND_NAMES[kind]
    return svg.G(id=f"emblem-{name}", class_=["alhambra", name], transform=smaller, elements=building(kind))


def building(kind: Kind) -> list[svg.Element]:
    solid, opening = EMBLEMS[kind]
    return [shape(solid, "solid"), *([shape(opening, "opening")] if opening else [])]


def face(kind: Kind) -> svg.G:
    name = box.KIND_NAMES[kind]
    return svg.G(id=f"face-{name}", class_=["alhambra"], elements=[star(), use(f"emblem-{name}", U / 2, U / 2)])


def star() -> svg.Path:
    return svg.Path(class_=["star"], d=path(STAR), transform=[svg.Translate(U / 2, U / 2)])


def fountain() -> svg.G:
    lions = group_at(
        U / 2,
        U / 2,
        svg.Circle(class_=["lions"], r=26),
        svg.Circle(class_=["rim"], r=18),
        svg.Circle(class_=["water"], r=14),
        shape("M0-9V9M-9 0H9M-6-6 6 6M6-6-6 6", "jet"),
    )
    return svg.G(id="face-fountain", class_=["alhambra"], elements=[star(), lions])


def tile(number: int, named: bool = True, priced: bool = False) -> svg.G:
    """Draw a building tile or the fountain with its corner at 0, 0.

    A `named` building tile has an id, and a `priced` tile shows its price.
    """
    built = number != box.FOUNTAIN
    kind = box.KIND_NAMES[box.KIND[number]] if built else "fountain"
    elements: list[svg.Element] = [svg.Title(text=tile_in_words(number) if built else kind), svg.Use(href="#ground")]
    open_sides = "".join(PATHS[side] for side in range(box.SIDES) if not box.WALL[number, side])
    if open_sides:
        elements.append(shape(open_sides, "way"))
    elements.append(svg.Use(href=f"#face-{kind}"))
    elements += walls(number)
    if priced:
        x, y = PRICE_SPOT
        elements += [svg.Circle(class_=["plate"], cx=x, cy=y, r=20), label(box.PRICE[number], x, y + 9, "price")]
    return svg.G(id=f"tile-{number}" if named and built else None, class_=["tile", kind], elements=elements)


def walls(number: int) -> Iterator[svg.Element]:
    sides = [side for side in range(box.SIDES) if box.WALL[number, side]]
    if sides:
        yield shape("".join(WALLS[side] for side in sides), "wall")
        yield shape("".join(BATTLEMENTS[side] for side in sides), "battlements")
    for x, y, one, other in TURRETS:
        if one in sides and other in sides:
            yield svg.Circle(class_=["turret"], cx=x, cy=y, r=8)


@cached_drawing
def placed_tile(number: int, x: float, y: float, scale: float = 1, named: bool = True, priced: bool = False) -> svg.G:
    piece = tile(number, named, priced)
    piece.style = translate_style(x, y, scale)
    return piece


@cached_drawing
def seat_mark(p: int, x: float, y: float, scale: float = 1) -> svg.G:
    return group_at(x, y, shape(SEAT_MARKS[p], "whose", f"of-{p}"), scale=scale)


# --- money -------------------------------------------------------------------------------------------


def sign(currency: int, x: float, y: float, scale: float = 1) -> svg.Path:
    return svg.Path(
        class_=["coin"], d=path(SIGNS[Currency(currency)]), transform=[svg.Translate(x, y), svg.Scale(scale, scale)]
    )


@cached_drawing
def money_card(card: int, x: float, y: float, scale: float = 1) -> svg.G:
    width, height = CARD
    currency, value = divmod(card, box.VALUES)
    return svg.G(
        class_=["money", box.CURRENCY_NAMES[currency]],
        style=translate_style(x, y, scale),
        elements=[
            svg.Title(text=card_name(card)),
            rect(1, 1, width - 2, height - 2, "paper", rx=6),
            rect(4.5, 4.5, width - 9, height - 9, "border", rx=4),
            label(value + 1, width / 2, 33, "value"),
            sign(currency, width / 2, 48, 0.85),
        ],
    )


@cached_drawing
def exact_mark(x: float, y: float) -> svg.G:
    """Draw an equals sign, which marks an exact payment [5.3]."""
    return group_at(
        x, y, svg.Title(text="You can pay this exactly"), svg.Circle(r=10), label("=", y=5), classes=["exact"]
    )


@cached_drawing
def oblong(x: float, y: float, width: float, height: float, action: int) -> svg.Rect:
    return clickable(rect(x - 2, y - 2, width + 4, height + 4, "frame"), action)


@cached_drawing
def promise(x: float, y: float, points: int, best: bool, scale: float = 1, wall: int = 0) -> svg.G:
    """Draw the points that a choice gains if scored now, and the change of the longest wall, if any."""
    kind = "poor" if points <= 0 else "most" if best else "good"
    lines: list[svg.Element] = [
        rect(-30, -17, 60, 34, rx=17),
        label(signed(points) if points else "0", 0, 9, "points"),
    ]
    if wall:
        lines += [group_at(-18, 35, shape(WALL, "little-wall"), scale=0.5), label(signed(wall), 16, 43, "sides")]
    return group_at(x, y, *lines, scale=scale, classes=["promise", kind])


# --- outlines ----------------------------------------------------------------------------------------


def outline(me: State) -> list[tuple[int, int]]:
    """Return the sides on the outline of an Alhambra, as (cell, side), clockwise from a northern side."""
    found = [(outermost(me), 0)]
    while len(found) == 1 or found[-1] != found[0]:
        found.append(next_side(me, *found[-1]))
    return found[:-1]


@memoize(ground)
def longest_run(me: State) -> tuple[tuple[int, int], ...]:
    """Return the sides along a longest wall, in order [10.6, D7]."""
    sides = outline(me)
    walled = [bool(box.WALL[me.grid[cell], side]) for cell, side in sides]
    if all(walled):
        return tuple(sides)
    first = walled.index(False)
    best: list[tuple[int, int]] = []
    run: list[tuple[int, int]] = []
    for i in range(len(sides)):
        place = (first + i) % len(sides)
        run = [*run, sides[place]] if walled[place] else []
        best = run if len(run) > len(best) else best
    return tuple(best)
