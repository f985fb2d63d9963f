"""The actions and questions of Orchard in words, and the effects of actions."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ....core.contract import Points, RichLine
from ....core.english import NUMBERS, join_words
from ....core.memoize import memoize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..bots import FRUIT, NOTE, SCRATCH_SIZE, fruit_of, gain, note_cells, supply, unpack_count
from ..components import Fruit
from ..rules import LAST_DIE, Phase, contested
from .words import FRUITS, TURNS, contested_trees, decode, spot, trees, way_to


def action_to_string(s: State, action: int) -> str:
    """Return an action as text, such as `place 14 at 1,1 turned 270` or `last plum die at 2,1`."""
    if action >= LAST_DIE:
        fruit = contested(s.seat[s.turn])
        return f"last {FRUITS[fruit]} die at {spot(contested_trees(s)[action - LAST_DIE])}"
    number, turned, cell = decode(s, action)
    return f"place {number} at {spot(cell)}" + (f" turned {90 * turned}" if turned else "")


def button_label(s: State, action: int) -> RichLine:
    """Return an action's label, such as `Card 14, a quarter turn left, 1 down and 1 right of the start`."""
    if action >= LAST_DIE:
        return [f"The tree {way_to(contested_trees(s)[action - LAST_DIE])}"]
    return [offered(*decode(s, action))[0]]


def parts(s: State, action: int) -> dict[str, str]:
    """Return the parts of an action: the card, its rotation and its place, or the tree that gets the last die."""
    if action >= LAST_DIE:
        return {"tree": spot(contested_trees(s)[action - LAST_DIE])}
    return offered(*decode(s, action))[1]


@lru_cache(4096)
def offered(number: int, turned: int, cell: int) -> tuple[str, dict[str, str]]:
    parts = {"card": str(number), "turned": str(90 * turned), "place": spot(cell)}
    return f"Card {number}{TURNS[turned]}, {way_to(cell)}", parts


def effect_text(s: State, action: int) -> RichLine:
    """Return a line on the effects of an action."""
    if action >= LAST_DIE:
        return ["the other tree gets none"]
    number, turned, cell = decode(s, action)
    me = s.seat[s.turn]
    return in_words(number, turned, notes_below(me, turned, cell), noted(me)[1], s.edition)


def notes_below(me: State, turned: int, cell: int) -> int:
    """Return the packed notes of the cells under a card at this place, one note for each tree."""
    notes, _ = noted(me)
    under = 0
    for k, offset in enumerate(box.OFFSET[turned]):
        under |= notes[cell + offset] << NOTE * k
    return under


@memoize(lambda me: me.to_bytes())
def noted(me: State) -> tuple[list[int], int]:
    """Return the notes of all cells and the dice in the supply, in the format of the bots."""
    notes = [0] * SCRATCH_SIZE
    note_cells(me, notes)
    return notes, supply(me)


class Meeting(NamedTuple):
    """A tree of a card on top of a tree of the orchard."""

    number: int  # of the tree on the card
    fruit: int
    below: int  # the fruit of the tree below
    step: int  # of the die on the tree below; 0 without one


def meetings(number: int, turned: int, under: int) -> Iterator[Meeting]:
    """Yield a Meeting for each tree that a card covers. `under` has the notes of the cells below."""
    for k in range(box.TREES):
        note = (under >> NOTE * k) & ((1 << NOTE) - 1)
        if note:
            yield Meeting(k, int(box.FRUIT[number, turned, k]), fruit_of(note), note >> FRUIT)


@lru_cache(8192)
def in_words(number: int, turned: int, under: int, stock: int, edition: int) -> RichLine:
    """Return a placement's effects, such as `two trees match (3 to 6, one new): +4`."""
    ladder = tuple(box.LADDER[edition])
    found = [*meetings(number, turned, under)]
    match = [tree for tree in found if tree.fruit == tree.below]
    rot = [tree for tree in found if tree.fruit != tree.below]
    left = [unpack_count(stock, fruit) + sum(tree.below == fruit and tree.step > 0 for tree in rot) for fruit in Fruit]
    bare = [sum(tree.fruit == fruit and tree.step == 0 for tree in match) for fruit in Fruit]
    words = []
    if match:
        rises = [(ladder[tree.step], ladder[min(tree.step + 1, len(ladder) - 1)]) for tree in match if tree.step]
        told = dice(rises, sum(map(min, bare, left)), sum(bare))
        words.append(f"{trees(len(match))} {'matches' if len(match) == 1 else 'match'}{told}")
    if rot:
        told = losses([ladder[tree.step] for tree in rot if tree.step])
        words.append(f"{trees(len(rot))} {'rots' if len(rot) == 1 else 'rot'}{told}")
    return [f"{', '.join(words)}: ", Points(gain(number, turned, under, stock, ladder))]


def dice(rises: list[tuple[int, int]], new: int, bare: int) -> str:
    """Return the changes of dice on matching trees, in brackets, or an empty string if each tree gets a new die."""
    words = [f"{old} to {value}" if value > old else f"{old} stays" for old, value in sorted(rises, reverse=True)]
    words += [f"{NUMBERS[new]} new"] * bool(new and words)
    words += [f"no die left for {NUMBERS[bare - new]}"] * bool(bare - new)
    return f" ({', '.join(words)})" if words else ""


def losses(lost: list[int]) -> str:
    """Return the values of dice that go back to the supply, such as ` (6 and 3 lost)`, or an empty string."""
    return f" ({join_words(map(str, sorted(lost, reverse=True)))} lost)" if lost else ""


def rule_of_question(s: State) -> str:
    return "D2" if s.phase == Phase.DIE else "3.1"


def question(s: State) -> str:
    if s.phase == Phase.DIE:
        fruit = FRUITS[contested(s.seat[s.turn])]
        return f"One {fruit} die is left for two trees. Choose the tree that gets it."
    return "Place a card. You can't undo this."
