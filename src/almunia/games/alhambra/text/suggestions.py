"""Suggested sequences of actions in Alhambra: whole payments, and sets of money cards."""

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from ....core.english import join_words
from ....core.optional import ActionSequence
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.money import value_of
from ..rules.state import PAY, TAKE, Phase
from .words import card_name, knows_hand, on_display

if TYPE_CHECKING:
    from ....core.contract import RichLine

MOST = 3  # maximum number of suggested exact payments
Payment = tuple[int, ...]  # the values of the cards, descending


def suggestions(s: State) -> list[ActionSequence]:
    """Return suggested payments in PAY, or a suggested set of money cards in ACT, or an empty list."""
    if s.over or not knows_hand(s, s.turn):
        return []
    match s.phase:
        case Phase.ACT:
            return [*takings(s)]
        case Phase.PAY:
            return [paid(s, payment) for payment in proposed(s) if len(payment) > 1]
    return []


# --- paying ----------------------------------------------------------------------------------------


def proposed(s: State) -> list[Payment]:
    """Return the first exact payments, or without any the cheapest payment."""
    found = payments(s)
    return [payment for payment in found if sum(payment) == s.owing][:MOST] or found[:1]


def payments(s: State) -> list[Payment]:
    """Return all payments without a superfluous card, sorted by sum, then by number of cards, then by values."""
    me = s.seat[s.turn]
    held = [int(me.hand[s.square * box.VALUES + i]) for i in range(box.VALUES)]
    return sorted(ways(held, s.least, s.owing), key=lambda payment: (sum(payment), len(payment), payment))


def ways(held: list[int], most: int, owing: int) -> Iterator[Payment]:
    """Yield the payments of at least `owing` that have no superfluous card [5.2, D3].

    `held` has the number of cards of each value. The values of a payment descend, and are at most `most`.
    """
    for value in range(most, 0, -1):
        if not held[value - 1]:
            continue
        if value >= owing:
            yield (value,)
            continue
        rest = [*held[: value - 1], held[value - 1] - 1, *held[value:]]
        yield from ((value, *more) for more in ways(rest, value, owing - value))


def paid(s: State, payment: Payment) -> ActionSequence:
    lost = sum(payment) - s.owing
    effect: RichLine = [f"{lost} wasted, and you get no other action"] if lost else ["exact, so you get another action"]
    return ActionSequence(tuple(PAY + value - 1 for value in payment), [f"Pay {cards(s.square, payment)}"], effect)


def cards(currency: int, payment: Payment) -> str:
    """Return the cards of a payment in words, such as `florin 5 and 3`."""
    return f"{box.CURRENCY_NAMES[currency]} {join_words(map(str, payment))}"


# --- at the start of a turn ------------------------------------------------------------------------


def takings(s: State) -> Iterator[ActionSequence]:
    """Yield the most valuable set of at least two cards with a total of at most 5, if any [4.2]."""
    lying_open = on_display(s)
    sets = [taken for size in range(2, len(lying_open) + 1) for taken in combinations(lying_open, size)]
    fitting = [taken for taken in sets if worth(taken) <= box.SEVERAL]
    if fitting:
        best = max(fitting, key=worth)
        yield ActionSequence(tuple(TAKE + card for card in best), [f"Take {join_words(map(card_name, best))}"], [])


def worth(taken: tuple[int, ...]) -> int:
    return sum(map(value_of, taken))
