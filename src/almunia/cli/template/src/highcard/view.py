"""High Card as a picture: the cards on the table, the reader's own hand, and the cards out of the game."""

from collections.abc import Sequence

import svg

from almunia.core.contract import Overlay, Panel, Part, Role
from almunia.core.svg import canvas, label, rect, translate_style
from almunia.engine.checked import CheckedRecord as State

from . import components as box
from .rules import NO_CARD, OUT, in_deck
from .text import hand

PARTS = (Part("card", "Card"),)

WIDTH, HEIGHT = 60, 84  # of a card, in pixels
STEP = 72  # distance between cards
TABLE_Y, HAND_Y, OUT_Y = 24, 136, 236
SMALL = 0.4  # scale of the cards that are out


def panels(s: State, seat: int) -> list[Panel]:
    """Return the only panel: the table, the reader's hand, and the cards out of the game."""
    shown = tuple((s.seat[p].won, s.seat[p].shown) for p in range(s.seats))
    gone = tuple(number for number in range(1, box.CARDS + 1) if s.where[number] == OUT)
    key = shown, in_deck(s), tuple(hand(s, seat)), gone, int(box.HANDS[s.hand])
    return [Panel("table", "Table", table, key, role=Role.BOARD)]


def choices(s: State, seat: int, legal: Sequence[int]) -> list[Overlay]:
    """Return an overlay for each legal card of the hand: a click on the card plays it."""
    return [Overlay.clickable("table", f"card-{number}", number) for number in legal]


def table(
    shown: tuple[tuple[int, int], ...], deck: int, held: tuple[int, ...], gone: tuple[int, ...], most: int
) -> svg.SVG:
    """Draw the panel from the rounds won and the card shown by each seat, and the other cards."""
    elements: list[svg.Element] = []
    for p, (won, number) in enumerate(shown):
        elements += place(p, won, number)
    elements.append(label(f"deck {deck}", len(shown) * STEP + 30, TABLE_Y + 46, "words"))
    elements += [card(number, i * STEP, HAND_Y) for i, number in enumerate(held)]
    elements += [card(number, i * STEP * SMALL, OUT_Y, SMALL) for i, number in enumerate(gone)]
    wide = STEP * max(len(shown) + 1, most, box.CARDS * SMALL)
    frame = svg.ViewBoxSpec(-12, -12, wide + 24, OUT_Y + HEIGHT * SMALL + 24)
    return canvas("Table and hand", frame, elements, "highcard")


def place(p: int, won: int, number: int) -> list[svg.Element]:
    words = label(f"seat {p + 1}: {won}", p * STEP + WIDTH / 2, 12, "words")
    if number != NO_CARD:
        return [words, card(number, p * STEP, TABLE_Y)]
    return [words, rect(p * STEP, TABLE_Y, WIDTH, HEIGHT, "empty")]


def card(number: int, x: float, y: float, size: float = 1) -> svg.G:
    elements: list[svg.Element] = [rect(0, 0, WIDTH, HEIGHT), label(number, WIDTH / 2, HEIGHT / 2 + 9)]
    return svg.G(id=f"card-{number}", class_=["card"], style=translate_style(x, y, size), elements=elements)


def preview(s: State, seat: int, action: int) -> svg.G:
    """Draw the card at the place where it would be played."""
    face = card(action, s.turn * STEP, TABLE_Y)
    face.id = None
    return svg.G(class_=["ghost"], elements=[face])
