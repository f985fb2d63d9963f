"""Refusals of Orchard, in the words of the rules.

A place is a card of the hand (`hand-14`), the `pile`, another orchard (`orchard-1`), or a point of the player's own
orchard (`point-70-68`). A point is in quarters of a tree from the top and the left of the grid. A point is the centre
of the card to lay, or in Phase.DIE it lies in the cell of the tree.
"""

from collections.abc import Mapping

from ....core.contract import NONE, SeatName
from ....core.english import NUMBERS, capitalize, join_words
from ....core.optional import Explanation
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import Fruit
from ..rules import ACTIONS, ROTTEN, Phase, list_placements, visible
from .words import FRUITS, contested_trees, decode, trees

QUARTER = 4  # quarters in the side of a tree


def explain_illegal(s: State, place: str, chosen: Mapping[str, str]) -> Explanation | None:
    """Return why the seat to move cannot choose a place.

    The result is None if the seat can choose the place, after the end, and for an unknown place.
    """
    what, _, which = place.partition("-")
    if s.over:
        return None
    match what:
        case "point":
            line, column = map(int, which.split("-"))
            if s.phase == Phase.DIE:
                return refuse_tree(s, line // QUARTER * box.SIDE + column // QUARTER)
            return refuse_point(s, line, column, chosen)
        case "hand":
            return refuse_card(s, int(which))
        case "pile":
            return because("You draw a card automatically after you place one.", "3.4")
        case "orchard":
            return Explanation(
                ["This is the orchard of ", SeatName(int(which)), ". You place cards in your own."], "7.1"
            )
    return None


def refuse_tree(s: State, cell: int) -> Explanation | None:
    if cell in contested_trees(s):
        return None
    return because("The last die goes to one of the two marked trees.", "D2")


def refuse_card(s: State, number: int) -> Explanation | None:
    if s.phase == Phase.DIE:
        return because("You have placed your card. Choose the tree that gets the last die, or undo.", "D2")
    if any(decode(s, action)[0] == number for action in placements(s)):
        return None
    return because(f"Card {number} doesn't fit anywhere now. Choose the other one.", "3.1")


def placements(s: State) -> list[int]:
    found = [0] * ACTIONS
    return found[: list_placements(s.seat[s.turn], found)]


def refuse_point(s: State, line: int, column: int, chosen: Mapping[str, str]) -> Explanation | None:
    if "card" not in chosen:
        return because("First choose a card from your hand.", "3.1")
    number, turned = int(chosen["card"]), int(chosen.get("turned", "0")) // 90
    half_high, half_wide = QUARTER // 2 * box.HEIGHT[turned], QUARTER // 2 * box.WIDTH[turned]
    row, place = (line - half_high + QUARTER // 2) // QUARTER, (column - half_wide + QUARTER // 2) // QUARTER
    if any(decode(s, action) == (number, turned, row * box.SIDE + place) for action in placements(s)):
        return None
    return refuse_placement(s, number, turned, int(row), int(place))


def refuse_placement(s: State, number: int, turned: int, row: int, column: int) -> Explanation:
    me, clashes, covered = s.seat[s.turn], [], 0
    for k in range(box.TREES):
        line, place = row + box.DOWN[turned, k], column + box.RIGHT[turned, k]
        inside = 0 <= line < box.SIDE and 0 <= place < box.SIDE
        below = visible(me, line, place) if inside else NONE
        if below == ROTTEN:
            target = f"o{s.turn}-rotten-{line * box.SIDE + place}"
            return because("You can't cover a rotten tree.", "5.5", target)
        covered += below != NONE
        if below not in (NONE, box.FRUIT[number, turned, k]):
            clashes.append(f"{a_fruit(box.FRUIT[number, turned, k])} on {a_fruit(below)}")
    if not covered:
        return because("The card must cover at least one tree, and it covers none here.", "3.1")
    return spoilt(clashes, box.TOKENS - me.rotten)


def spoilt(clashes: list[str], left: int) -> Explanation:
    which = join_words(dict.fromkeys(clashes))
    if not left:
        return because(f"{capitalize(which)} would rot here, and you have used both rotten-fruit tokens.", "5.1")
    tokens = f"{NUMBERS[left]} rotten-fruit token{'' if left == 1 else 's'}"
    return because(f"{capitalize(trees(len(clashes)))} would rot here ({which}), and you have {tokens} left.", "5.1")


def a_fruit(fruit: int) -> str:
    return f"{'an' if fruit == Fruit.APPLE else 'a'} {FRUITS[fruit]}"


def because(sentence: str, rule: str, target: str = "") -> Explanation:
    return Explanation([sentence], rule, target)
