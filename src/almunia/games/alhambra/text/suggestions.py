"""Suggestions of several actions at once in Alhambra: whole payments, and money taken together."""

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from ....core.guidance import Course
from ....core.plain import CheckedRecord as State
from ....core.words import listed
from .. import components as box
from ..rules.money import value_of
from ..rules.state import PAY, TAKE, Phase
from .words import card_name, knows_hand, on_display

if TYPE_CHECKING:
    from ....core.contract import Line

MOST = 3  # that are worth proposing at a time
Payment = tuple[int, ...]  # the values of the cards, the dearest first


def courses(s: State) -> list[Course]:
    """Whole payments, the cheapest first; at the start of a turn the money that is worth most together."""
    if s.over or not knows_hand(s, s.turn):
        return []
    match s.phase:
        case Phase.ACT:
            return [*takings(s)]
        case Phase.PAY:
            return [paid(s, payment) for payment in payments(s) if len(payment) > 1][:MOST]
    return []


# --- paying ----------------------------------------------------------------------------------------


def payments(s: State) -> list[Payment]:
    """All that pays what is owed, no card of it superfluous: the least overpaid first, of these the fewest cards."""
    me = s.seat[s.turn]
    held = [int(me.hand[s.square * box.VALUES + i]) for i in range(box.VALUES)]
    return sorted(ways(held, s.least, s.owing), key=lambda payment: (sum(payment), len(payment), payment))


def ways(held: list[int], most: int, owing: int) -> Iterator[Payment]:
    """How cards, of which so many of each value are held, pay this from the dearest down [5.2, D3]."""
    for value in range(most, 0, -1):
        if not held[value - 1]:
            continue
        if value >= owing:
            yield (value,)
            continue
        rest = [*held[: value - 1], held[value - 1] - 1, *held[value:]]
        yield from ((value, *more) for more in ways(rest, value, owing - value))


def paid(s: State, payment: Payment) -> Course:
    """A whole payment as a choice."""
    lost = sum(payment) - s.owing
    effect: Line = [f"{lost} lost, and your actions end"] if lost else ["exact, you play on"]
    return Course(tuple(PAY + value - 1 for value in payment), [f"Pay {cards(s.square, payment)}"], effect)


def cards(currency: int, payment: Payment) -> str:
    """`florin 5 and 3`."""
    return f"{box.CURRENCY_NAMES[currency]} {listed(map(str, payment))}"


# --- at the start of a turn ------------------------------------------------------------------------


def takings(s: State) -> Iterator[Course]:
    """Several cards of money that may be taken together, if there are such: those worth most, which ends it [4.2]."""
    lying_open = on_display(s)
    sets = [taken for size in range(2, len(lying_open) + 1) for taken in combinations(lying_open, size)]
    fitting = [taken for taken in sets if worth(taken) <= box.SEVERAL]
    if fitting:
        best = max(fitting, key=worth)
        yield Course(tuple(TAKE + card for card in best), [f"Take {listed(map(card_name, best))}"], [])


def worth(taken: tuple[int, ...]) -> int:
    """What some cards are worth."""
    return sum(map(value_of, taken))
