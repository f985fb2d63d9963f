"""The castle with its houses, and the table of favours."""

import svg

from ....core.drawing import at, canvas, label, once
from ....core.plain import CheckedRecord as State
from ....core.words import count_of
from .. import components as box
from ..components import CUBES, Line
from ..rules.castle import houses_in
from ..rules.state import FAVOUR, LINES
from ..text.words import LINE_NAMES, SECTIONS
from .icons import Icon, mark, rect, row
from .road import Choices, target
from .tiles import deal

WIDTH = 400
SECTION = 40  # the height of a section
TABLE = 3 * SECTION + 4  # where the favours begin
HEADS = 20  # the numbers of its columns
CELL_X, CELL_Y = 60, 37


def tallies(s: State, choices: Choices) -> svg.SVG:
    """The castle, and below it the table of favours unless favours are points."""
    elements: list[svg.Element] = [section(s, number) for number in range(box.SECTIONS)]
    height = TABLE
    if not s.favours:
        height = TABLE + HEADS + LINES * CELL_Y
        elements += [favour_heads(int(box.OPEN[s.section])), *(favour_line(s, line, choices) for line in range(LINES))]
    view = svg.ViewBoxSpec(0, 0, WIDTH, height)
    return canvas("Castle and favours", view, elements, "caylus", "tallies", clickable=bool(choices))


# --- the castle ----------------------------------------------------------------------------------------------


def section(s: State, number: int) -> svg.G:
    """A section: its points, and the houses in it by seat, then what is free."""
    houses = tuple(s.seat[p].houses[number] for p in range(s.seats))
    state = "scored" if number < s.section else "building" if number == s.section else "later"
    return at(0, SECTION * number, section_row(number, houses, state, houses_in(s, number)))


@once
def section_row(number: int, houses: tuple[int, ...], state: str, count: int) -> svg.G:
    """The same, drawn once."""
    said = {"scored": "scored", "building": "under construction", "later": "comes later"}[state]
    found: list[svg.Element] = [
        svg.Title(text=f"{SECTIONS[number]}, {said}: {count} of {box.SPACES[number]}. {dues(number)}"),
        rect(1, 1, WIDTH - 2, SECTION - 4, "ground"),
        label(SECTIONS[number], 10, 16, "name"),
        at(20, 26, row((("points", int(box.BATCH_POINTS[number])),)), scale=0.6),
        label(f"scored at {box.TRIGGER[number]}", 32, 31, "small"),
    ]
    owners = [p for p, many in enumerate(houses) for _ in range(many)]
    for i in range(int(box.SPACES[number])):
        x, y = 154 + 37 * (i % 7), (11, 28)[i // 7] if box.SPACES[number] > 7 else 19
        found.append(
            at(x, y, mark(owners[i]), scale=0.8) if i < len(owners) else svg.Circle(class_=["free"], cx=x, cy=y, r=6.5)
        )
    return svg.G(id=f"section-{number}", class_=["section", state], elements=found)


def dues(number: int) -> str:
    """What houses bring when a section is scored: `0: -2 points, 2: 1 favour`."""
    found = []
    for houses in range(box.MOST_SPACES + 1):
        favours, points = int(box.DUE_FAVOURS[number, houses]), int(box.DUE_POINTS[number, houses])
        before = int(box.DUE_FAVOURS[number, houses - 1]) if houses else 0
        if points:
            found.append(f"{houses} houses cost {count_of(-points, 'point')}")
        elif favours > before:
            found.append(f"{houses} bring {count_of(favours, 'favour')}")
    return ", ".join(found)


# --- the favours ---------------------------------------------------------------------------------------------


@once
def favour_heads(opened: int) -> svg.G:
    """The numbers of the columns; those that are closed are pale."""
    found: list[svg.Element] = [label("Favours", 10, 15, "name")]
    for column in range(box.COLUMNS):
        shut = ["shut"] if column >= opened else []
        found.append(label(column + 1, 126 + CELL_X * column, 15, "small", "middle", *shut))
    return at(0, TABLE, *found)


def favour_line(s: State, line: int, choices: Choices) -> svg.G:
    """A line: what each column brings, and the markers in it."""
    markers = tuple(s.seat[p].favour[line] for p in range(s.seats))
    drawing = favour_row(line, markers, int(box.OPEN[s.section]))
    click = target(choices, FAVOUR + line, rect(2, 2, WIDTH - 4, CELL_Y - 4))
    return at(0, TABLE + HEADS + CELL_Y * line, drawing, *click)


@once
def favour_row(line: int, markers: tuple[int, ...], opened: int) -> svg.G:
    """The same, drawn once."""
    found: list[svg.Element] = [
        rect(1, 1, WIDTH - 2, CELL_Y - 4, "ground"),
        label(LINE_NAMES[line].capitalize(), 10, 17, "name"),
    ]
    found += markers_in(tuple(p for p, column in enumerate(markers) if column == 0), 22)
    for column in range(box.COLUMNS):
        x = 126 + CELL_X * column
        shut = ["shut"] if column >= opened else []
        cell = rect(x - CELL_X / 2 + 2, 3, CELL_X - 4, CELL_Y - 8, "cell", *shut)
        found += [cell, at(x, 14, row(reward(line, column), 66), scale=0.68)]
        found += markers_in(tuple(p for p, at_column in enumerate(markers) if at_column == column + 1), x)
    return svg.G(class_=["favours"], elements=found)


def markers_in(seats: tuple[int, ...], x: float) -> list[svg.Element]:
    """The markers of these seats below one another's reward."""
    first = x - 5.5 * (len(seats) - 1) if x > CELL_X else x
    return [at(first + 11 * i, 28, mark(p), scale=0.5) for i, p in enumerate(seats)]


def reward(line: int, column: int) -> tuple[Icon, ...]:
    """What a column of a line brings."""
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
