"""The castle with its houses and its yard, and the table of favours."""

from typing import NamedTuple

import svg

from ....core.contract import NONE, Overlay
from ....core.english import pluralize
from ....core.svg import cached_drawing, group_at, label, shape, use
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CUBES, Line
from ..rules.state import CASTLE, FAVOUR, LINES
from ..text.actions import column_after
from ..text.words import LINE_IDS, LINE_NAMES, SECTIONS
from .gains import Choices, on_piece, target
from .icons import Icon, fitted, rect, row, whole
from .plan import CELL_X, FAVOURS_AT, LINE_WIDTH, line_spot
from .shapes import mark, worker
from .tiles import alternatives

HOUSE_X, HOUSE_Y = 25, 18  # a house is a stone of the castle
DUNGEON, WALLS, TOWERS = range(box.SECTIONS)
TOWER_STARTS, TOWER_TOPS = (4, 104, 204), (38, 20, 38)  # left edges of the towers' stones, and tops of the towers
TOWERS_HIGH = (2, 3, 2)  # rows of stones
TOWER_BASE = 74
HALL = (14, 12)  # the corner of the castle
PLATE_X, PLATE_TOPS = 282, (120, 62, 4)  # by section
CIRCLE_X, CIRCLE_STEP, FOOT = 128, 34, 216  # of the workers in the yard

HILL = "M-14 172Q6 60 60 70 96 2 140 14 190 6 206 62 252 60 266 172Z"
ROCK = "M-12 176L-8 150 2 140-2 116H262L256 138 270 152 266 176Z"
SHADOWS = "M-8 150L2 140 0 128 16 122 8 152 22 160 4 176H-12ZM262 116L256 138 240 128 246 156 228 176H266L270 152Z"
WALL = "M0 96H258V122H0Z"
WALL_JOINTS = (
    "M0 105H258M0 114H258M20 96V105M52 96V105M86 96V105M172 96V105M206 96V105M240 96V105M36 105V114M70 105V114"
    "M188 105V114M222 105V114M20 114V122M52 114V122M206 114V122M240 114V122"
)
SLITS = "M26 99h3v12h-3ZM76 99h3v12h-3ZM179 99h3v12h-3ZM229 99h3v12h-3Z"
GATE = "M96 176V120Q96 100 129 100T162 120V176Z"
GATE_HOLE = "M105 176V128Q105 110 129 110T153 128V176Z"
BARS = "M117 176V114M129 176V111M141 176V114M105 134H153M105 150H153"
BATTLEMENTS = "v-9h10v4h8v-4h8v4h8v-4h8v4h8v-4h10v9Z"
YARD = "M26 181H308Q318 181 318 191V211Q318 221 308 221H26Q16 221 16 211V191Q16 181 26 181Z"
YARD_RUTS = "M24 190H60M84 186H112M22 213H70M92 215H110M282 188H308M286 213H312"
TICK = "M34 28L39 33 49 22"
SCAFFOLDS = (  # by section, with a crane; then the point from which a stone hangs
    ("M-8 176V126M266 176V126M-12 160H0M258 160H270M-12 142H2M256 142H270M262 126V106M228 112L272 103", (234, 121)),
    (
        "M-6 122V70M262 122V70M-8 98H4M254 98H266M-8 84H2M82 78V9M56 30L104 8M82 12L60 28M74 78L82 64 90 78",
        (58, 53),
    ),
    (
        "M-6 78V32M60 78V32M260 78V30M-8 60H2M56 60H62M254 60H262M179 78V2M158 12L224-1M171 78L179 64 187 78",
        (220, 20),
    ),
)


class Castle(NamedTuple):
    """The castle and the favours, as the board shows them."""

    houses: tuple[tuple[int, ...], ...]  # by section and seat
    section: int  # under construction
    workers: tuple[int, ...]  # by circle
    markers: tuple[tuple[int, ...], ...]  # by line and seat; empty if favours give points
    opened: int  # columns of the favours


def castle_of(s: State) -> Castle:
    houses = tuple(tuple(s.seat[p].houses[number] for p in range(s.seats)) for number in range(box.SECTIONS))
    lines = () if s.favours else range(LINES)
    markers = tuple(tuple(s.seat[p].favour[line] for p in range(s.seats)) for line in lines)
    return Castle(houses, s.section, tuple(s.castle)[: s.seats], markers, int(box.OPEN[s.section]) if markers else 0)


# --- the castle ----------------------------------------------------------------------------------------------


def castle(shown: Castle) -> list[svg.Element]:
    """Draw the castle on its rock: three tiers that grow stone by stone, and the yard in front of it."""
    tiers: list[svg.Element] = [tier(number, houses, shown.section) for number, houses in enumerate(shown.houses)]
    return [rock(), *tiers, roofs(shown.section), yard(shown.workers)]


def house_places(number: int) -> list[tuple[int, int]]:
    """Return the corners of a section's houses, from the left below upwards."""
    if number == DUNGEON:
        return [(start + HOUSE_X * i, 132) for start in (14, 169) for i in range(3)]
    if number == WALLS:
        return [(4 + HOUSE_X * i, 80) for i in range(10)]
    floors = max(TOWERS_HIGH)
    return [
        (start + HOUSE_X * i, TOWER_BASE - HOUSE_Y * (floor + 1))
        for floor in range(floors)
        for start, high in zip(TOWER_STARTS, TOWERS_HIGH, strict=True)
        for i in range(2)
        if floor < high
    ]


PLACES = [house_places(number) for number in range(box.SECTIONS)]


@cached_drawing
def rock() -> svg.G:
    found: list[svg.Element] = [shape(HILL, "hill"), use("i-fir", 196, 62, 1.5), use("i-tree", 8, 96, 1.1)]
    found += [use("i-fir", 84, 70, 1.1), shape(ROCK, "rock"), shape(SHADOWS, "rock", "dark")]
    found += [shape("M2 79H256V97H2Z", "core"), shape(WALL, "wall"), shape(WALL_JOINTS, "joint"), shape(SLITS, "hole")]
    found += [shape(GATE, "wall"), shape(GATE_HOLE, "hole"), shape(BARS, "bars")]
    for x, top in zip(TOWER_STARTS, TOWER_TOPS, strict=True):
        found.append(shape(f"M{x - 3} 78V{top}H{x + 53}V78Z", "wall"))
    return group_at(*HALL, *found)


@cached_drawing
def roofs(section: int) -> svg.G:
    """Draw battlements, the scaffold of the section under construction, and roofs when the castle is finished."""
    found: list[svg.Element] = []
    if section < box.SECTIONS:
        scaffold, (x, y) = SCAFFOLDS[section]
        found += [shape("M129 11V-8", "mast"), shape("M129-8H147L142-3 147 2H129Z", "roof")]
        found += [shape(scaffold, "scaffold"), shape(f"M{x} {y - 20}V{y - 7}", "mast"), use("i-stone", x, y, 1.1)]
    for x, top in zip(TOWER_STARTS, TOWER_TOPS, strict=True):
        if section == box.SECTIONS:
            found.append(shape(f"M{x} {top - 5}L{x + 25} {top - 30} {x + 50} {top - 5}Z", "roof"))
        found.append(shape(f"M{x - 5} {top}{BATTLEMENTS}", "wall"))
    return group_at(*HALL, *found)


@cached_drawing
def tier(number: int, houses: tuple[int, ...], section: int) -> svg.G:
    """Draw the houses of a section, and the plate with its scoring."""
    state = "scored" if number < section else "under construction" if number == section else "comes later"
    words = f"{SECTIONS[number]}, {state}: {sum(houses)} of {box.SPACES[number]}. {dues(number)}"
    owners = builders(houses)
    found: list[svg.Element] = [svg.Title(text=words)]
    for i, (x, y) in enumerate(PLACES[number]):
        if i < len(owners):
            found.append(use(f"house-{owners[i]}", x + HALL[0], y + HALL[1]))
        elif number < section:
            found.append(use("gap", x + HALL[0], y + HALL[1]))
        else:
            found.append(rect(x + HALL[0] + 1, y + HALL[1] + 1, HOUSE_X - 2, HOUSE_Y - 2, "free", rx=2))
    found.append(group_at(PLATE_X, PLATE_TOPS[number], *plate(number, section)))
    return svg.G(id=f"section-{number}", class_=["section"], elements=found)


def builders(houses: tuple[int, ...]) -> list[int]:
    """Return the owners of a section's houses in the order in which they are drawn: in turns, as far as they go."""
    return [seat for _, seat in sorted((i, seat) for seat, many in enumerate(houses) for i in range(many))]


def plate(number: int, section: int) -> list[svg.Element]:
    """Draw a plate: the points for a house, the space that triggers the scoring, and the houses for 1, 2, 3 favours."""
    due = box.DUE_FAVOURS[number]
    steps = [str(houses) for houses in range(1, box.MOST_SPACES + 1) if due[houses] > due[houses - 1]]
    scored = shape(TICK, "tick") if number < section else fitted(f"at {box.TRIGGER[number]}", 27, 32.6, 35, "light")
    return [
        rect(0, 0, 66, 54, "plate", *(["now"] if number == section else []), rx=6),
        fitted(SECTIONS[number], 5, 15.5, 56, "heading"),
        row((("points", int(box.BATCH_POINTS[number])),), 14, 28),
        scored,
        use("i-favour", 14, 45, 0.7),
        fitted("\N{MIDDLE DOT}".join(steps), 25, 49.5, 36),
    ]


def dues(number: int) -> str:
    """Return words on the scoring of a section, such as `with no houses you lose 2 points, 2 earn 1 favour`."""
    found = []
    for houses in range(box.MOST_SPACES + 1):
        favours, points = int(box.DUE_FAVOURS[number, houses]), int(box.DUE_POINTS[number, houses])
        before = int(box.DUE_FAVOURS[number, houses - 1]) if houses else 0
        if points:
            found.append(f"with {houses or 'no'} houses you lose {pluralize(-points, 'point')}")
        elif favours > before:
            found.append(f"{houses} earn {pluralize(favours, 'favour')}")
    return ", ".join(found)


@cached_drawing
def yard(workers: tuple[int, ...]) -> svg.G:
    words = "Castle: give batches of food and two other kinds"
    found: list[svg.Element] = [svg.Title(text=words), shape(YARD, "yard"), shape(YARD_RUTS, "ruts")]
    found.append(label("Castle", 36, 207, "heading"))
    for i, seat in enumerate(workers):
        found.append(worker(seat, circle_x(i), FOOT) if seat != NONE else use("spot", circle_x(i), FOOT - 13))
    return svg.G(id="castle", elements=found)


def circle_x(number: int) -> int:
    return CIRCLE_X + CIRCLE_STEP * number


def over_castle(workers: tuple[int, ...], choices: Choices) -> list[Overlay]:
    """Return overlays for the choice of the castle: its outline, and chips on the next circle."""
    taken = sum(seat != NONE for seat in workers)
    drawn = target(choices, CASTLE, rect(4, 2, 344, 218), circle_x(taken), FOOT - 13)
    return on_piece("board", "castle", drawn)


# --- the favours ---------------------------------------------------------------------------------------------


@cached_drawing
def plaque(without: bool) -> svg.G:
    """Draw the ground of the favours. In a play without the table it says what a favour is worth."""
    found: list[svg.Element] = [rect(0, 0, 500, 94, "plate", rx=8)]
    if without:
        found += [use("i-favour", 30, 47, 1.6), fitted("Each favour is worth", 60, 52, 150), use("i-points", 228, 47)]
        found.append(label(box.SIMPLE_POINTS, 228, 51.6, "on-points"))
        return group_at(FAVOURS_AT[0] - 29, FAVOURS_AT[1] - 3, *found, name="favours")
    name = svg.G(transform=[svg.Translate(17, 70), svg.Rotate(-90)], elements=[fitted("Favours", 0, 0, 62, "name")])
    found += [shape("M0 8Q0 0 8 0H24V94H8Q0 94 0 86Z", "spine"), use("i-favour", 12, 82, 0.9), name]
    return group_at(FAVOURS_AT[0] - 29, FAVOURS_AT[1] - 3, *found, name="favours")


def favours(shown: Castle) -> list[svg.Element]:
    """Draw the table: four lines of five columns, and the seats' marks below what they have reached."""
    lines: list[svg.Element] = [favour_line(line, at, shown.opened) for line, at in enumerate(shown.markers)]
    return [plaque(not lines), *lines]


@cached_drawing
def favour_line(line: int, markers: tuple[int, ...], opened: int) -> svg.G:
    """Draw a line of favours. The parameters are values, so that equal lines are drawn once."""
    found: list[svg.Element] = [svg.Title(text=f"Favours: {LINE_NAMES[line]}")]
    for column in range(box.COLUMNS):
        x = whole(CELL_X * column)
        brought, middle = reward(line, column), whole(x + 22.2)
        found.append(use("shut" if column >= opened else "cell", x))
        found.append(row(brought, middle, 13, 42) if brought else use("i-nothing", middle, 13))
        found += reached_by([p for p, at_column in enumerate(markers) if at_column == column + 1], middle)
    spot = line_spot(line)
    return group_at(spot.x, spot.y, *found, name=LINE_IDS[line], classes=["favours"])


def reached_by(seats: list[int], x: float) -> list[svg.Element]:
    scale, step = (0.6, 13.5) if len(seats) < 4 else (0.44, 9)
    places = [whole(x + (k - (len(seats) - 1) / 2) * step) for k in range(len(seats))]
    return [mark(p, at, 33, scale) for at, p in zip(places, seats, strict=True)]


def reward(line: int, column: int) -> tuple[Icon, ...]:
    """Return the icons of a column's reward, or an empty tuple for a column without an effect."""
    match line:
        case Line.PRESTIGE:
            return (("points", int(box.FAVOUR_POINTS[column])),)
        case Line.DENIERS:
            return (("coin", int(box.FAVOUR_MONEY[column])),)
        case Line.RESOURCES:
            if column + 1 == box.EXCHANGE_FROM:
                return (("exchange", 1),)
            kinds = [CUBES[kind] for kind in range(box.KINDS_OF_CUBE) if box.CUBE_FROM[kind] == column + 1]
            return alternatives([((kind, 1),) for kind in kinds])
    if column + 1 == box.CONVERTS_FROM:
        return (("cloth", 1), ("arrow", 1), ("residence", 1))
    kinds = [name for kind, name in enumerate(box.CLASSES) if box.BUILDS_FROM[kind] == column + 1]
    return tuple((f"{name}-house", 1) for name in kinds)


def over_favours(s: State, choices: Choices) -> list[Overlay]:
    """Return overlays for the lines of favours that can be chosen, with chips in the column that would be reached."""
    found: list[Overlay] = []
    for line in range(LINES):
        x = round(CELL_X * (column_after(s, line) - 1), 1)
        click = target(choices, FAVOUR + line, rect(-1, 0, LINE_WIDTH + 2, 44, rx=6), x + 22, 32)
        if click:
            area, *chips = click
            found += on_piece("board", LINE_IDS[line], [rect(x, 1, 44.4, 42, "reached", rx=5), area, *chips])
    return found
