"""Who has most of each kind, the points to be had, and Dirk's tiles, as pictures."""

from collections.abc import Iterator

import svg

from ....core.drawing import canvas, label, once, rect
from ....core.plain import CheckedRecord as State
from ....core.words import count_of
from .. import components as box
from ..components import Kind
from ..rules.scoring import competitors
from ..text.words import PLURALS, members, next_round, rivalry, worth_now
from .drawing import placed_tile, sign_of_kind

MARKS = ("●", "◆", "▲", "■", "★", "✚")  # of the seats, as elsewhere
NAMES, COLUMN, LINE = 132, 62, 34  # widths of names and of a player's column; height of a line
ROUND_HEADS = ("1st", "2nd", "3rd")
POINTS = (34, 58, 84)  # widths of the columns of the points table


def majorities(s: State) -> svg.SVG:
    """A table: a line for each kind, a column for each player, and the points of the three rounds behind."""
    players = competitors(s)
    width = NAMES + COLUMN * players + 14 + sum(POINTS)
    elements: list[svg.Element] = [heads(s.seats, players, next_round(s))]
    elements += [line(kind, numbers) for kind, numbers in enumerate(rivalry(s))]
    elements += sums(s, players)
    return canvas("Who has most", svg.ViewBoxSpec(0, 0, width, LINE * 9 + 8), elements, "majorities")


def column_of(p: int) -> float:
    """The middle of a player's column."""
    return NAMES + COLUMN * (p + 0.5)


@once
def heads(seats: int, players: int, held: int) -> list[svg.Element]:
    """The marks of the players, and the rounds of the points table."""
    found: list[svg.Element] = [label(MARKS[p], column_of(p), 24, "mark", f"of-{p}") for p in range(seats)]
    if players > seats:
        found.append(label("Dirk", column_of(seats), 22, "head"))
    x = NAMES + COLUMN * players + 14
    for i, width in enumerate(POINTS):
        current = ["now"] if i == held - 1 else []
        if current:
            found.append(rect(x, 4, width, LINE * 7, "current", rx=6))
        found.append(label(ROUND_HEADS[i], x + width / 2, 22, "head", *current))
        x += width
    return found


@once
def line(kind: int, numbers: tuple[tuple[int, int], ...]) -> list[svg.Element]:
    """One kind, with the number and the points of every player."""
    y, end = LINE * (kind + 1), NAMES + COLUMN * len(numbers)
    found: list[svg.Element] = [
        rect(0, y + 1, end, LINE - 2, "stripe", rx=5),
        sign_of_kind(kind, 18, y + 18, 0.44),
        label(PLURALS[kind], 38, y + 22, "name"),
    ]
    for p, (number, gain) in enumerate(numbers):
        classes = ["number"] if number else ["number", "none"]
        found.append(label(number, column_of(p) - 12, y + 24, *classes))
        if gain:
            found.append(label(f"+{gain}", column_of(p) + 14, y + 23, "gain"))
    x = end + 14
    for i, width in enumerate(POINTS):
        prizes = " · ".join(str(box.POINTS[i, kind, place]) for place in range(i + 1))
        found.append(label(prizes, x + width / 2, y + 23, "prize"))
        x += width
    return found


def sums(s: State, players: int) -> Iterator[svg.Element]:
    """Walls, and what everybody would get in all."""
    worth = [worth_now(s, p) for p in range(s.seats)]
    totals = [buildings + wall for buildings, wall in worth]
    if players > s.seats:
        totals.append(sum(line[s.seats][1] for line in rivalry(s)))
    yield last_line(7, "longest wall", tuple(str(wall) for _, wall in worth))
    yield last_line(8, "all together" if s.over else "scored now", tuple(f"+{total}" for total in totals))


@once
def last_line(place: int, name: str, words: tuple[str, ...]) -> list[svg.Element]:
    """A line below the kinds."""
    y, classes = LINE * place + 24, ["number", *(["gain"] if place == 8 else [])]
    found: list[svg.Element] = [label(name, 12, y, "name")]
    return found + [label(said, column_of(p), y, *classes) for p, said in enumerate(words)]


# --- Dirk --------------------------------------------------------------------------------------------


def dirk(s: State) -> svg.SVG:
    """Dirk's tiles in piles by kind, and his points [12.2, D14]."""
    piles = {kind: [number for number in members(s.dirk) if box.KIND[number] == kind] for kind in Kind}
    step, scale, width = 30, 0.62, 68
    height = 34 + 62 + step * max(0, *(len(pile) - 1 for pile in piles.values()))
    points = sum(s.dirk_earned)
    elements: list[svg.Element] = [
        label(f"{count_of(points, 'point')}, and he cannot win", 4, 20, "label"),
    ]
    for kind, pile in piles.items():
        for i, number in reversed(list(enumerate(pile))):  # each covers the top of the next one, not its price
            elements.append(placed_tile(number, 4 + width * kind, 32 + step * i, scale))
        if not pile:
            elements.append(sign_of_kind(kind, 4 + width * kind + 31, 63, 0.4))
    return canvas("Dirk's tiles", svg.ViewBoxSpec(0, 0, width * box.KINDS + 4, height), elements, "dirk")
