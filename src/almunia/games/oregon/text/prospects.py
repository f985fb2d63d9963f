"""The gains from pairs of cards of Oregon, before the cards are played."""

from typing import NamedTuple

from ....core.contract import NONE, Points, RichLine
from ....core.english import pluralize
from ....core.memoize import memoize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import EMPTY, NOWHERE
from ..rules.phases import chosen_row, holds, opens, place_building, place_farmer
from ..rules.state import Phase
from .words import a_piece, earned


class Prospect(NamedTuple):
    """The piece that two cards place, the number of spaces for it, and the most points that it can earn."""

    piece: str  # its name, such as `a farmer` or `a church`
    spaces: int  # the number of spaces where it can be placed
    points: int  # the most points that it earns on one of these spaces


Pair = tuple[int, int]  # two kinds of card, the lower number first
TOUCHED = [[int(spot) for spot in row if spot != NOWHERE] for row in box.TOUCHING]  # the neighbours of each space


@memoize(lambda s: s.to_bytes())
def prospects(s: State) -> dict[Pair, Prospect]:
    """Return the prospect of every pair that the seat to move can still play."""
    trial, known, found = s.copy(), dict[tuple[int, int], int](), dict[Pair, Prospect]()
    near = spaces_beside(s)
    for one, other in pairs(s):
        trial.chosen[0], trial.chosen[1] = one, other
        what, spaces = int(box.PLACED[chosen_row(trial)]), open_spaces(trial)
        for cell in spaces:
            if (what, cell) not in known:
                known[what, cell] = earned(trial, after_placing(trial, cell), trial.turn) if cell in near else 0
        found[one, other] = Prospect(a_piece(trial), len(spaces), max(known[what, cell] for cell in spaces))
    return found


def pairs(s: State) -> list[Pair]:
    """Return the pairs of kinds of card that the seat to move can still play, in ascending order."""
    first = [s.chosen[0]] if s.phase == Phase.SECOND else list(range(box.KINDS + 1))
    found = {
        (min(one, other), max(one, other))
        for one in first
        for other in range(box.KINDS + 1)
        if holds(s, s.turn, one, NONE) and holds(s, s.turn, other, one) and opens(s, one, other)
    }
    return sorted(found)


def partners(s: State, kind: int) -> dict[int, Prospect]:
    """Return the cards that can be played with this card, and the prospect of each pair."""
    found = prospects(s)
    others = [s.chosen[0]] if s.phase == Phase.SECOND else range(box.KINDS + 1)
    both = {other: (min(kind, other), max(kind, other)) for other in others}
    return {other: found[pair] for other, pair in both.items() if pair in found}


def best_with(s: State, kind: int) -> tuple[int, Prospect]:
    """Return the other card with which this card can earn the most points, and the prospect of the pair."""
    return max(partners(s, kind).items(), key=lambda partner: partner[1].points)


def best_by_card(s: State) -> dict[int, int]:
    """Return, for each playable card, the most points that it can earn with another card."""
    found = {kind: partners(s, kind).values() for kind in range(box.KINDS + 1)}
    return {kind: max(prospect.points for prospect in others) for kind, others in found.items() if others}


def open_spaces(s: State) -> list[int]:
    row = chosen_row(s)
    cells = (box.OPENED[row, i] for i in range(box.LENGTH[row]))
    return [cell for cell in cells if s.space[cell] == EMPTY]


def spaces_beside(s: State) -> set[int]:
    """Return the spaces adjacent to a piece. A placement elsewhere earns nothing."""
    return {spot for cell, piece in enumerate(s.space) if piece != EMPTY for spot in TOUCHED[cell]}


def after_placing(s: State, cell: int) -> State:
    """Return the position after the two chosen cards place their piece on `cell`. For speed, the cards stay in hand."""
    after, what = s.copy(), int(box.PLACED[chosen_row(s)])
    if what == box.FARMER:
        place_farmer(after, cell)
    else:
        place_building(after, what, cell)
    return after


def in_words(prospect: Prospect) -> RichLine:
    """Return a prospect in words, such as `a farmer, up to +6, 11 spaces`."""
    most: RichLine = [", up to ", Points(prospect.points)] if prospect.points > 0 else []
    return [prospect.piece, *most, f", {pluralize(prospect.spaces, 'space')}"]
