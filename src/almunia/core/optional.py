"""What a game may say besides, so that pages can lead a player: proposals, refusals, scorings, and marks of rules.

It belongs to the contract of a game (`contract`), each part by itself optional; the conformance suite checks what there
is.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from .contract import RichLine


class CitesRules(Protocol):
    """What `text.py` also has where its questions lead to the rules."""

    def rule_of_question(self, s: Any) -> str:
        """The mark of the paragraph behind the question put to the seat to move: 4.2."""


class ActionSequence(NamedTuple):
    """Actions that are offered as one choice, such as a whole payment."""

    actions: tuple[int, ...]  # two or more, each legal after those before it
    offer: RichLine  # in a player's words, beginning with a capital
    effect: RichLine  # what it would do, in a few words; may be empty


class SuggestsSequences(Protocol):
    """What `text.py` also has where several actions in a row are usually one thought."""

    def suggestions(self, s: Any) -> list[ActionSequence]:
        """What the seat to move may do in one go from here, the best first: as few as are worth proposing."""


class Explanation(NamedTuple):
    """Why nothing can be chosen at a place."""

    sentence: RichLine  # in the rule's words: which side, which number
    rule: str  # the mark of the paragraph
    target: str = ""  # the id of what stands in the way, in the picture


class ExplainsIllegal(Protocol):
    """What `text.py` and `view.py` also have where a click at the wrong place is answered."""

    def hit_test(self, s: Any, seat: int, panel: str, x: float, y: float) -> str:
        """In `view.py`: the place of a panel at this point, in the picture's own units; empty if there is none.

        It is a word of the game's own ("space-h4", "market-2"), which only `explain_illegal` must understand. What
        `view.css` lays elsewhere carries `data-frame`: where its origin would lie in these units ("12 40").
        """

    def explain_illegal(self, s: Any, place: str, chosen: Mapping[str, str]) -> Explanation | None:
        """In `text.py`: why the seat to move can't choose that place; None if it can, or if there is nothing to say.

        `chosen` are the parts chosen so far, by name, as in `parts`. `s` is masked for the seat to move.
        """


class Column(NamedTuple):
    """One source of points in a scoring."""

    name: str  # as a heading: "Towers"
    points: tuple[int, ...]  # by seat; fewer than 0 are lost
    notes: tuple[str, ...] = ()  # by seat, what they are for, in a few words: "3 towers"; empty if there are none
    targets: tuple[str, ...] = ()  # ids of what earned them, in the picture


class Scoring(NamedTuple):
    """A scoring that is an event of its own: who got what for what."""

    title: str  # "Second scoring round"
    rule: str  # the mark of the paragraph
    columns: tuple[Column, ...]  # one for each source that gave points


class Scorings(Protocol):
    """What `text.py` also has where points are given to all at certain moments."""

    def scoring(self, before: Any, action: int, after: Any) -> Scoring | None:
        """The scoring that an action brought about, if it did, between two states masked for the same reader.

        For every seat the points of all columns add up to what its score has changed by. `action` is NONE where the
        reader may not know it.
        """
