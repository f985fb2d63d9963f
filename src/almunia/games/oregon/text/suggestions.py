"""Suggested sequences of actions in Oregon: the best pair of cards, and all cards to draw in a turn."""

from ....core.english import capitalize, pluralize
from ....core.optional import ActionSequence
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import JOKER, Deck
from ..rules.state import CARD, DRAW, Phase
from .actions import stuck
from .prospects import in_words, prospects
from .words import CARDS, DECKS, knows_hand


def suggestions(s: State) -> list[ActionSequence]:
    """Return suggested cards to play or to draw, or an empty list."""
    if s.over or not knows_hand(s, s.turn):
        return []
    if s.phase == Phase.FIRST and not stuck(s):
        return plays(s)
    return draws(s) if s.phase in (Phase.EXTRA, Phase.DRAW) else []


def plays(s: State) -> list[ActionSequence]:
    """Return the pair of cards that earns the most points, in a list, or an empty list if no pair earns points.

    Ties avoid the joker.
    """
    found = prospects(s).items()
    (one, other), prospect = min(found, key=lambda both: (-both[1].points, JOKER in both[0]))
    if prospect.points <= 0:
        return []
    words = capitalize(f"{CARDS[one]} and {CARDS[other]}")
    return [ActionSequence((CARD + one, CARD + other), [words], in_words(prospect))]


def draws(s: State) -> list[ActionSequence]:
    """Suggest draws that bring the number of building cards closest to its number after the deal [12.1, 12.2].

    The list is empty if at most one card is missing, and in the last round.
    """
    lands, buildings = s.seat[s.turn].cards
    missing = box.HAND - lands - buildings
    if s.final or missing < 2:
        return []
    ways = [more for more in range(missing + 1) if buildings + more and lands + missing - more]
    more = min(ways, key=lambda more: abs(buildings + more - box.DEALT[Deck.BUILDING]))
    counts = missing - more, more
    actions = tuple(DRAW + deck for deck in Deck for _ in range(counts[deck]))
    words = ", ".join(pluralize(counts[deck], DECKS[deck]) for deck in Deck if counts[deck])
    return [ActionSequence(actions, [f"Draw {words}"], [])]
