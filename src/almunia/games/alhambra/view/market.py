"""The panel of the market: the four squares, the open money, and the stock."""

from collections.abc import Iterator, Sequence

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
NOWHERE = Prospect(0, 0)  # the prospect of a tile that fits nowhere
ORDINALS = ("1st", "2nd", "3rd")  # scoring


def market(s: State, seat: int, legal: Sequence[int]) -> svg.SVG:
    """Draw the four squares, the open money, the stock, and the choices to click."""
    elements: list[svg.Element] = []
    for square in range(box.MARKET):
        elements += market_square(s, seat, square)
    elements += [money_card(card, *open_place(i)) for i, card in enumerate(on_display(s))]
    elements += stock(s)
    elements += choices(s, legal)
    view_box = svg.ViewBoxSpec(0, -4, WIDTH, OPEN + CARD[1] + 7)
    return canvas("Market", view_box, elements, "alhambra", "market", clickable=bool(legal))


def left_of(square: int) -> int:
    """Return the x of the left edge of a market square."""
    return 4 + SQUARE * square


def market_square(s: State, seat: int, square: int) -> Iterator[svg.Element]:
    """Draw a square of the market: its currency, its tile, and the leaders in the tile's kind.

    The square has a mark if the seat to move can pay exactly.
    """
    x = left_of(square)
    yield banner(square, x, square == s.square)
    number = s.market[square]
    if number == EMPTY:
        return
    yield placed_tile(number, x + 2, BANNER, SCALE, priced=True)
    if seat >= 0 and s.phase == Phase.ACT and pays_exactly(s.seat[seat], square, box.VALUES, box.PRICE[number]):
        yield exact_mark(x + WIDE - 8, 7)
    yield from leaders(s, box.KIND[number], x)


def leaders(s: State, kind: int, x: float) -> Iterator[svg.Element]:
    """Draw the marks of at most two leaders in a kind, Dirk included, and the number of buildings that each has."""
    numbers = [number for number, _ in rivalry(s)[kind]]
    most = max(numbers)
    if not most:
        return
    ahead = [p for p, number in enumerate(numbers) if number == most][:MARKS]
    for i, p in enumerate(ahead):
        place = x + 8 + NEXT_MARK * i
        yield seat_mark(p, place, 10, 0.6) if p < s.seats else dirk_mark(kind, place - 5)
    yield label(most, x + 15 + NEXT_MARK * (len(ahead) - 1), 15, "stock")


@cached_drawing
def dirk_mark(kind: int, x: float) -> svg.G:
    """Draw Dirk's letter, which shows that Dirk has the most buildings of a kind."""
    return group_at(x, 15, svg.Title(text=f"Dirk has most {PLURALS[kind]}"), label("D", 0, 0, "stock"))


@cached_drawing
def banner(square: int, x: int, paying: bool) -> svg.G:
    """Draw the banner of a square with its currency, highlighted while a player pays for its tile."""
    name = box.CURRENCY_NAMES[square]
    elements: list[svg.Element] = [
        svg.Title(text=f"Paid in {name}s"),
        rect(0, -2, WIDE, BOTTOM + 2, "banner"),
        sign(square, SIGN, BANNER / 2 - 1, 0.9),
    ]
    return group_at(x, 0, *elements, name=f"square-{square}", classes=["square", name, *(["paying"] if paying else [])])


def open_place(i: int) -> tuple[float, float]:
    """Return the top left corner of an open money card."""
    return 4 + NEXT_CARD * i, OPEN


def stock(s: State) -> Iterator[svg.Element]:
    """Draw the numbers of cards and tiles left, and the time of the next scoring."""
    lines = (f"{s.deck_size} in deck", f"{s.bag_size} in bag", *next_scoring(s))
    for i, words in enumerate(lines):
        yield label(words, open_place(box.DISPLAY)[0] + 8, OPEN + 12 + 17 * i, "stock")


def next_scoring(s: State) -> tuple[str, str]:
    """Return the next scoring round, and its time as far as players can know it [2.6, 11.1, D2]."""
    words = f"{ORDINALS[next_round(s) - 1]} scoring"
    if s.due:
        return words, "now"
    if s.scoring_cards == SCORING_CARDS or s.final:
        return words, "at the end"
    _, stop = pile_span(s, s.scoring_cards)
    return words, f"within {stop - s.deck_at_first + s.deck_size}"


def choices(s: State, legal: Sequence[int]) -> Iterator[svg.Element]:
    """Draw the choices to click: tiles to buy, with their best points, and money to take."""
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
