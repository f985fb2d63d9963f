"""The decks of Oregon: their contents, the seats' knowledge of them, and drawing.

A deck consists of the cards that are neither discarded nor in a hand. Each card drawn is chosen at random from the
deck, so the state does not contain or reveal an order of the cards.
"""

from typing import Any

from ....core.contract import NONE
from ....engine.kernels.rng import randbelow
from .. import components as box
from ..components import Deck


def draw_card(s: Any, p: int, deck: int) -> None:
    """Move a random card of a deck to the hand of `p` [2.2, 12.1, 12.4, D17].

    If the deck is empty, its discards are shuffled first.
    """
    if in_deck(s, deck) == 0:
        shuffle_discards(s, deck)
    pick = randbelow(s.rng, in_deck(s, deck))
    kind = box.BEGIN[deck] - 1
    while pick >= 0:
        kind += 1
        pick -= box.CARDS[kind] - s.discard[kind]
        for q in range(s.seats):
            pick += s.seat[q].hand[kind]
    me = s.seat[p]
    me.hand[kind] += 1
    me.drawn[kind] += 1
    me.cards[deck] += 1


def in_deck(s: Any, deck: int) -> int:
    """Return the number of cards of a deck that are neither discarded nor in hands."""
    count = box.IN_DECK[deck]
    for kind in range(box.BEGIN[deck], box.BEGIN[deck + 1]):
        count -= s.discard[kind]
    for p in range(s.seats):
        count -= s.seat[p].cards[deck]
    return count


def shuffle_discards(s: Any, deck: int) -> None:
    """Make the discards the deck, and clear the record of the cards drawn by each seat [12.4, D21]."""
    for kind in range(box.BEGIN[deck], box.BEGIN[deck + 1]):
        s.shuffled[kind] = s.discard[kind]
        s.discard[kind] = 0
        for p in range(s.seats):
            s.seat[p].drawn[kind] = 0


def may_be_in_deck(s: Any, p: int, kind: int) -> int:
    """Return the most cards of a kind that can be in the deck, as far as seat `p` (NONE: a spectator) knows [D21]."""
    count = s.shuffled[kind]
    if p != NONE:
        count -= s.seat[p].drawn[kind]
    return min(count, unseen(s, p, kind))


def unseen(s: Any, p: int, kind: int) -> int:
    """Return the number of cards of a kind that are neither discarded nor in the hand of seat `p` [D20]."""
    count = box.CARDS[kind] - s.discard[kind]
    if p != NONE:
        count -= s.seat[p].hand[kind]
    return count


def deck_of(kind: int) -> int:
    """Return the deck of a kind of card [1.3]."""
    return Deck.LANDSCAPE if kind < box.LANDS else Deck.BUILDING
