"""The actions of Orchard in words: in a record, on a page, and what they would do."""

from functools import cache, lru_cache

from ....core.contract import Line, Points
from ....core.plain import CheckedRecord as State
from ....core.remembering import remembered
from .. import components as box
from ..bots import NOTE, NOTES, fruit_of, gain, note_cells, supply
from ..rules import LAST_DIE, Phase, contested
from .words import FRUITS, TURNS, contested_trees, spot, taken_apart, trees


def say(s: State, action: int) -> str:
    """`place 14 at 1,1 turned 270`, or `last plum die at 2,1`."""
    if action >= LAST_DIE:
        fruit = contested(s.seat[s.turn])
        return f"last {FRUITS[fruit]} die at {spot(contested_trees(s)[action - LAST_DIE])}"
    number, turned, cell = taken_apart(s, action)
    return f"place {number} at {spot(cell)}" + (f" turned {90 * turned}" if turned else "")


def offer(s: State, action: int) -> Line:
    """`Card 14, a quarter turn back, from 1,1`, or `The tree at 2,1`."""
    if action >= LAST_DIE:
        return [f"The tree at {spot(contested_trees(s)[action - LAST_DIE])}"]
    return [offered(*taken_apart(s, action))[0]]


def parts(s: State, action: int) -> dict[str, str]:
    """The card, its turn and its place; or the tree that gets the last die."""
    if action >= LAST_DIE:
        return {"tree": spot(contested_trees(s)[action - LAST_DIE])}
    return offered(*taken_apart(s, action))[1]


@lru_cache(4096)
def offered(number: int, turned: int, cell: int) -> tuple[str, dict[str, str]]:
    """A placement as a page offers it, and in parts."""
    parts = {"card": str(number), "turned": str(90 * turned), "place": spot(cell)}
    return f"Card {number}{TURNS[turned]}, from {spot(cell)}", parts


def effect(s: State, action: int) -> Line:
    """How many trees match or rot, and the points that makes."""
    if action >= LAST_DIE:
        return []
    number, turned, cell = taken_apart(s, action)
    me, under, matching, rotting = s.seat[s.turn], 0, 0, 0
    notes, stock = noted(me)
    for k, offset in enumerate(box.OFFSET[turned]):
        below = notes[cell + offset]
        under |= below << NOTE * k
        if below:
            same = fruit_of(below) == box.FRUIT[number, turned, k]
            matching += same
            rotting += not same
    return in_words(matching, rotting, gain(number, turned, under, stock, box.LADDER[s.edition]))


@remembered(lambda me: me.to_bytes())
def noted(me: State) -> tuple[list[int], int]:
    """What stands in every cell, and the dice in the supply, as bots note it."""
    notes = [0] * NOTES
    note_cells(me, notes)
    return notes, supply(me)


@cache
def in_words(matching: int, rotting: int, points: int) -> Line:
    """So many trees that match or rot, and the points."""
    words = [f"{trees(matching)} {'matches' if matching == 1 else 'match'}"] if matching else []
    words += [f"{trees(rotting)} {'rots' if rotting == 1 else 'rot'}"] if rotting else []
    return [f"{', '.join(words)}: ", Points(points)]


def ask(s: State) -> str:
    """The question put to the seat to move."""
    if s.phase == Phase.DIE:
        fruit = FRUITS[contested(s.seat[s.turn])]
        return f"One {fruit} die is left for two trees: choose the tree that gets it."
    return "Place a card."
