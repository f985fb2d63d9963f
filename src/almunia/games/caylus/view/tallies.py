"""The castle with its houses, and the table of favours."""

from typing import NamedTuple

import svg

from ....core.contract import Overlay
from ....core.english import pluralize
from ....core.svg import cached_drawing, group_at, label
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CUBES, Line
from ..rules.state import FAVOUR, LINES
from ..text.actions import column_after
from ..text.words import LINE_IDS, LINE_NAMES, SECTIONS
from .gains import Choices
from .icons import Icon, mark, rect, row
from .plan import WIDTH, Spot
from .road import laid, on_piece, piece, target
from .tiles import deal

SECTION = 38  # the height of a section
SECTION_X = 420  # the width of a section
HOUSE = 19  # the distance between houses
TABLE = SECTION_X + 10  # the left edge of the favours
CELL_X, CELL_Y = 88, 29
NAMES = 128  # the width of the lines' names
HEIGHT = LINES * CELL_Y
STRETCH = 3  # factor that makes lines high enough for a finger on a narrow page
LARGER = 1.45  # scale of the icons in the lines, which keep their shape
CASTLE_AT = Spot(0, 1, 0, 0, 2.3)
FAVOURS_AT = Spot(TABLE, 0, 0, 280, round(WIDTH / (WIDTH - TABLE), 3), stretch=STRETCH)


class Tallies(NamedTuple):
    """Castle and favours, as the panel shows them."""

    houses: tuple[tuple[int, ...], ...]  # by section and seat
    section: int  # under construction
    markers: tuple[tuple[int, ...], ...]  # by line and seat; empty if favours give points
    opened: int  # columns of the favours


def tallies_of(s: State) -> Tallies:
    houses = tuple(tuple(s.seat[p].houses[number] for p in range(s.seats)) for number in range(box.SECTIONS))
    lines = () if s.favours else range(LINES)
    markers = tuple(tuple(s.seat[p].favour[line] for p in range(s.seats)) for line in lines)
    return Tallies(houses, s.section, markers, int(box.OPEN[s.section]) if markers else 0)


def tallies(shown: Tallies) -> svg.SVG:
    sections: list[svg.Element] = [section(shown, number) for number in range(box.SECTIONS)]
    elements, narrow = [piece(CASTLE_AT, "", sections)], 280
    if shown.markers:
        lines: list[svg.Element] = [favour_line(line, at, shown.opened) for line, at in enumerate(shown.markers)]
        elements.append(piece(FAVOURS_AT, "", lines))
        narrow += round(HEIGHT * FAVOURS_AT.scale * STRETCH)
    return laid("Castle and favours", HEIGHT, narrow, elements)


# --- the castle ----------------------------------------------------------------------------------------------


def section(shown: Tallies, number: int) -> svg.G:
    state = "scored" if number < shown.section else "building" if number == shown.section else "later"
    return group_at(0, SECTION * number, section_row(number, shown.houses[number], state))


@cached_drawing
def section_row(number: int, houses: tuple[int, ...], state: str) -> svg.G:
    """Draw a section of the castle. The parameters are values, so that equal sections are drawn once."""
    said = {"scored": "scored", "building": "under construction", "later": "comes later"}[state]
    found: list[svg.Element] = [
        svg.Title(text=f"{SECTIONS[number]}, {said}: {sum(houses)} of {box.SPACES[number]}. {dues(number)}"),
        rect(1, 1, SECTION_X - 2, SECTION - 3, "ground"),
        label(SECTIONS[number], 8, 17, "name"),
        label(f"scored at {box.TRIGGER[number]}", 8, 32, "small"),
        group_at(122, 18, row((("points", int(box.BATCH_POINTS[number])),))),
    ]
    owners = [p for p, many in enumerate(houses) for _ in range(many)]
    for i in range(int(box.SPACES[number])):
        x = 150 + HOUSE * i
        free = svg.Circle(class_=["free"], cx=x, cy=18, r=7)
        found.append(group_at(x, 18, mark(owners[i]), scale=0.9) if i < len(owners) else free)
    return svg.G(id=f"section-{number}", class_=["section", state], elements=found)


def dues(number: int) -> str:
    """Return words on the scoring of a section, such as `0 houses cost 2 points, 2 bring 1 favour`."""
    found = []
    for houses in range(box.MOST_SPACES + 1):
        favours, points = int(box.DUE_FAVOURS[number, houses]), int(box.DUE_POINTS[number, houses])
        before = int(box.DUE_FAVOURS[number, houses - 1]) if houses else 0
        if points:
            found.append(f"{houses} houses cost {pluralize(-points, 'point')}")
        elif favours > before:
            found.append(f"{houses} bring {pluralize(favours, 'favour')}")
    return ", ".join(found)


# --- the favours ---------------------------------------------------------------------------------------------


def favour_line(line: int, markers: tuple[int, ...], opened: int) -> svg.G:
    return group_at(0, CELL_Y * line, favour_row(line, markers, opened), name=LINE_IDS[line])


def over_tallies(s: State, choices: Choices) -> list[Overlay]:
    """Return overlays for the lines of favours that can be chosen."""
    found: list[Overlay] = []
    for line in range(LINES):
        click = target(choices, FAVOUR + line, rect(2, 2, WIDTH - TABLE - 4, CELL_Y - 3), 0, 0)
        if click:
            area, *chips = click
            drawn = [reached(column_after(s, line)), area]
            drawn += [unstretched((NAMES - 22, CELL_Y / 2), (NAMES, CELL_Y / 2), *chips)] if chips else []
            found += on_piece("tallies", LINE_IDS[line], drawn)
    return found


def unstretched(wide: tuple[float, float], narrow: tuple[float, float], *elements: svg.Element) -> svg.G:
    """Return a group that keeps its shape where narrow pages stretch its line.

    The first point is its position on wide pages, the second on narrow pages.
    """
    (x, y), (narrow_x, narrow_y) = wide, narrow
    places = f"--x:{x:g}px;--y:{y:g}px;--nx:{narrow_x:g}px;--ny:{narrow_y:g}px"
    return svg.G(class_=["piece"], style=f"{places};--ns:{LARGER:g},{LARGER / STRETCH:.2f}", elements=[*elements])


@cached_drawing
def reached(column: int) -> svg.Rect:
    return rect(NAMES + CELL_X * (column - 1), 3, CELL_X - 3, CELL_Y - 6, "reached")


@cached_drawing
def favour_row(line: int, markers: tuple[int, ...], opened: int) -> svg.G:
    """Draw a line of favours. The parameters are values, so that equal lines are drawn once."""
    found: list[svg.Element] = [
        rect(1, 1, WIDTH - TABLE - 2, CELL_Y - 2, "ground"),
        unstretched((8, 20), (3, 17.2), label(LINE_NAMES[line].capitalize(), 0, 0, "name")),
    ]
    for column in range(box.COLUMNS):
        x = NAMES + CELL_X * column
        shut = ["shut"] if column >= opened else []
        cell = rect(x, 3, CELL_X - 3, CELL_Y - 6, "cell", *shut)
        brought = group_at(0, 0, row(reward(line, column), 54), scale=0.9)
        standing = markers_in(tuple(p for p, at_column in enumerate(markers) if at_column == column + 1))
        found += [cell, unstretched((x + 30, 15), (x + CELL_X / 2, 9.5), brought)]
        found += [unstretched((x + 62, 15), (x + CELL_X / 2 - 14, 22.5), *standing)] if standing else []
    return svg.G(class_=["favours"], elements=found)


def markers_in(seats: tuple[int, ...]) -> list[svg.Element]:
    places = [(10 * (i % 3), (0, -5, 5)[(len(seats) > 3) + i // 3]) for i in range(len(seats))]
    return [group_at(*place, mark(p), scale=0.5) for place, p in zip(places, seats, strict=True)]


def reward(line: int, column: int) -> tuple[Icon, ...]:
    """Return the icons of a column's reward, or an empty tuple for a column without an effect."""
    match line:
        case Line.PRESTIGE:
            return (("points", int(box.FAVOUR_POINTS[column])),)
        case Line.DENIERS:
            return (("coin", int(box.FAVOUR_MONEY[column])),)
        case Line.RESOURCES:
            if column + 1 == box.EXCHANGE_FROM:
                return deal(box.EXCHANGE, 0)
            kinds = [CUBES[kind] for kind in range(box.KINDS_OF_CUBE) if box.CUBE_FROM[kind] == column + 1]
            return tuple(icon for i, kind in enumerate(kinds) for icon in ((("or", 1),) if i else ()) + ((kind, 1),))
    names = {2: "wood house", 3: "stone house", 5: "prestige house"}
    if column + 1 == box.CONVERTS_FROM:
        return (("cloth", 1), ("arrow", 1), ("residence", 1))
    return ((names[column + 1], 1),) if column + 1 in names else ()
