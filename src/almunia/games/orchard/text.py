"""Orchard in words: actions, questions, the board as text, and the log."""

from functools import cache, lru_cache

from ...core.contract import Line, Points, Ref, Who
from ...core.plain import CheckedRecord as State
from ...core.remembering import remembered
from . import components as box
from .bots import NOTE, NOTES, fruit_of, gain, note_cells, supply
from .components import DATA, Fruit
from .rules import (
    LAST_DIE,
    NO_CARD,
    NONE,
    NOWHERE,
    ROTTEN,
    Edition,
    Over,
    Phase,
    bears,
    contested,
    die_on,
    harvested,
    in_supply,
)

TURNS = ("", ", a quarter turn", ", a half turn", ", a quarter turn back")
COUNTS = ("no", "one", "two", "three", "four", "five", "six")
FRUITS = tuple(fruit.name.lower() for fruit in Fruit)
TOP_OF_2018 = "Pretty Pear-fect (take a bough)"


def dealt(s: State) -> str:
    """The first nine cards, as the option `deal` takes them."""
    return " ".join(str(card) for card in list(s.deck)[: box.DEALT])


# --- actions -----------------------------------------------------------------------------------


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


def taken_apart(s: State, action: int) -> tuple[int, int, int]:
    """Card number, quarter turns and cell of a placement."""
    slot, turned, cell = placement(action)
    return s.seat[s.turn].hand[slot], turned, cell


def placement(action: int) -> tuple[int, int, int]:
    """Slot in the hand, quarter turns and cell of a placement."""
    way, cell = divmod(action, box.CELLS)
    return *divmod(way, box.QUARTERS), cell


def contested_trees(s: State) -> list[int]:
    """The cells of the two trees that could get the last die [D2]."""
    me = s.seat[s.turn]
    fruit = contested(me)
    number, turned, cell = taken_apart(s, me.choice)
    found = []
    for k in range(box.TREES):
        row, column = cell // box.SIDE + box.DOWN[turned, k], cell % box.SIDE + box.RIGHT[turned, k]
        bare = bears(me, fruit, row, column) and die_on(me, fruit, row, column) == NONE
        if box.FRUIT[number, turned, k] == fruit and bare:
            found.append(row * box.SIDE + column)
    return found


def spot(cell: int) -> str:
    """Row and column of a cell, counted from the start card's top left tree [D7]."""
    return f"{cell // box.SIDE - box.CENTRE},{cell % box.SIDE - box.CENTRE}"


def ask(s: State) -> str:
    """The question put to the seat to move."""
    if s.phase == Phase.DIE:
        fruit = FRUITS[contested(s.seat[s.turn])]
        return f"One {fruit} die is left for two trees: choose the tree that gets it."
    return "Place a card."


# --- the position --------------------------------------------------------------------------------


def board(s: State, seat: int) -> str:
    """Every orchard as a grid, the reader's own first and with its hand."""
    order = [seat, *(p for p in range(s.seats) if p != seat)] if seat >= 0 else range(s.seats)
    return "\n\n".join(orchard(s, p) for p in order)


def orchard(s: State, seat: int) -> str:
    """One orchard: a letter a tree (apple, pear, pLum), its die behind it; xx is rotten."""
    me = s.seat[seat]
    trees_here = trees_of(me)
    rows, columns = (sorted({*lines}) for lines in zip(*(divmod(cell, box.SIDE) for cell in trees_here), strict=True))
    dice = dice_of(s, me)
    heading = f"Orchard {seat + 1}: " if s.seats > 1 else ""
    score = points(s, seat)
    lines = [f"{heading}{score} {'point' if score == 1 else 'points'}, {title(s, score)}"]
    lines.append("     " + "".join(f"{column - box.CENTRE:>4}" for column in columns))
    for row in rows:
        cells = "".join(f"{tree(trees_here, dice, row * box.SIDE + column):>4}" for column in columns)
        lines.append(f"{row - box.CENTRE:>4} {cells}".rstrip())
    hand = [number for number in me.hand if number != NO_CARD]
    if hand:
        lines += ["", "Hand", *faces(hand)]
    lines.append(f"Dice left: {', '.join(f'{FRUITS[f]} {in_supply(me, f)}' for f in Fruit)}.")
    return "\n".join(lines)


def trees_of(me: State) -> dict[int, int]:
    """The cells with a tree, row by row, and the fruit of what is visible there, or ROTTEN."""
    found = {}
    for kind in range(box.FRUITS + 1):
        for row, bits in enumerate(me.trees[kind]):
            found.update({row * box.SIDE + column: kind for column in range(bits.bit_length()) if bits >> column & 1})
    return dict(sorted(found.items()))


def dice_of(s: State, me: State) -> dict[int, int]:
    """The cells with a die, and what it shows."""
    return {cell: box.LADDER[s.edition, step] for cell, step in zip(me.die_cell, me.die_step, strict=True)}


def tree(trees_here: dict[int, int], dice: dict[int, int], cell: int) -> str:
    """One cell of the grid."""
    fruit = trees_here.get(cell, ROTTEN)
    if fruit == ROTTEN:
        return "xx" if cell in trees_here else ""
    return f"{box.LETTERS[fruit]}{dice.get(cell, '.')}"


def faces(hand: list[int]) -> list[str]:
    """The cards of a hand side by side, upright."""
    lines = ["  ".join(f"{number:>2}   " for number in hand).rstrip()]
    for row in range(3):
        shown = (" ".join(box.LETTERS[box.FRUIT[number, 0, 2 * row + i]] for i in range(2)) for number in hand)
        lines.append("  ".join(f" {trees} " for trees in shown).rstrip())
    return lines


def points(s: State, seat: int) -> int:
    """The score so far."""
    return harvested(s, s.seat[seat]) - box.TOKEN_COST * s.seat[seat].rotten


def title(s: State, score: int) -> str:
    """The title that a score earns [6.5, D9, D13]."""
    if s.edition == Edition.OF_2018 and score >= DATA["variant_pnp2018"]["top_tier_min"]:
        return TOP_OF_2018
    return next(tier["name"] for tier in DATA["tier"] if score <= tier.get("max", score))


def facts(s: State, seat: int) -> list[tuple[str, str]]:
    """Title, dice left, tokens and cards to place."""
    me = s.seat[seat]
    left = [(f"{FRUITS[fruit].capitalize()} dice left", str(in_supply(me, fruit))) for fruit in Fruit]
    return [
        ("Title", title(s, points(s, seat))),
        *left,
        ("Rotten fruit", f"{me.rotten} of {box.TOKENS}"),
        ("Cards to place", str(0 if me.stuck or s.over else box.DEALT - me.laid)),
    ]


# --- the log -------------------------------------------------------------------------------------


def tell(before: State, action: int, after: State) -> list[Line]:
    """Choices made in secret, cards laid, the card drawn, and the end."""
    lines: list[Line] = []
    if after.seats > 1 and after.phase == Phase.PLACE:
        lines.append([Who(before.turn), " chooses a card." if action != NONE else " has chosen."])
    if after.phase == Phase.DIE and before.phase == Phase.PLACE:
        number, fruit = taken_apart(before, action)[0], FRUITS[contested(after.seat[after.turn])]
        lines.append([f"Card {number} covers two trees for the last {fruit} die."])
    for p in range(after.seats):
        if after.seat[p].laid > before.seat[p].laid:
            lines.append(told_laying(before, after, p))
    if after.drawn > before.drawn:
        lines.append([f"Card {after.deck[after.drawn - 1]} is drawn."])
    if after.over:
        lines.append([ending(after)])
    return lines


def told_laying(before: State, after: State, p: int) -> Line:
    """Which card was laid, on how many trees, and what that earned."""
    was, now = before.seat[p], after.seat[p]
    top = now.laid - 1
    number, turned, cell = now.card[top], now.turned[top], now.cell[top]
    matched, rotted = 0, now.rotten - was.rotten
    for k in range(box.TREES):
        row, column = cell // box.SIDE + box.DOWN[turned, k], cell % box.SIDE + box.RIGHT[turned, k]
        matched += bears(was, box.FRUIT[number, turned, k], row, column)
    who: list[Who | str] = [Who(p), ": "] if after.seats > 1 else []
    on = f" on {trees(matched + rotted)}: "
    gain = Points(points(after, p) - points(before, p))
    why = ", ".join(changes(before, after, p))
    return [*who, Ref(f"Card {number}", f"o{p}-card-{number}"), on, gain, f" ({why})." if why else "."]


def changes(before: State, after: State, p: int) -> list[str]:
    """What happened to each die and token."""
    was, now = before.seat[p], after.seat[p]
    ladder, words = box.LADDER, []
    for die in range(box.DICE):
        fruit = FRUITS[die // box.DICE_EACH]
        old, new = (int(ladder[s.edition, me.die_step[die]]) for s, me in ((before, was), (after, now)))
        moved = was.die_cell[die] != now.die_cell[die]
        if moved and was.die_cell[die] != NOWHERE:
            words.append(f"{fruit} {old} lost")
        if moved and now.die_cell[die] != NOWHERE:
            words.append(f"{fruit} {new}")
        elif new > old:
            words.append(f"{fruit} {old} to {new}")
    return words + ["rotten fruit"] * (now.rotten - was.rotten)


def trees(count: int) -> str:
    """A number of trees in words."""
    return f"{COUNTS[count]} tree{'' if count == 1 else 's'}"


def ending(s: State) -> str:
    """Why the play is over."""
    return "Every card is placed." if s.over == Over.LAST_CARD else "No card can be placed any more."


def verdict(s: State, seat: int) -> list[str]:
    """Score and title, the dice that made it, and the tokens that cost."""
    me = s.seat[seat]
    sums = []
    for fruit in Fruit:
        dice = [me.die_step[die] for die in range(fruit * box.DICE_EACH, (fruit + 1) * box.DICE_EACH)]
        shown = sorted((int(box.LADDER[s.edition, step]) for step in dice if step), reverse=True)
        sums.append(f"{FRUITS[fruit]} {' + '.join(map(str, shown))}" if shown else f"{FRUITS[fruit]} none")
    cost = f" Rotten fruit cost {box.TOKEN_COST * me.rotten}." if me.rotten else ""
    score = points(s, seat)
    return [
        f"{score} {'point' if score == 1 else 'points'}: {title(s, score)}.",
        f"Dice: {'; '.join(sums)}.{cost}",
    ]
