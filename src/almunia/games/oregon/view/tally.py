"""The picture of the tiles left and the discarded cards in Oregon."""

import svg

from ....core.english import pluralize
from ....core.svg import cached_drawing, canvas, group_at, label, rect
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import LANDS, Building, Deck, Sort
from ..rules.scoring import tiles_left
from ..text.words import CARDS, SORTS, kinds_of
from . import drawing
from .drawing import Elements

GUTTER = 30  # the width of a row's symbol
CELL = 35
WIDTH = GUTTER + (box.BUILDINGS + box.SORTS) * CELL
ICONS_AT, LEFT_AT, GONE_AT, LANDS_AT = 17, 45, 66, 98  # y of the middle of each row
HEIGHT = 116
LAND_CELL = (WIDTH - GUTTER) / LANDS


def tally_of(s: State) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the numbers of building tiles and of other tiles left, and of discarded cards by kind."""
    stock = tuple(s.stock[kind] for kind in Building)
    return stock, tuple(int(tiles_left(s, sort)) for sort in Sort), tuple(s.discard)


def tally(stock: tuple[int, ...], tiles: tuple[int, ...], discarded: tuple[int, ...]) -> svg.SVG:
    elements: Elements = [frame()]
    elements += [stack(kind, stock[kind], discarded[LANDS + kind]) for kind in Building]
    elements += [heap(sort, tiles[sort]) for sort in Sort]
    elements += [gone(kind, discarded[kind]) for kind in kinds_of(Deck.LANDSCAPE)]
    return canvas("Tiles left, cards discarded", svg.ViewBoxSpec(0, 0, WIDTH, HEIGHT), elements, "oregon", "tally")


@cached_drawing
def frame() -> Elements:
    return [
        rect(0, LEFT_AT - 11, WIDTH, 21, "row", rx=5),
        group_at(13, LEFT_AT, svg.Title(text="Tiles left"), tiles_sign(), scale=0.8),
        group_at(13, GONE_AT, svg.Title(text="Building cards discarded"), cards_sign(), scale=0.8),
        rect(0, LANDS_AT - 17, WIDTH, 34, "row", rx=5),
        group_at(13, LANDS_AT, svg.Title(text="Landscape cards discarded"), cards_sign(), scale=0.8),
    ]


def tiles_sign() -> svg.G:
    edges: Elements = [rect(-9, y, 18, 9, rx=3) for y in (4, 0, -4)]
    return svg.G(class_=["tiles-sign"], elements=[*edges[:2], rect(-9, -9, 18, 14, rx=3)])


def cards_sign() -> svg.G:
    back = rect(-4, -9, 12, 17, rx=2)
    back.transform = [svg.Rotate(14, 0, 0)]
    return svg.G(class_=["cards-sign"], elements=[back, rect(-9, -8, 12, 17, rx=2)])


@cached_drawing
def stack(kind: int, left: int, discarded: int) -> svg.G:
    words = f"{box.NAMES[kind]}: {pluralize(left, 'tile')} left, {pluralize(discarded, 'card')} discarded"
    icon = group_at(0, ICONS_AT, drawing.building_tile(kind), scale=0.78)
    return column(kind, words, icon, left, label(discarded, 0, GONE_AT, *number(discarded)))


@cached_drawing
def heap(sort: int, left: int) -> svg.G:
    icon = group_at(0, ICONS_AT, drawing.face_down(sort), scale=0.88)
    return column(box.BUILDINGS + sort, f"{SORTS[sort].capitalize()}: {pluralize(left, 'tile')} left", icon, left)


def column(place: int, words: str, icon: svg.G, left: int, *more: svg.Element) -> svg.G:
    count = label(left, 0, LEFT_AT, "left", *number(left))
    classes = ["stack"] if left else ["stack", "spent"]
    return group_at(GUTTER + (place + 0.5) * CELL, 0, svg.Title(text=words), icon, count, *more, classes=classes)


@cached_drawing
def gone(kind: int, discarded: int) -> svg.G:
    icon = drawing.symbol(box.SYMBOLS[kind])
    icon.transform = [svg.Scale(0.82, 0.82)]
    title = svg.Title(text=f"{CARDS[kind].capitalize()}: {pluralize(discarded, 'card')} discarded")
    x = GUTTER + (kind + 0.35) * LAND_CELL
    return group_at(x, LANDS_AT, title, icon, label(discarded, 26, 0, *number(discarded)), classes=[box.SYMBOLS[kind]])


def number(value: int) -> tuple[str, ...]:
    return ("number",) if value else ("number", "zero")
