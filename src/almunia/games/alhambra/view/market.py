"""The market, the open money, and the reader's hand as a picture."""

from collections.abc import Iterator, Sequence

import svg

from ....core.drawing import at, canvas, clickable, label, once, rect
from ....core.plain import CheckedRecord as State
from ....core.words import count_of
from .. import components as box
from ..rules.money import pays_exactly
from ..rules.state import BUY, EMPTY, SCORING_CARDS, Phase
from ..text.actions import taken_apart
from ..text.words import after_paying, cards_of, on_display
from .drawing import CARD, money_card, placed_tile, sign

WIDTH = 404
SQUARE = 96  # from one square of the market to the next
SCALE = 0.86  # of the tiles in it
OPEN, HAND = 122, 212  # where the row of the open money begins, and the hand
SMALL = 0.86  # of the cards in the hand
IN_LINE, ACROSS, DOWN = 9, 44.5, CARD[1] * SMALL + 6  # cards in a line, and from one card and line to the next


def market(s: State, seat: int, legal: Sequence[int]) -> svg.SVG:
    """The four squares, the open money with what is left, and the hand."""
    held = in_order(s, seat)
    elements: list[svg.Element] = []
    for square in range(box.MARKET):
        elements += market_square(s, seat, square)
    elements += open_money(s)
    if seat >= 0:
        elements.append(label("Your hand", 4, HAND + 12, "label"))
        elements += [money_card(card, *hand_place(i), SMALL) for i, card in enumerate(held)]
    elements += choices(s, legal, held)
    height = hand_place(max(0, len(held) - 1))[1] + DOWN if seat >= 0 else HAND
    return canvas(
        "Market and money", svg.ViewBoxSpec(0, -5, WIDTH, round(height) + 5), elements, "market", clickable=bool(legal)
    )


def in_order(s: State, seat: int) -> list[int]:
    """The reader's money by currency, the dearest cards first, as they are paid [D3]."""
    held = cards_of(s.seat[seat]) if seat >= 0 else []
    return sorted(held, key=lambda card: (card // box.VALUES, -card))


def hand_place(i: int) -> tuple[float, float]:
    """Where a card of the hand lies."""
    line, column = divmod(i, IN_LINE)
    return 4 + ACROSS * column, HAND + 18 + DOWN * line


def market_square(s: State, seat: int, square: int) -> Iterator[svg.Element]:
    """A square of the market: its currency, and the tile that is paid for in it."""
    x = 10 + SQUARE * square
    yield banner(square, x, square == s.square)
    number = s.market[square]
    if number == EMPTY:
        return
    yield placed_tile(number, x + 1, 27, SCALE)
    if seat >= 0 and s.phase == Phase.ACT and pays_exactly(s.seat[seat], square, box.VALUES, box.PRICE[number]):
        yield exact_mark(x + SQUARE - 11, 5)


@once
def banner(square: int, x: int, paying: bool) -> svg.G:
    """The currency of a square; it stands out while it is paid in."""
    name = box.CURRENCY_NAMES[square]
    ground, words = rect(0, 0, SQUARE - 8, 116, "banner"), label(f"{name}s", 27, 17.5, "currency")
    classes = ["square", name, *(["paying"] if paying else [])]
    return at(x, 2, ground, sign(square, 14, 13, 0.8), words, name=f"square-{square}", classes=classes)


@once
def exact_mark(x: float, y: float) -> svg.G:
    """An equals sign: it can be paid exactly [5.3]."""
    return at(x, y, svg.Title(text="You can pay this exactly"), svg.Circle(r=9), label("=", y=5), classes=["exact"])


def open_money(s: State) -> Iterator[svg.Element]:
    """The money cards lying open, and how much is left of everything."""
    yield label("Open money", 4, OPEN + 12, "label")
    for i, card in enumerate(on_display(s)):
        yield money_card(card, *open_place(i))
    lines = (
        f"{count_of(s.deck_size, 'card')} in the deck",
        f"{count_of(sum(s.discard), 'card')} paid",
        f"{count_of(s.bag_size, 'tile')} in the bag",
        f"{s.scoring_cards} of {SCORING_CARDS} scoring cards",
    )
    for i, words in enumerate(lines):
        yield label(words, WIDTH - 6, OPEN + 18 + 20 * i, "stock")


def open_place(i: int) -> tuple[float, float]:
    """Where an open money card lies."""
    return 6 + 54 * i, OPEN + 18


def choices(s: State, legal: Sequence[int], held: list[int]) -> Iterator[svg.Element]:
    """What may be clicked: tiles to buy, money to take, money to pay."""
    lying_open = on_display(s)
    for action in legal:
        kind, thing = taken_apart(s, action)
        if kind == "buy":
            x = 10 + SQUARE * (action - BUY)
            yield oblong(x, 2, SQUARE - 8, 116, action)
        elif kind == "take":
            for i, card in enumerate(lying_open):
                if card == thing:
                    yield oblong(*open_place(i), *CARD, action)
        elif kind == "pay":
            yield from payments(s, thing, action, held)


def payments(s: State, thing: int, action: int, held: list[int]) -> Iterator[svg.Element]:
    """The cards of the hand that may be paid; those that can still make an exact payment are marked."""
    me, rest = after_paying(s, thing)
    exact = rest >= 0 and pays_exactly(me, s.square, thing % box.VALUES + 1, rest)
    for i, card in enumerate(held):
        if card == thing:
            x, y = hand_place(i)
            yield oblong(x, y, CARD[0] * SMALL, CARD[1] * SMALL, action)
            if exact:
                yield exact_mark(x + CARD[0] * SMALL - 6, y + 6)


@once
def oblong(x: float, y: float, width: float, height: float, action: int) -> svg.Rect:
    """An oblong that may be clicked."""
    return clickable(rect(x - 2, y - 2, width + 4, height + 4, "frame"), action)
