"""A simple, slow implementation of the rules of Orchard, as an oracle for tests.

Cells are (row, col) pairs. The start card lies upright with its top left tree at (0, 0). Rows grow downwards, columns
to the right. `turned` counts quarter turns clockwise, 0 to 3. A placement (turned, row, col) names the cell of the top
left tree of the turned card. The oracle shares component tables with the rules, and no code.
"""

import tomllib
from pathlib import Path

Cell = tuple[int, int]
Placement = tuple[int, int, int]

COMPONENTS = tomllib.loads((Path(__file__).parents[1] / "components" / "components.toml").read_text(encoding="utf-8"))
CARDS: dict[int, list[str]] = {card["number"]: card["rows"] for card in COMPONENTS["card"]}
DICE: dict[str, int] = {fruit: row["dice"] for fruit, row in COMPONENTS["fruits"].items()}
FRUITS = ("A", "P", "L")
TOKENS: int = COMPONENTS["rotten"]["tokens"]
PENALTY: int = COMPONENTS["rotten"]["penalty_each"]
TURNS = (0, 1, 2, 3)
LONG_SIDE = 3


def face(card: int, turned: int) -> list[str]:
    """Return the fruit letters of a turned card, row by row. Raise ValueError for an unknown card or turn."""
    if card not in CARDS:
        raise ValueError(f"There is no card {card!r} in the deck.")
    if turned not in TURNS:
        raise ValueError(f"A card is turned by 0 to 3 quarter turns, not by {turned!r}.")
    rows = CARDS[card]
    for _ in range(turned):
        # A clockwise turn makes each column, read from the bottom up, a row.
        columns = range(len(rows[0]))
        rows = ["".join(row[column] for row in reversed(rows)) for column in columns]
    return list(rows)


def spread(card: int, turned: int, row: int, col: int) -> dict[Cell, str]:
    """Return the cells that a card would cover and the fruit of each, in reading order."""
    return {
        (row + down, col + right): fruit
        for down, line in enumerate(face(card, turned))
        for right, fruit in enumerate(line)
    }


class Orchard:
    def __init__(self, start_card: int, ladder: tuple[int, ...] = (1, 3, 6, 10)) -> None:
        self.ladder = ladder
        self.trees = spread(start_card, 0, 0, 0)
        self.dice: dict[Cell, int] = {}
        self.rotten: set[Cell] = set()
        self.supply = {fruit: DICE[fruit] for fruit in FRUITS}

    def placements(self, card: int) -> list[Placement]:
        """Return every legal (turned, row, col) in ascending order, also turns that look alike."""
        rows = [row for row, _ in self.trees]
        cols = [col for _, col in self.trees]
        return [
            (turned, row, col)
            for turned in TURNS
            for row in range(min(rows) - LONG_SIDE, max(rows) + 1)
            for col in range(min(cols) - LONG_SIDE, max(cols) + 1)
            if not self.objection(card, turned, row, col)
        ]

    def objection(self, card: int, turned: int, row: int, col: int) -> str:
        """Return a sentence that says why a card cannot be placed there, or an empty string [D1]."""
        cells = spread(card, turned, row, col)
        if not any(cell in self.trees for cell in cells):
            return f"Card {card} at ({row}, {col}) covers no tree of the orchard."
        spoiled = [cell for cell in cells if cell in self.rotten]
        if spoiled:
            return f"Card {card} at ({row}, {col}) covers rotten fruit at {spoiled[0]}."
        needed, left = len(self.mismatches(cells)), TOKENS - len(self.rotten)
        if needed > left:
            return f"Card {card} at ({row}, {col}) needs {needed} rotten tokens; {left} are left."
        return ""

    def mismatches(self, cells: dict[Cell, str]) -> list[Cell]:
        return [cell for cell in cells if cell in self.trees and self.trees[cell] != cells[cell]]

    def waiting(self, cells: dict[Cell, str], fruit: str) -> list[Cell]:
        """Return the cells where this fruit would cover the same fruit without a die."""
        return [
            cell for cell in cells if cells[cell] == fruit and self.trees.get(cell) == fruit and cell not in self.dice
        ]

    def contested(self, card: int, turned: int, row: int, col: int) -> list[str]:
        """Return the fruits whose only available die is needed by two trees [D2, D3]."""
        cells = spread(card, turned, row, col)
        freed = [self.trees[cell] for cell in self.mismatches(cells) if cell in self.dice]
        return [
            fruit
            for fruit in FRUITS
            if len(self.waiting(cells, fruit)) == 2 and self.supply[fruit] + freed.count(fruit) == 1
        ]

    def place(self, card: int, turned: int, row: int, col: int, last: dict[str, int] | None = None) -> None:
        """Place the card. Raise ValueError if the placement or an answer in `last` is illegal.

        For each fruit whose last die is contested, `last` says whether tree 0 or 1 gets the die; by default, tree 0.
        """
        objection = self.objection(card, turned, row, col)
        if objection:
            raise ValueError(objection)
        contested = self.contested(card, turned, row, col)
        choices = dict.fromkeys(contested, 0) | (last or {})
        for fruit, choice in choices.items():
            if fruit not in contested:
                raise ValueError(f"No last die is contested for fruit {fruit!r}.")
            if choice not in (0, 1):
                raise ValueError(f"The last die goes to tree 0 or 1, not to {choice!r}.")

        cells = spread(card, turned, row, col)
        spoiled = self.mismatches(cells)
        waiting = {fruit: self.waiting(cells, fruit) for fruit in FRUITS}
        raised = [cell for cell in cells if cell in self.dice and cell not in spoiled]

        for cell in spoiled:
            if cell in self.dice:
                del self.dice[cell]
                self.supply[self.trees[cell]] += 1
            self.rotten.add(cell)
        for cell in raised:
            step = self.ladder.index(self.dice[cell]) + 1
            self.dice[cell] = self.ladder[min(step, len(self.ladder) - 1)]
        for fruit, wanting in waiting.items():
            served = [wanting[choices[fruit]]] if fruit in contested else wanting
            for cell in served:
                if self.supply[fruit] > 0:
                    self.supply[fruit] -= 1
                    self.dice[cell] = self.ladder[0]
        self.trees.update(cells)

    def score(self) -> int:
        return sum(self.dice.values()) - PENALTY * len(self.rotten)
