"""The panels of majorities, Dirk's tiles, points by round, and known hands."""

from collections.abc import Iterator
from operator import itemgetter
from typing import NamedTuple

import svg

from ....core.english import capitalize, join_words, pluralize
from ....core.svg import cached_drawing, canvas, group_at, label, rect, shape, use
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import Kind
from ..text.words import PLURALS, ROUNDS, next_round, rivalry, worth_now
from .drawing import CARD, WALL, U, money_card, placed_tile, seat_mark

LETTER = 12  # the smallest text
MARK, COLUMN, SUM = 26, 37, 43  # widths: of a mark, of a kind's column, and of the total
WIDTH = MARK + COLUMN * (box.KINDS + 1) + SUM
ROW, HEAD, PRIZE_LINE = 32, 27, 14  # heights: of a seat, of the emblems, of a line of points
EMBLEM_Y = 16
TABLE_NAME, TABLE_ROUND, TABLE_LINE = 112, 76, 34  # the table of points: widths of the columns, and height of a line
PLACED = ("most", "second most", "third most")  # in the order of the points


class Comparison(NamedTuple):
    """The contents of the panel of majorities."""

    held: int  # number of the next scoring round
    over: bool
    lines: tuple[tuple[tuple[int, int], ...], ...]  # by kind and competitor: number and points; Dirk is last
    worth: tuple[tuple[int, int], ...]  # by seat: points for buildings and for the wall


def comparison_of(s: State) -> Comparison:
    return Comparison(next_round(s), bool(s.over), rivalry(s), tuple(worth_now(s, p) for p in range(s.seats)))


def majorities(shown: Comparison, own: int, reader: int) -> svg.SVG:
    """Draw a row for each seat, beginning with `own`, and for Dirk if Dirk competes."""
    seats, competing = len(shown.worth), len(shown.lines[0])
    elements: list[svg.Element] = [heads(shown.held, shown.over)]
    top = HEAD + PRIZE_LINE * prize_lines(shown.held) + 4
    order = [*((own + i) % seats for i in range(seats)), *range(seats, competing)]
    longest = max(wall for _, wall in shown.worth)
    for place, p in enumerate(order):
        wall = shown.worth[p][1] if p < seats else 0
        counts = tuple((*line[p], 0 < line[p][0] == max(number for number, _ in line)) for line in shown.lines)
        mark = "me" if p == own else "dirk" if p == seats else "rival"
        elements.append(row(top + ROW * place, p, mark, counts, wall, 0 < wall == longest))
    view_box = svg.ViewBoxSpec(0, 0, WIDTH, top + ROW * len(order))
    return canvas(in_words(shown, reader), view_box, elements, "alhambra", "majorities")


def in_words(shown: Comparison, reader: int) -> str:
    """Return the majorities in words for screen readers."""
    seats = len(shown.worth)
    names = ["you" if p == reader else f"player {p + 1}" for p in range(seats)] + ["Dirk"]
    lines = []
    for kind, line in zip(Kind, shown.lines, strict=True):
        prizes = [f" for {pluralize(gain, 'point')}" if gain else "" for _, gain in line]
        lines.append(f"{PLURALS[kind]}: {ranked(names, [number for number, _ in line], prizes)}")
    lines.append(f"longest wall: {ranked(names, [wall for _, wall in shown.worth], [''] * seats)}")
    lines.append(f"points in all: {ranked(names, list(map(sum, shown.worth)), [''] * seats)}")
    return f"Who leads for the {ROUNDS[shown.held - 1]} scoring. {'. '.join(map(capitalize, lines))}."


def ranked(names: list[str], numbers: list[int], prizes: list[str]) -> str:
    """Return names with numbers, descending: `Ann with 3 for 8 points, you with 1`, or `no player` if all are 0."""
    some = sorted(filter(itemgetter(0), zip(numbers, names, prizes, strict=False)), key=itemgetter(0), reverse=True)
    return ", ".join(f"{name} with {number}{prize}" for number, name, prize in some) or "no player"


def prize_lines(held: int) -> int:
    """Return the number of lines for the points of a round below each emblem: 2 in the last round, else 1."""
    return 1 + (held == box.ROUNDS)


def middle_of(column: int) -> float:
    return MARK + COLUMN * (column + 0.5)


@cached_drawing
def heads(held: int, over: bool) -> list[svg.Element]:
    found: list[svg.Element] = []
    for kind in Kind:
        prizes = [int(box.POINTS[held - 1, kind, place]) for place in range(held)]
        won = [f"{points} for {place}" for points, place in zip(prizes, PLACED, strict=False)]
        words = f"{capitalize(PLURALS[kind])}, points of the {ROUNDS[held - 1]} scoring: {join_words(won)}"
        found += [*emblem_head(kind, words), *prize_words(kind, prizes)]
    title = svg.Title(text="Longest wall: a point for each side")
    found.append(group_at(middle_of(box.KINDS), EMBLEM_Y, title, shape(WALL, "little-wall"), scale=0.42))
    found.append(label("\N{MULTIPLICATION SIGN}1", middle_of(box.KINDS), HEAD + 11, "prize"))
    return [*found, label("points" if over else "now", WIDTH - SUM / 2, HEAD + 11, "prize")]


def emblem_head(kind: int, words: str) -> list[svg.Element]:
    name = box.KIND_NAMES[kind]
    return [
        group_at(middle_of(kind), EMBLEM_Y, svg.Title(text=words), use(f"emblem-{name}"), scale=0.45, classes=[name])
    ]


def prize_words(kind: int, prizes: list[int]) -> Iterator[svg.Element]:
    first = 1 if len(prizes) == box.PLACES else len(prizes)
    for line, numbers in enumerate(filter(None, (prizes[:first], prizes[first:]))):
        yield label("·".join(map(str, numbers)), middle_of(kind), HEAD + 11 + PRIZE_LINE * line, "prize")


@cached_drawing
def row(
    y: float, p: int, mark: str, counts: tuple[tuple[int, int, bool], ...], wall: int, longest: bool
) -> list[svg.Element]:
    found: list[svg.Element] = [rect(0, y + 1, WIDTH, ROW - 2, "stripe", mark, rx=6)]
    middle = y + ROW / 2
    found.append(label("Dirk", MARK / 2, middle + 4, "prize") if mark == "dirk" else seat_mark(p, MARK / 2, middle))
    cells = [*counts, *([(wall, 0, longest)] if mark != "dirk" else [])]
    for column, (number, gain, most) in enumerate(cells):
        found += cell(middle_of(column), y, number, gain, most)
    total = sum(gain for _, gain, _ in counts) + wall
    return [*found, label(f"+{total}", WIDTH - SUM / 2, middle + 5, "total")]


def cell(x: float, y: float, number: int, gain: int, most: bool) -> Iterator[svg.Element]:
    yield label(number, x, y + (14 if gain else 22), *(["number"] if number else ["number", "none"]))
    if gain:
        yield label(f"+{gain}", x, y + 26, "gain")
    if most:
        yield rect(x - COLUMN / 2 + 3, y + ROW - 4, COLUMN - 6, 2.5, "most", rx=1.5)


# --- Dirk --------------------------------------------------------------------------------------------


def dirk_title(s: State) -> str:
    """Return the title of Dirk's panel, with Dirk's points [D14]."""
    return f"Dirk: {pluralize(sum(s.dirk_earned), 'point')}, can't win"


def dirk(*tiles: int) -> svg.SVG:
    """Draw Dirk's tiles in one line. Tiles of the same kind overlap [12.2]."""
    scale, step, more = 0.44, 48, 9
    piles = [[number for number in tiles if box.KIND[number] == kind] for kind in Kind]
    elements: list[svg.Element] = []
    x = 0
    for pile in filter(None, piles):
        elements += [placed_tile(number, x + more * i, 0, scale) for i, number in reversed(list(enumerate(pile)))]
        x += step + more * (len(pile) - 1)
    return canvas("Dirk's tiles", svg.ViewBoxSpec(0, 0, max(x, WIDTH), round(U * scale)), elements, "alhambra", "dirk")


# --- behind buttons ----------------------------------------------------------------------------------


def points_table() -> svg.SVG:
    """Draw the points for the most, second most and third most of each kind, by round [10.2, 10.3]."""
    view_box = svg.ViewBoxSpec(0, 0, TABLE_NAME + TABLE_ROUND * box.ROUNDS, TABLE_LINE * (box.KINDS + 1))
    return canvas("Points by round", view_box, [prizes()], "alhambra")


@cached_drawing
def prizes() -> list[svg.Element]:
    elements: list[svg.Element] = [
        label(capitalize(words), TABLE_NAME + TABLE_ROUND * (i + 0.5), 20, "head") for i, words in enumerate(ROUNDS)
    ]
    for kind in Kind:
        y = TABLE_LINE * (kind + 0.9)
        elements.append(rect(0, y, TABLE_NAME + TABLE_ROUND * box.ROUNDS, TABLE_LINE - 3, "stripe", rx=6))
        elements.append(group_at(17, y + 18, use(f"emblem-{box.KIND_NAMES[kind]}"), scale=0.45))
        elements.append(label(capitalize(PLURALS[kind]), 36, y + 21, "name"))
        for i in range(box.ROUNDS):
            points = " · ".join(str(box.POINTS[i, kind, place]) for place in range(i + 1))
            elements.append(label(points, TABLE_NAME + TABLE_ROUND * (i + 0.5), y + 21, "name", "middle"))
    return elements


def all_hands(*hands: tuple[int, ...]) -> svg.SVG:
    """Draw the money of all players, a row for each seat, for perfect memory [D8]."""
    step, line = 40, CARD[1] + 10
    elements: list[svg.Element] = []
    for p, held in enumerate(hands):
        elements.append(seat_mark(p, 14, line * p + CARD[1] / 2))
        elements += [money_card(card, 32 + step * i, line * p) for i, card in enumerate(held)]
    view_box = svg.ViewBoxSpec(0, 0, 32 + step * max(8, *map(len, hands)), line * len(hands))
    return canvas("All players' money", view_box, elements, "alhambra")
