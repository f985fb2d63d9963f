"""Positions and results of Orchard in words."""

from ....core.english import capitalize, pluralize
from ....core.optional import Source
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import Fruit
from ..rules import NO_CARD, ROTTEN, EndReason, in_supply
from .words import FRUITS, points, title, trees_of


def dealt(s: State) -> str:
    """Return the first nine cards in the format of the option `deal`."""
    return " ".join(str(card) for card in list(s.deck)[: box.DEALT])


def board(s: State, seat: int) -> str:
    """Return every orchard and hand as text, the reader's own first."""
    order = [seat, *(p for p in range(s.seats) if p != seat)] if seat >= 0 else range(s.seats)
    return "\n\n".join(orchard(s, p) for p in order)


def orchard(s: State, seat: int) -> str:
    """Return a seat's score, orchard, hand and dice left as text."""
    me = s.seat[seat]
    trees_here = trees_of(me)
    rows, columns = (sorted({*lines}) for lines in zip(*(divmod(cell, box.SIDE) for cell in trees_here), strict=True))
    dice = dice_of(s, me)
    heading = f"Orchard {seat + 1}: " if s.seats > 1 else ""
    score = points(s, seat)
    lines = [f"{heading}{pluralize(score, 'point')}, {title(s, score)}"]
    lines.append("     " + "".join(f"{column - box.CENTRE:>4}" for column in columns))
    for row in rows:
        cells = "".join(f"{tree(trees_here, dice, row * box.SIDE + column):>4}" for column in columns)
        lines.append(f"{row - box.CENTRE:>4} {cells}".rstrip())
    hand = [number for number in me.hand if number != NO_CARD]
    if hand:
        lines += ["", "Hand", *faces(hand)]
    lines.append(f"Dice left: {', '.join(f'{FRUITS[f]} {in_supply(me, f)}' for f in Fruit)}.")
    return "\n".join(lines)


def dice_of(s: State, me: State) -> dict[int, int]:
    """Return the value of each die, by its cell. Dice in the supply are at NOWHERE, with 0."""
    return {cell: box.LADDER[s.edition, step] for cell, step in zip(me.die_cell, me.die_step, strict=True)}


def tree(trees_here: dict[int, int], dice: dict[int, int], cell: int) -> str:
    """Return a cell of the grid: `A6`, `A.` without a die, `xx` for a rotten tree, empty without a tree."""
    fruit = trees_here.get(cell, ROTTEN)
    if fruit == ROTTEN:
        return "xx" if cell in trees_here else ""
    return f"{box.LETTERS[fruit]}{dice.get(cell, '.')}"


def faces(hand: list[int]) -> list[str]:
    lines = ["  ".join(f"{number:>2}   " for number in hand).rstrip()]
    for row in range(3):
        shown = (" ".join(box.LETTERS[box.FRUIT[number, 0, 2 * row + i]] for i in range(2)) for number in hand)
        lines.append("  ".join(f" {trees} " for trees in shown).rstrip())
    return lines


def seat_facts(s: State, seat: int) -> list[tuple[str, str]]:
    """Return dice and tokens left, whether the seat is stuck, and a single player's title so far."""
    me = s.seat[seat]
    dice = [(f"{capitalize(FRUITS[fruit])} dice left", str(in_supply(me, fruit))) for fruit in Fruit]
    return [
        *dice,
        ("Rotten fruit left", str(box.TOKENS - me.rotten)),
        *([("Stuck", "yes")] if me.stuck else []),
        *([("Title", title(s, points(s, seat)))] if s.seats == 1 else []),
    ]


def score_breakdown(s: State) -> list[Source]:
    """Return the sum of the dice of each fruit, and the cost of rotten fruit [6.3, 6.4]."""
    seats = [s.seat[p] for p in range(s.seats)]
    found = [Source(f"{capitalize(FRUITS[f])} dice", tuple(sum(shown(s, me, f)) for me in seats), "6.3") for f in Fruit]
    return [*found, Source("Rotten fruit", tuple(-box.TOKEN_COST * int(me.rotten) for me in seats), "6.4")]


def shown(s: State, me: State, fruit: int) -> list[int]:
    steps = [me.die_step[die] for die in range(fruit * box.DICE_EACH, (fruit + 1) * box.DICE_EACH)]
    return [int(box.LADDER[s.edition, step]) for step in steps if step]


def end_reason(s: State) -> str:
    return "Every card is placed." if s.over == EndReason.LAST_CARD else "No card fits any more."


def result_lines(s: State, seat: int) -> list[str]:
    score = points(s, seat)
    return [f"{pluralize(score, 'point')}: {title(s, score)}."]
