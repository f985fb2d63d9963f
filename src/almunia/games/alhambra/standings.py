"""Who has most of each kind, the points to be had, and Dirk's tiles, as pictures."""

from collections.abc import Iterator

import svg

from ...core.checked import CheckedRecord as State
from . import components as box
from .components import Kind
from .drawing import moved, sign_of_kind, tile
from .scoring import competitors, count, points_for_kind
from .words import PLURALS, members, next_round, worth_now

MARKS = ("●", "◆", "▲", "■", "★", "✚")  # of the seats, as elsewhere
NAMES, COLUMN, LINE = 132, 62, 34  # widths of names and of a player's column; height of a line
ROUND_HEADS = ("1st", "2nd", "3rd")
POINTS = (34, 58, 84)  # widths of the columns of the points table


def standings(s: State) -> svg.SVG:
    """A table: a line for each kind, a column for each player, and the points of the three rounds behind."""
    players = competitors(s)
    width = NAMES + COLUMN * players + 14 + sum(POINTS)
    elements: list[svg.Element] = [*heads(s, players)]
    for kind in Kind:
        elements += line_of(s, kind, players)
    elements += sums(s, players)
    return svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, width, LINE * 9 + 8),
        class_=["standings"],
        elements=elements,
        extra={"role": "img", "aria-label": "Who has most"},
    )


def column_of(p: int) -> float:
    """The middle of a player's column."""
    return NAMES + COLUMN * (p + 0.5)


def heads(s: State, players: int) -> Iterator[svg.Element]:
    """The marks of the players, and the rounds of the points table."""
    for p in range(players):
        if p < s.seats:
            yield svg.Text(class_=["mark", f"of-{p}"], x=column_of(p), y=24, text=MARKS[p])
        else:
            yield svg.Text(class_=["head"], x=column_of(p), y=22, text="Dirk")
    held, x = next_round(s), NAMES + COLUMN * players + 14
    for i, width in enumerate(POINTS):
        current = ["now"] if i == held - 1 else []
        if current:
            yield svg.Rect(class_=["current"], x=x, y=4, width=width, height=LINE * 7, rx=6)
        yield svg.Text(class_=["head", *current], x=x + width / 2, y=22, text=ROUND_HEADS[i])
        x += width


def line_of(s: State, kind: int, players: int) -> Iterator[svg.Element]:
    """One kind: how many everybody has, and the points for that in the next round."""
    y = LINE * (kind + 1)
    yield svg.Rect(class_=["stripe"], x=0, y=y + 1, width=NAMES + COLUMN * players, height=LINE - 2, rx=5)
    yield sign_of_kind(kind, 18, y + 18, 0.44)
    yield svg.Text(class_=["name"], x=38, y=y + 22, text=PLURALS[kind])
    for p in range(players):
        number, gain = count(s, p, kind), points_for_kind(s, p, kind, next_round(s))
        yield svg.Text(
            class_=["number", *([] if number else ["none"])], x=column_of(p) - 12, y=y + 24, text=str(number)
        )
        if gain:
            yield svg.Text(class_=["gain"], x=column_of(p) + 14, y=y + 23, text=f"+{gain}")
    x = NAMES + COLUMN * players + 14
    for i, width in enumerate(POINTS):
        prizes = " · ".join(str(box.POINTS[i, kind, place]) for place in range(i + 1))
        yield svg.Text(class_=["prize"], x=x + width / 2, y=y + 23, text=prizes)
        x += width


def sums(s: State, players: int) -> Iterator[svg.Element]:
    """Walls, and what everybody would get in all."""
    for line, label in ((7, "longest wall"), (8, "all together" if s.over else "scored now")):
        y = LINE * line
        yield svg.Text(class_=["name"], x=12, y=y + 24, text=label)
        for p in range(s.seats):
            buildings, wall = worth_now(s, p)
            words = f"+{buildings + wall}" if line == 8 else str(wall)
            yield svg.Text(class_=["number", *(["gain"] if line == 8 else [])], x=column_of(p), y=y + 24, text=words)
        if players > s.seats and line == 8:
            total = sum(points_for_kind(s, s.seats, kind, next_round(s)) for kind in Kind)
            yield svg.Text(class_=["number", "gain"], x=column_of(s.seats), y=y + 24, text=f"+{total}")


# --- Dirk --------------------------------------------------------------------------------------------


def dirk(s: State) -> svg.SVG:
    """Dirk's tiles in piles by kind, and his points [12.2, D14]."""
    piles = {kind: [number for number in members(s.dirk) if box.KIND[number] == kind] for kind in Kind}
    step, scale, width = 30, 0.62, 68
    height = 34 + 62 + step * max(0, *(len(pile) - 1 for pile in piles.values()))
    points = sum(s.dirk_earned)
    elements: list[svg.Element] = [
        svg.Text(class_=["label"], x=4, y=20, text=f"{points} point{'' if points == 1 else 's'}, and he cannot win"),
    ]
    for kind, pile in piles.items():
        for i, number in reversed(list(enumerate(pile))):  # each covers the top of the next one, not its price
            piece = tile(number)
            piece.style = moved(4 + width * kind, 32 + step * i, scale)
            elements.append(piece)
        if not pile:
            elements.append(sign_of_kind(kind, 4 + width * kind + 31, 63, 0.4))
    return svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, width * box.KINDS + 4, height),
        class_=["dirk"],
        elements=elements,
        extra={"role": "img", "aria-label": "Dirk's tiles"},
    )
