"""High Card as a picture: the cards on the table, the reader's own hand, and the cards out of the game."""

from collections.abc import Sequence

import svg

from almunia.core.contract import Panel, Part, Role
from almunia.core.svg import canvas, clickable, label, rect, translate_style
from almunia.engine.checked import CheckedRecord as State

from . import components as box
from .rules import NO_CARD, OUT, in_deck
from .text import hand

PARTS = (Part("card", "Card"),)

WIDTH, HEIGHT = 60, 84  # of a card, in pixels
STEP = 72  # distance between cards
TABLE_Y, HAND_Y, OUT_Y = 24, 136, 236
SMALL = 0.4  # scale of the cards that are out


def panels(s: State, seat: int, legal: Sequence[int]) -> list[Panel]:
    """Return the only panel: the table, the reader's hand, and the cards out of the game."""
    elements: list[svg.Element] = []
    for p in range(s.seats):
        elements += place(s, p)
    elements.append(label(f"deck {in_deck(s)}", s.seats * STEP + 30, TABLE_Y + 46, "words"))
    for i, number in enumerate(hand(s, seat)):
        elements.append(card(number, i * STEP, HAND_Y, number in legal))
    gone = [number for number in range(1, box.CARDS + 1) if s.where[number] == OUT]
    elements += [card(number, i * STEP * SMALL, OUT_Y, False, SMALL) for i, number in enumerate(gone)]
    wide = STEP * max(s.seats + 1, int(box.HANDS[s.hand]), box.CARDS * SMALL)
    frame = svg.ViewBoxSpec(-12, -12, wide + 24, OUT_Y + HEIGHT * SMALL + 24)
    picture = canvas("Table and hand", frame, elements, "highcard", clickable=bool(legal))
    return [Panel("table", "Table", picture, role=Role.BOARD)]


def place(s: State, p: int) -> list[svg.Element]:
    """Draw a player's place on the table, with the card played in this round."""
    seat = s.seat[p]
    words = label(f"seat {p + 1}: {seat.won}", p * STEP + WIDTH / 2, 12, "words")
    if seat.shown != NO_CARD:
        return [words, card(seat.shown, p * STEP, TABLE_Y, False)]
    return [words, rect(p * STEP, TABLE_Y, WIDTH, HEIGHT, "empty")]


def card(number: int, x: float, y: float, playable: bool, size: float = 1) -> svg.G:
    """Draw a card, clickable if it may be played."""
    elements: list[svg.Element] = [rect(0, 0, WIDTH, HEIGHT), label(number, WIDTH / 2, HEIGHT / 2 + 9)]
    face = svg.G(id=f"card-{number}", class_=["card"], style=translate_style(x, y, size), elements=elements)
    return clickable(face, number) if playable else face


def preview(s: State, seat: int, action: int) -> svg.G:
    """Draw the card at the place where it would be played."""
    face = card(action, s.turn * STEP, TABLE_Y, False)
    face.id = None
    return svg.G(class_=["ghost"], elements=[face])
