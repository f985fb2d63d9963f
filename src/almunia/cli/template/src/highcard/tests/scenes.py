"""The vocabulary of scenarios: commands that set up positions, queries, and invariants."""

from typing import Any

from .. import components as box
from ..rules import DECK, OUT, in_deck
from ..text import hand


def put(s: Any, words: str) -> None:
    """Set up a position: `hand 0: 3 9 12` gives a seat these cards; `out 4 5` takes cards out of the game."""
    what, _, numbers = words.partition(":") if ":" in words else words.partition(" ")
    cards = [int(number) for number in numbers.split()]
    if what.startswith("hand "):
        seat = int(what.split()[1])
        for number in hand(s, seat):
            s.where[number] = DECK
        for number in cards:
            s.where[number] = seat
        for p in range(s.seats):
            s.seat[p].cards = len(hand(s, p))
    elif what == "out":
        for number in cards:
            s.where[number] = OUT


def broken(s: Any) -> str:
    """Return a sentence on a card that is in no place, or on a wrong count of a hand or the deck; else ""."""
    for p in range(s.seats):
        if s.seat[p].cards != len(hand(s, p)):
            return f"seat {p} is said to hold {s.seat[p].cards} cards, and holds {len(hand(s, p))}"
    places = [s.where[number] for number in range(1, box.CARDS + 1)]
    if any(not 0 <= place <= OUT for place in places):
        return f"a card is nowhere: {places}"
    return "" if places.count(DECK) == in_deck(s) else f"the deck has {places.count(DECK)} cards, not {in_deck(s)}"


def look(s: Any, question: str) -> str:
    """Return the answer to a query of a scenario: `hand 0`, `deck`, `highest`."""
    what, _, seat = question.partition(" ")
    answers = {
        "hand": lambda: " ".join(map(str, hand(s, int(seat)))),
        "deck": lambda: str(in_deck(s)),
        "highest": lambda: str(box.CARDS),
    }
    return answers[what]()
