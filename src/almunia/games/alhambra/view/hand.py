"""The picture of the reader's hand: money, tiles to position, and the reserve."""

from collections.abc import Iterator, Sequence
from itertools import count
from math import ceil
from typing import NamedTuple

import svg

from ....core.contract import NONE
from ....core.english import join_words
from ....core.svg import cached_drawing, canvas, label, rect
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.money import pays_exactly
from ..text.actions import decode
from ..text.prospects import best
from ..text.words import after_paying, card_name, cards_of, is_known, members, tile_name, tiles_waiting
from .drawing import CARD, U, exact_mark, money_card, oblong, promise
from .palace import target, tile_beside

LETTER = 17  # the smallest text
WIDTH = 460
TALL = 68  # the size of a tile
STEP, LEAST_STEP = 50, 36  # the distance between cards, and the least distance of overlapping cards
TILE_STEP, LINE, APART = 74, 76, 14  # the distance between tiles, between lines, and between money and tiles
VACANT = 84  # the width of an empty reserve board
EDGE = 3  # a margin for outlines

Pieces = tuple[int, ...]  # money cards or tiles


class Places(NamedTuple):
    """The positions of cards and tiles, the x of an empty reserve board or None, and the total height."""

    cards: list[tuple[float, float]]
    tiles: list[tuple[float, float]]
    vacant: float | None
    height: float


def held_by(s: State, own: int, reader: int) -> tuple[Pieces, Pieces, Pieces, int]:
    """Return a seat's money, tiles to position, reserve, and the tile being positioned, or NONE.

    The money is empty if the reader does not know it.
    """
    held = tuple(in_order(s, own)) if is_known(s, own, reader) else ()
    waiting = tuple(tiles_waiting(s, own))
    return held, waiting, tuple(members(s.seat[own].reserve)), s.tile if s.tile in waiting else NONE


def hand(held: Pieces, waiting: Pieces, reserve: Pieces, current: int) -> svg.SVG:
    tiles = [*waiting, *reserve]
    places = laid_out(len(held), len(tiles))
    elements: list[svg.Element] = [money_card(card, *place) for card, place in zip(held, places.cards, strict=True)]
    for number, place in zip(tiles, places.tiles, strict=True):
        kind = outline_of(number, waiting, current)
        elements.append(tile_beside(number, *place, TALL / U, *kind, priced=True))
    if places.vacant is not None:
        elements.append(vacant(places.vacant))
    view_box = svg.ViewBoxSpec(-EDGE, -EDGE, WIDTH + 2 * EDGE, round(places.height) + 2 * EDGE)
    name = "; ".join(["Hand and reserve", *told(held, waiting, reserve)])
    return canvas(name, view_box, elements, "alhambra", "hand")


def told(held: Pieces, waiting: Pieces, reserve: Pieces) -> Iterator[str]:
    if held:
        yield f"money: {join_words([card_name(card) for card in held])}"
    if waiting:
        yield f"to place: {join_words([tile_name(tile) for tile in waiting])}"
    if reserve:
        yield f"in reserve: {join_words([tile_name(tile) for tile in reserve])}"


def in_order(s: State, seat: int) -> list[int]:
    """Return a seat's money by currency, in descending order of value, as cards are paid [D3]."""
    return sorted(cards_of(s.seat[seat]), key=lambda card: (card // box.VALUES, -card))


def outline_of(number: int, waiting: Pieces, current: int) -> tuple[str, ...]:
    if number not in waiting:
        return ("kept",)
    return ("waiting", "meant") if number == current else ("waiting",)


def laid_out(cards: int, tiles: int) -> Places:
    """Return the positions of cards and tiles in the fewest lines that fit. Cards overlap if necessary."""
    lines = next(lines for lines in count(1) if needed(cards, tiles, lines) <= WIDTH)
    in_line, columns = per_line(cards, lines), ceil(tiles / lines)
    empty = not tiles and needed(cards, 0, lines) + VACANT <= WIDTH
    room = WIDTH - APART - TILE_STEP * columns - VACANT * empty
    step = min(STEP, (room - CARD[0]) / max(1, in_line - 1))
    money = [(step * (i % in_line), LINE * (i // in_line) + (TALL - CARD[1]) / 2) for i in range(cards)]
    left = WIDTH - TALL - TILE_STEP * (columns - 1)
    kept: list[tuple[float, float]] = [(left + TILE_STEP * (i % columns), LINE * (i // columns)) for i in range(tiles)]
    return Places(money, kept, WIDTH - VACANT if empty else None, LINE * (lines - 1) + TALL)


def needed(cards: int, tiles: int, lines: int) -> float:
    return CARD[0] + LEAST_STEP * (per_line(cards, lines) - 1) + APART + TILE_STEP * ceil(tiles / lines)


def per_line(cards: int, lines: int) -> int:
    """Return the number of cards in each full line, at least 1."""
    return max(1, ceil(cards / lines))


@cached_drawing
def vacant(x: float) -> list[svg.Element]:
    return [rect(x, 0, VACANT, TALL, "vacant"), label("Reserve", x + VACANT / 2, 40, "label")]


def hand_choices(s: State, own: int, reader: int, legal: Sequence[int]) -> Iterator[svg.Element]:
    """Draw the choices to click in the hand, with the points of tiles."""
    held, waiting, reserve, _ = held_by(s, own, reader)
    places = laid_out(len(held), len(waiting) + len(reserve))
    tiles = dict(zip([*waiting, *reserve], places.tiles, strict=True))
    for action in legal:
        kind, thing = decode(s, action)
        if kind in ("fetch", "pick"):
            x, y = tiles[thing]
            yield target(x, y, TALL, action, "quiet" if kind == "fetch" else "spot")
            prospect = best(s, thing)
            if prospect:
                yield promise(x + TALL - 20, y + TALL - 12, prospect.points, best=False, scale=0.68)
        elif kind == "pay":
            cards = zip(held, places.cards, strict=True)
            yield from payments(s, thing, action, [place for card, place in cards if card == thing])


def payments(s: State, thing: int, action: int, places: list[tuple[float, float]]) -> Iterator[svg.Element]:
    """Draw frames for the cards of a kind that may be paid, with marks if an exact payment is still possible."""
    me, rest = after_paying(s, thing)
    exact = rest >= 0 and pays_exactly(me, s.square, thing % box.VALUES + 1, rest)
    for x, y in places:
        yield oblong(x, y, *CARD, action)
        if exact:
            yield exact_mark(x + CARD[0] - 8, y + 8)
