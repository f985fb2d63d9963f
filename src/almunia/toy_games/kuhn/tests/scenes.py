"""The vocabulary of scenarios: commands that set up positions, queries, and invariants."""

from typing import Any

from .. import components as box
from ..rules import EndReason, Phase
from ..text import card_name


def put(s: Any, words: str) -> None:
    """Set up a position: `cards: king jack` gives each seat a card."""
    what, _, names = words.partition(": ")
    assert what == "cards", f"There is no {what!r} to put."
    for p, name in enumerate(names.split()):
        s.seat[p].card = 1 + box.NAMES.index(name)


def look(s: Any, question: str) -> str:
    """Return the answer to a query of a scenario: `cards` or `pot`."""
    answers = {
        "cards": ", ".join(card_name(s.seat[p].card) for p in range(s.seats)),
        "pot": str(sum(s.seat[p].stake for p in range(s.seats))),
    }
    return answers[question]


def broken(s: Any) -> str:
    """Return a sentence if a card is held twice or is no card, or if the stakes do not fit the phase; else ""."""
    cards = [s.seat[p].card for p in range(s.seats)]
    stakes = sorted(s.seat[p].stake for p in range(s.seats))
    if len({*cards}) != box.SEATS or not all(1 <= card <= box.CARDS for card in cards):
        return f"the cards are {cards}"
    bets = [stake - box.ANTE for stake in stakes]
    is_answered = s.over == EndReason.SHOWDOWN
    expected = [[0, 0], [box.BET, box.BET]] if is_answered else [[0, box.BET]] if s.phase == Phase.ANSWER else [[0, 0]]
    return "" if bets in expected else f"the stakes are {stakes} in phase {s.phase}, over {s.over}"
