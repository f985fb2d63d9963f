"""The market of Alpujarras, and the deliveries of the players, as two panels."""

import svg

from ....core.contract import NONE, Overlay
from ....core.english import pluralize
from ....core.memoize import memoize
from ....core.svg import cached_drawing, canvas, group_at, label, rect, shape, use
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import FRUITS
from ..rules.state import CARD
from ..rules.zara import top_card_back
from ..text.words import back_words, card_fruit
from .drawing import ARROW, TOKEN, dirhems, mark
from .landscape import Choices, choice, gain, target, token

WIDTH = 300
CARD_X, CARD_Y = 72, 82  # a delivery card
CARDS_Y = 42  # the top edge of the cards
SLOT = 76  # from one card to the next
STALL_X, STALL_Y = 56, 36  # a place of the market card
STEP = 61  # from one place of the market card to the next
ACROSS = 6  # deliveries in a row

# --- the market ----------------------------------------------------------------------------------------------


def market_of(s: State) -> tuple[tuple[int, ...], tuple[int, ...], int, int]:
    """Return the fruits of the market card, the face-up cards, the size of the deck, and its top back or NONE."""
    return tuple(s.market), tuple(s.open), s.left, top_card_back(s) if s.left else NONE


def market(stalls: tuple[int, ...], face_up: tuple[int, ...], left: int, back: int) -> svg.SVG:
    elements: list[svg.Element] = [stall(place, kind) for place, kind in enumerate(stalls)]
    for place, card in enumerate(face_up):
        drawn = empty() if card == NONE else delivery_card(card)
        elements.append(group_at(SLOT * place, CARDS_Y, drawn, name=None if card == NONE else card_id(card)))
    elements.append(group_at(SLOT * box.FACES_UP, CARDS_Y, deck(left, back), name="deck"))
    frame = svg.ViewBoxSpec(0, 0, WIDTH, CARDS_Y + CARD_Y)
    return canvas("Market", frame, elements, "alpujarras")


def over_market(s: State, choices: Choices) -> list[Overlay]:
    """Return overlays for the delivery cards that can be chosen."""
    found: list[Overlay] = []
    for card in s.open:
        offer = choice(choices, CARD + card) if card != NONE else None
        if offer:
            drawn = [*target(offer, rect(0, 0, CARD_X, CARD_Y)), *gain(offer, CARD_X - 19, 8)]
            found += [Overlay("market", card_id(card), drawing) for drawing in drawn]
    return found


def card_id(card: int) -> str:
    return f"card-{card}"


@cached_drawing
def stall(place: int, kind: int) -> svg.G:
    bonus, fruit = int(box.BONUS[place]), FRUITS[kind]
    elements: list[svg.Element] = [
        svg.Title(text=f"Market card: {fruit}, {pluralize(bonus, 'dirhem')} more for a delivery token"),
        rect(0, 0, STALL_X, STALL_Y, "stall", *(["paying"] if bonus else [])),
        use(f"fruit-{fruit}", 15, 19, 0.9),
        label(f"+{bonus}" if bonus else "\N{EN DASH}", 40, 24, "count", "middle"),
    ]
    return group_at(STEP * place, 0, *elements, name=f"stall-{fruit}")


@cached_drawing
def empty() -> svg.Rect:
    return rect(1, 1, CARD_X - 2, CARD_Y - 2, "empty")


@cached_drawing
def delivery_card(card: int) -> list[svg.Element]:
    wanted = [fruit for fruit in range(box.LANDS) if box.ASKS[card, fruit]]
    elements: list[svg.Element] = [
        svg.Title(text=f"Delivery card: {card_fruit(card)} for {pluralize(int(box.WORTH[card]), 'dirhem')}"),
        rect(0, 0, CARD_X, CARD_Y, "paper"),
    ]
    for i, fruit in enumerate(wanted):
        elements.append(use(f"fruit-{FRUITS[fruit]}", CARD_X / 2 + (i - (len(wanted) - 1) / 2) * 22, 26, 0.95))
    elements.append(group_at(CARD_X / 2, 60, *dirhems(int(box.WORTH[card])), scale=1.3))
    return elements


@cached_drawing
def deck(left: int, back: int) -> list[svg.Element]:
    if not left:
        return [empty(), label("empty", CARD_X / 2, 46, "item", "middle")]
    points: list[svg.Transform] = [svg.Rotate(-90 if back % 2 else 90), svg.Scale(1.5, 1.5)]
    return [
        svg.Title(text=f"The deck. The back of its top card: {back_words(back)}"),
        rect(0, 0, CARD_X, CARD_Y, "back"),
        svg.Circle(class_=["window"], cx=26, cy=29, r=20),
        use(f"fruit-{FRUITS[back // 2]}", 26, 29, 1.2),
        group_at(58, 29, svg.G(transform=points, elements=[shape(ARROW, "points")])),
        label(f"{left} left", CARD_X / 2, 71, "on-back", "middle"),
    ]


# --- deliveries ------------------------------------------------------------------------------------------------


Delivered = tuple[int, tuple[tuple[int, int], ...], tuple[int, ...]]  # seat, and fruit and size of tokens, and cards


@memoize(lambda s, p: (s.seat[p].token.to_bytes(), s.taken.to_bytes(), p))
def delivered_by(s: State, p: int) -> Delivered:
    kinds = [(fruit, size) for fruit in range(box.LANDS) for size in range(box.SIZES)]
    tokens = tuple((fruit, size) for fruit, size in kinds for _ in range(s.seat[p].token[fruit, size]))
    return p, tokens, tuple(card for card in range(box.CARDS) if s.taken[card] == p)


def deliveries(*shown: Delivered) -> svg.SVG:
    y, elements = 0, list[svg.Element]()
    for p, tokens, cards in shown:
        earned = [*map(taken_token, tokens), *(svg.G(elements=[delivery_card(card)]) for card in cards)]
        elements.append(group_at(0, y, group_at(16, 24, mark(p)), *rows_of(earned)))
        y += max(-(-len(earned) // ACROSS), 1) * (CARD_Y + 6)
    frame = svg.ViewBoxSpec(0, 0, 40 + ACROSS * SLOT, y)
    return canvas("What the players have delivered", frame, elements, "alpujarras")


def taken_token(one: tuple[int, int]) -> svg.G:
    return group_at(CARD_X / 2, CARD_Y / 2, token(*one), scale=CARD_X / TOKEN[2] * 0.8)


def rows_of(earned: list[svg.G]) -> list[svg.Element]:
    """Arrange tokens and cards in rows, or return an empty frame if there are none."""
    if not earned:
        return [group_at(40, 0, empty())]
    return [group_at(40 + SLOT * (i % ACROSS), (CARD_Y + 6) * (i // ACROSS), one) for i, one in enumerate(earned)]
