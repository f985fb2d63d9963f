"""Money cards in the display and in hand, and payments [1.2, 4.1, 5.1]."""

from .. import components as box
from .state import EMPTY, bit


def value_of(card):
    """Return the value of a money card [1.2]."""
    return card % box.VALUES + 1


def open_cards(s):
    """Return the set of the kinds of card in the display [4.1]."""
    cards = 0
    for place in range(box.DISPLAY):
        if s.display[place] != EMPTY:
            cards |= bit(s.display[place])
    return cards


def receive(me, card):
    me.hand[card] += 1
    me.cards += 1


def hand_sum(me):
    total = 0
    for currency in range(box.CURRENCIES):
        total += holding(me, currency, box.VALUES)
    return total


def holding(me, currency, most):
    """Return the total value of a player's cards of one currency whose value is at most `most`."""
    total = 0
    for value in range(1, most + 1):
        total += value * me.hand[currency * box.VALUES + value - 1]
    return total


def pays_exactly(me, currency, most, price):
    """Return whether a player's cards of one currency and of value at most `most` pay a price exactly [5.3]."""
    sums = 1  # bit n is set if n can be paid
    for value in range(1, most + 1):
        for _ in range(me.hand[currency * box.VALUES + value - 1]):
            sums |= (sums << value) & box.PRICES
    return (sums >> price) & 1 == 1
