"""Money: what lies open, what a hand is worth, and what can be paid with it [1.2, 4.1, 5.1]."""

from .. import components as box
from .state import EMPTY, bit


def value_of(card):
    """What a money card is worth [1.2]."""
    return card % box.VALUES + 1


def open_cards(s):
    """The kinds of card that lie open, as a set [4.1]."""
    cards = 0
    for place in range(box.DISPLAY):
        if s.display[place] != EMPTY:
            cards |= bit(s.display[place])
    return cards


def receive(me, card):
    """A money card goes to the hand."""
    me.hand[card] += 1
    me.cards += 1


def hand_sum(me):
    """What all money of a player is worth."""
    total = 0
    for currency in range(box.CURRENCIES):
        total += holding(me, currency, box.VALUES)
    return total


def holding(me, currency, most):
    """What a player's money of one currency is worth, in cards of at most this value."""
    total = 0
    for value in range(1, most + 1):
        total += value * me.hand[currency * box.VALUES + value - 1]
    return total


def pays_exactly(me, currency, most, price):
    """Can this price be paid without overpaying, in cards of at most this value? [5.3]"""
    sums = 1  # bit n says that n can be paid
    for value in range(1, most + 1):
        for _ in range(me.hand[currency * box.VALUES + value - 1]):
            sums |= (sums << value) & box.PRICES
    return (sums >> price) & 1 == 1
