"""The panel of the market: the four squares, the open money, and the stock."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import svg

from ....core.svg import cached_drawing, canvas, group_at, label, rect
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.money import pays_exactly
from ..rules.setting_up import pile_span
from ..rules.state import BUY, EMPTY, SCORING_CARDS, Phase
from ..text.actions import decode
from ..text.prospects import Prospect, best
from ..text.words import PLURALS, next_round, on_display, rivalry
from .drawing import CARD, U, exact_mark, money_card, oblong, placed_tile, promise, seat_mark, sign

LETTER = 14  # the smallest text
WIDTH = 316
SQUARE, WIDE = 78, 74  # the distance between squares of the market, and the width of a square
SCALE = 0.7  # of the tiles on a square
BANNER = 24  # the height of a square's banner
SIGN, MARKS, NEXT_MARK = 47, 2, 8  # in a banner: x of the symbol, maximum marks of leaders, distance of marks
BOTTOM = BANNER + SCALE * U + 2  # the lower edge of the squares
OPEN = 105  # the upper edge of the open money
NEXT_CARD = 51
DIRK = -1  # among the leaders
NOWHERE = Prospect(0, 0)  # the prospect of a tile that fits nowhere
ORDINALS = ("1st", "2nd", "3rd")  # scoring


class Square(NamedTuple):
    tile: int  # or EMPTY
    is_paying: bool  # whether a player pays for the tile
    is_exact: bool  # whether the reader can pay exactly
    leaders: tuple[int, ...]  # seats, or DIRK
    most: int  # buildings of a leader


def market_of(s: State, seat: int) -> tuple[tuple[Square, ...], tuple[int, ...], tuple[str, ...]]:
    """Return the squares, the open money, and the words about the stock."""
    squares = tuple(square_of(s, seat, square) for square in range(box.MARKET))
    return squares, tuple(on_display(s)), (f"{s.deck_size} in deck", f"{s.bag_size} in bag", *next_scoring(s))


def square_of(s: State, seat: int, square: int) -> Square:
    number, is_paying = s.market[square], square == s.square
    if number == EMPTY:
        return Square(EMPTY, is_paying, False, (), 0)
    may_pay = seat >= 0 and s.phase == Phase.ACT
    is_exact = may_pay and bool(pays_exactly(s.seat[seat], square, box.VALUES, box.PRICE[number]))
    return Square(number, is_paying, is_exact, *leaders_of(s, box.KIND[number]))


def leaders_of(s: State, kind: int) -> tuple[tuple[int, ...], int]:
    """Return at most two leaders in a kind, Dirk included, and the number of buildings that each has."""
    numbers = [number for number, _ in rivalry(s)[kind]]
    most = max(numbers)
    ahead = [p if p < s.seats else DIRK for p, number in enumerate(numbers) if number == most]
    return (tuple(ahead[:MARKS]) if most else ()), most


def market(squares: tuple[Square, ...], money: tuple[int, ...], words: tuple[str, ...]) -> svg.SVG:
    elements: list[svg.Element] = []
    for number, square in enumerate(squares):
        elements += market_square(number, square)
    elements += [money_card(card, *open_place(i)) for i, card in enumerate(money)]
    elements += stock(words)
    return canvas("Market", svg.ViewBoxSpec(0, -4, WIDTH, OPEN + CARD[1] + 7), elements, "alhambra", "market")


def left_of(square: int) -> int:
    return 4 + SQUARE * square


def market_square(number: int, square: Square) -> Iterator[svg.Element]:
    x = left_of(number)
    yield banner(number, x, square.is_paying)
    if square.tile == EMPTY:
        return
    yield placed_tile(square.tile, x + 2, BANNER, SCALE, priced=True)
    if square.is_exact:
        yield exact_mark(x + WIDE - 8, 7)
    yield from leaders(square, x)


def leaders(square: Square, x: float) -> Iterator[svg.Element]:
    if not square.leaders:
        return
    for i, p in enumerate(square.leaders):
        place = x + 8 + NEXT_MARK * i
        yield dirk_mark(box.KIND[square.tile], place - 5) if p == DIRK else seat_mark(p, place, 10, 0.6)
    yield label(square.most, x + 15 + NEXT_MARK * (len(square.leaders) - 1), 15, "stock")


@cached_drawing
def dirk_mark(kind: int, x: float) -> svg.G:
    return group_at(x, 15, svg.Title(text=f"Dirk has the most {PLURALS[kind]}"), label("D", 0, 0, "stock"))


@cached_drawing
def banner(square: int, x: int, paying: bool) -> svg.G:
    name = box.CURRENCY_NAMES[square]
    elements: list[svg.Element] = [
        svg.Title(text=f"Paid in {name}s"),
        rect(0, -2, WIDE, BOTTOM + 2, "banner"),
        sign(square, SIGN, BANNER / 2 - 1, 0.9),
    ]
    return group_at(x, 0, *elements, name=f"square-{square}", classes=["square", name, *(["paying"] if paying else [])])


def open_place(i: int) -> tuple[float, float]:
    return 4 + NEXT_CARD * i, OPEN


def stock(lines: tuple[str, ...]) -> Iterator[svg.Element]:
    for i, words in enumerate(lines):
        yield label(words, open_place(box.DISPLAY)[0] + 8, OPEN + 12 + 17 * i, "stock")


def next_scoring(s: State) -> tuple[str, str]:
    """Return the next scoring round and its time, as far as players can know the time [2.6, 11.1, D2]."""
    words = f"{ORDINALS[next_round(s) - 1]} scoring"
    if s.due:
        return words, "now"
    if s.scoring_cards == SCORING_CARDS or s.final:
        return words, "at the end"
    _, stop = pile_span(s, s.scoring_cards)
    return words, f"in \N{LESS-THAN OR EQUAL TO} {stop - s.deck_at_first + s.deck_size} cards"


def market_choices(s: State, legal: Sequence[int]) -> Iterator[svg.Element]:
    """Draw the choices to click in the market, with the best points of each tile."""
    lying_open, places = on_display(s), [decode(s, action) for action in legal]
    most = max((best(s, tile) or NOWHERE for kind, tile in places if kind == "buy"), default=NOWHERE)
    for action, (kind, thing) in zip(legal, places, strict=True):
        if kind == "buy":
            x, prospect = left_of(action - BUY), best(s, thing)
            yield oblong(x, -2, WIDE, BOTTOM + 2, action)
            if prospect:
                yield promise(x + WIDE - 22, BOTTOM - 16, prospect.points, prospect == most, 0.62)
        elif kind == "take":
            for i, card in enumerate(lying_open):
                if card == thing:
                    yield oblong(*open_place(i), *CARD, action)
