"""Orchard as pictures: the orchard seen from above, and the hand with the supply beside it."""

from collections.abc import Collection, Iterator, Sequence

import svg

from ...core.contract import NONE, Panel, Part, Role
from ...core.drawing import at, canvas, clickable, label, moved, once, path, rect, shape, use
from ...core.lines import gain_of
from ...core.plain import CheckedRecord as State
from ...core.words import number, signed
from . import components as box
from .components import Fruit
from .rules import LAST_DIE, NO_CARD, NOWHERE, ROTTEN, bears, carry_out, contested, in_supply, visible
from .text.actions import effect
from .text.words import FRUITS, contested_trees, placement, taken_apart, trees_of

PARTS = (
    Part("card", "Card"),
    Part("turned", "Turn", turns="Turn", keys=("r",)),
    Part("place", "Place"),
    Part("tree", "Tree"),
)

U = 56  # one tree
ROOM = 2  # trees beyond the outermost, where cards may still come to lie
CLOSE = 0.4  # as little as looks well, where nothing more is laid
DIE = 13  # half a die
SLOT = 3 * U  # a square in the hand
NEITHER = 2  # no tree gets the last die yet

CANOPY = (
    "M0-24C8-26 17-21 19-14 26-10 27-1 23 5 24 13 17 20 9 20 "
    "4 25-5 25-9 20-17 20-24 13-23 5-27-1-26-10-19-14-17-21-8-26 0-24Z"
)
APPLE = "M0-5C-3-8-9-6-8 0-7.5 5-3 8 0 7 3 8 7.5 5 8 0 9-6 3-8 0-5Z"
PEAR = "M0-8C-3-8-3.5-4-4-1-7 1-8 8 0 8 8 8 7 1 4-1 3.5-4 3-8 0-8Z"
PLUM = "M0-8C6-7 8-1 6 4 4 8-2 9-5 6-9 2-7-7 0-8Z"
CLEFT = "M0-8Q-3 0 1 7"
STEMS = ("M0-5Q.5-8 3-9", "M0-8Q0-10 2-10", "M0-8Q0-10 2-10")
FRUIT_PLACES = ((-10, -3), (10, -4), (0, 11))
SPOILT = "M-8-8L8 8M8-8L-8 8"


def panels(s: State, seat: int, legal: Sequence[int]) -> list[Panel]:
    """The reader's own orchard with its hand and supply, then the orchards of the others."""
    own = max(seat, 0)
    name = f"Orchard {own + 1}" if s.seats > 1 else "The orchard"
    found = [
        Panel("orchard", name, orchard(s, own, legal, CLOSE if s.over else ROOM), role=Role.BOARD, seat=own),
        Panel("hand", "Hand and supply", hand(s, own, legal), Role.HAND),
    ]
    others = (p for p in range(s.seats) if p != own)
    return found + [Panel(f"orchard-{p}", f"Orchard {p + 1}", orchard(s, p, ()), Role.RIVAL, p) for p in others]


# --- the orchard ----------------------------------------------------------------------------------


def orchard(s: State, seat: int, legal: Sequence[int], margin: float = CLOSE) -> svg.SVG:
    """All cards of one orchard, the dice and tokens on them, and where the next card may go."""
    name = f"orchard {seat + 1}" if s.seats > 1 else "the orchard"
    me = s.seat[seat]
    trees_here = trees_of(me)
    shown = frame(trees_here, margin)
    elements: list[svg.Element] = [shapes(f"o{seat}"), rulers(*edges_of(shown))]
    newest = me.laid - 1
    elements += [laid_card(seat, me.card[i], me.turned[i], me.cell[i], i == newest > 0) for i in range(me.laid)]
    elements += [token(cell) for cell, kind in trees_here.items() if kind == ROTTEN]
    for die in range(box.DICE):
        if me.die_cell[die] != NOWHERE:
            elements.append(die_at(seat, die, me.die_cell[die], value_of(s, me, die)))
    if me.choice != NONE:
        elements.append(pending(s, seat))
    elements += targets(s, legal)
    return canvas(name.capitalize(), shown, elements, "orchard", clickable=bool(legal))


def frame(cells: Collection[int], margin: float) -> svg.ViewBoxSpec:
    """The part of the table that is shown: these cells, and a margin."""
    spots = (divmod(cell, box.SIDE) for cell in cells)
    (top, bottom), (left, right) = ((min(axis), max(axis) + 1) for axis in zip(*spots, strict=True))
    x, y = edge(left - margin), edge(top - margin)
    return svg.ViewBoxSpec(x, y, (right - left + 2 * margin) * U, (bottom - top + 2 * margin) * U)


def edges_of(shown: svg.ViewBoxSpec) -> tuple[float, float, int, int]:
    """Left and top of what is shown, and how many columns and rows."""
    left, top, width, height = (float(side) for side in (shown.min_x, shown.min_y, shown.width, shown.height))
    return left, top, int(width // U), int(height // U)


@once
def rulers(left: float, top: float, columns: int, rows: int) -> list[svg.Element]:
    """Row and column numbers along the edges, by which words name places."""
    found: list[svg.Element] = []
    for column in range(round(left / U), round(left / U) + columns):
        found.append(ruler((column + 0.5) * U, top + 16, column))
    for row in range(round(top / U), round(top / U) + rows):
        found.append(ruler(left + 14, (row + 0.5) * U + 4, row))
    return found


def ruler(x: float, y: float, line: int) -> svg.Text:
    """The number of a row or column."""
    return label(number(line), x, y, "ruler")


def edge(line: float) -> float:
    """Where a row or a column begins."""
    return (line - box.CENTRE) * U


@once
def laid_card(seat: int, number: int, turned: int, cell: int, newest: bool) -> svg.G:
    """A card that has been laid, with an id that log lines name."""
    row, column = divmod(cell, box.SIDE)
    return svg.G(
        id=f"o{seat}-card-{number}",
        class_=["card", *(["newest"] if newest else [])],
        style=moved(edge(column), edge(row)),
        elements=[card(number, turned, f"o{seat}")],
    )


@once
def card(number: int, turned: int, symbols: str) -> list[svg.Element]:
    """What is on a card with its top left corner at 0, 0; its trees stand upright however it is turned."""
    width, height = box.WIDTH[turned] * U, box.HEIGHT[turned] * U
    elements: list[svg.Element] = [
        rect(1.5, 1.5, width - 3, height - 3, "face", rx=9),
    ]
    for k in range(box.TREES):
        x, y = (box.RIGHT[turned, k] + 0.5) * U, (box.DOWN[turned, k] + 0.5) * U
        elements.append(use(f"{symbols}-{FRUITS[box.FRUIT[number, turned, k]]}", x, y))
    plate = svg.G(
        class_=["number"],
        transform=[svg.Translate(width / 2, height / 2), svg.Rotate(90 * turned)],
        elements=[svg.Circle(r=9), label(number, y=4)],
    )
    return [*elements, plate]


@once
def shapes(symbols: str) -> svg.Defs:
    """The three trees, drawn once for each picture."""
    return svg.Defs(elements=[tree_shape(fruit, symbols) for fruit in Fruit])


def tree_shape(fruit: Fruit, symbols: str) -> svg.G:
    """A tree with three fruits and its letter."""
    name = FRUITS[fruit]
    elements: list[svg.Element] = [shape(CANOPY, "canopy")]
    for x, y in FRUIT_PLACES:
        elements.append(at(x, y, *fruit_shape(fruit)))
    elements.append(label(box.LETTERS[fruit], 0, -14, "letter"))
    return svg.G(id=f"{symbols}-{name}", class_=["tree"], elements=elements)


def fruit_shape(fruit: Fruit) -> list[svg.Element]:
    """One fruit, about 16 units high around 0, 0."""
    outline = (APPLE, PEAR, PLUM)[fruit]
    elements: list[svg.Element] = [
        shape(outline, "fruit", FRUITS[fruit]),
        shape(STEMS[fruit], "stem"),
    ]
    return [*elements, shape(CLEFT, "stem")] if fruit == Fruit.PLUM else elements


def value_of(s: State, me: State, die: int) -> int:
    """What a die shows."""
    return box.LADDER[s.edition, me.die_step[die]]


@once
def die_at(seat: int, die: int, cell: int, value: int) -> svg.G:
    """A die on its tree."""
    row, column = divmod(cell, box.SIDE)
    group = die_face(die // box.DICE_EACH, value)
    group.id, group.style = f"o{seat}-die-{die}", moved(edge(column) + U / 2, edge(row) + U / 2)
    return group


def die_face(fruit: int, value: int) -> svg.G:
    """A die around 0, 0, in the colour of its fruit."""
    return svg.G(
        class_=["die", FRUITS[fruit]],
        elements=[
            rect(-DIE, -DIE, 2 * DIE, 2 * DIE, rx=6),
            label(value, y=6),
        ],
    )


@once
def token(cell: int) -> svg.G:
    """A rotten-fruit token on its tree."""
    row, column = divmod(cell, box.SIDE)
    return svg.G(
        class_=["rotten"],
        style=moved(edge(column) + U / 2, edge(row) + U / 2),
        elements=[svg.Circle(r=17), svg.Path(d=path(SPOILT))],
    )


# --- what may be chosen ------------------------------------------------------------------------------


def targets(s: State, legal: Sequence[int]) -> list[svg.Element]:
    """A spot in the middle of every place where a card may come to lie, or on the two trees."""
    found: list[svg.Element] = []
    for action in legal:
        if action >= LAST_DIE:
            row, column = divmod(contested_trees(s)[action - LAST_DIE], box.SIDE)
            x, y = edge(column) + U / 2, edge(row) + U / 2
        else:
            _, turned, cell = placement(action)
            row, column = divmod(cell, box.SIDE)
            x, y = edge(column) + box.WIDTH[turned] * U / 2, edge(row) + box.HEIGHT[turned] * U / 2
        found.append(target(x, y, action))
    return found


@once
def target(x: float, y: float, action: int) -> svg.Circle:
    """A spot that may be clicked."""
    return clickable(svg.Circle(cx=x, cy=y, r=8), action)


def ghost(s: State, seat: int, action: int) -> svg.G:
    """The card as it would lie, with its dice and tokens, and the points it would earn."""
    if action >= LAST_DIE:
        cell = contested_trees(s)[action - LAST_DIE]
        return svg.G(class_=["ghost"], elements=[loose_die(contested_fruit(s), box.LADDER[s.edition, 1], cell)])
    trial = s.copy()
    trial.seat[s.turn].choice = action
    points = gain_of(effect(s, action))
    _, turned, cell = taken_apart(s, action)
    row, column = divmod(cell, box.SIDE)
    return svg.G(
        class_=["ghost"], elements=[*as_laid(trial, max(seat, 0), s.turn), outline(row, column, turned, points)]
    )


def pending(s: State, seat: int) -> svg.G:
    """The card a seat has chosen, as it will lie once all have chosen, or once the last die is given."""
    trial = s.copy()
    me = trial.seat[seat]
    fruit = contested(me)
    if fruit != NONE:
        me.last_die[fruit] = NEITHER
    _, turned, cell = placement(me.choice)
    edge = card_edge(*divmod(cell, box.SIDE), turned)
    return svg.G(class_=["pending"], elements=[*as_laid(trial, seat, seat), edge])


def as_laid(trial: State, symbols: int, seat: int) -> list[svg.Element]:
    """The chosen card of a seat with its dice and tokens, after carrying the choice out in `trial`."""
    me = trial.seat[seat]
    slot, turned, cell = placement(me.choice)
    row, column = divmod(cell, box.SIDE)
    face = card_at(me.hand[slot], turned, symbols, cell)
    carry_out(trial, me)
    return [face, *pieces_on(trial, me, row, column, turned)]


def card_at(number: int, turned: int, symbols: int, cell: int) -> svg.G:
    """A card as it would lie."""
    row, column = divmod(cell, box.SIDE)
    return svg.G(class_=["card"], style=moved(edge(column), edge(row)), elements=[card(number, turned, f"o{symbols}")])


def contested_fruit(s: State) -> int:
    """The fruit whose last die is to be given."""
    row, column = divmod(contested_trees(s)[0], box.SIDE)
    return visible(s.seat[s.turn], row, column)


def pieces_on(s: State, me: State, row: int, column: int, turned: int) -> Iterator[svg.Element]:
    """The dice and tokens on the card that lies here."""
    for k in range(box.TREES):
        line, place = row + box.DOWN[turned, k], column + box.RIGHT[turned, k]
        if bears(me, ROTTEN, line, place):
            yield token(line * box.SIDE + place)
    for die in range(box.DICE):
        if me.die_cell[die] != NONE:
            line, place = divmod(me.die_cell[die], box.SIDE)
            if 0 <= line - row < box.HEIGHT[turned] and 0 <= place - column < box.WIDTH[turned]:
                yield loose_die(die // box.DICE_EACH, value_of(s, me, die), me.die_cell[die])


@once
def loose_die(fruit: int, value: int, cell: int) -> svg.G:
    """A die as it would come to lie."""
    row, column = divmod(cell, box.SIDE)
    face = die_face(fruit, value)
    face.style = moved(edge(column) + U / 2, edge(row) + U / 2)
    return face


@once
def outline(row: int, column: int, turned: int, points: int) -> list[svg.Element]:
    """The edge of a card that may be laid here, and a label with its points."""
    x, y = edge(column) + box.WIDTH[turned] * U / 2, edge(row) + 15
    earned = at(x, y, rect(-30, -15, 60, 28, rx=14), label(signed(points), y=5), classes=["gain"])
    return [card_edge(row, column, turned), earned]


def card_edge(row: int, column: int, turned: int) -> svg.Rect:
    """The edge of a card that lies here."""
    width, height = box.WIDTH[turned] * U, box.HEIGHT[turned] * U
    return rect(edge(column) + 1.5, edge(row) + 1.5, width - 3, height - 3, "edge", rx=9)


# --- the hand ------------------------------------------------------------------------------------------


def hand(s: State, seat: int, legal: Sequence[int]) -> svg.SVG:
    """The cards in hand, the draw pile, and the dice that are left."""
    me = s.seat[seat]
    playable = {placement(action)[0] for action in legal if action < LAST_DIE}  # slots
    elements: list[svg.Element] = [shapes("hand")]
    for slot in range(box.HAND):
        if me.hand[slot] != NO_CARD:
            chosen = me.choice != NONE and placement(me.choice)[0] == slot
            elements.append(held_card(me.hand[slot], slot, slot in playable, chosen))
    elements.append(pile((s.half + 1) * box.DEALT - s.drawn, box.HAND * SLOT + 16))
    elements.append(supply(tuple(in_supply(me, fruit) for fruit in Fruit), me.rotten, box.HAND * SLOT + 12))
    return canvas(
        "Hand and supply",
        svg.ViewBoxSpec(-4, -4, box.HAND * SLOT + 140, SLOT + 12),
        elements,
        "hand",
        clickable=bool(legal),
    )


@once
def held_card(number: int, slot: int, playable: bool, chosen: bool) -> svg.G:
    """A card in hand, upright in a square in which it can turn; pale once it has been chosen."""
    face = svg.G(class_=["card"], elements=[card(number, 0, "hand")])
    data = {"part": "card", "value": number} if playable else None
    return svg.G(
        class_=["held", "spent"] if chosen else ["held"],
        id=f"hand-{number}",
        style=moved(SLOT * slot + U / 2, 0),
        data=data,
        elements=[face],
    )


@once
def pile(left: int, x: int) -> list[svg.Element]:
    """The draw pile, with the number of cards in it."""
    cards: list[svg.Element] = [rect(x + 3 * i, 6 - 3 * i, 36, 54, "back", rx=5) for i in range(min(left, 3))]
    words = f"{left} left" if left else "no card left"
    return [*cards, label(words, x + (76 if left else 60), 36, "words")]


@once
def supply(dice: tuple[int, ...], rotten: int, x: int) -> list[svg.Element]:
    """The dice of each fruit that are left, as little squares, and the tokens."""
    found: list[svg.Element] = []
    for fruit in Fruit:
        y = 84 + 28 * fruit
        found.append(at(x + 14, y, *fruit_shape(fruit)))
        for i in range(box.DICE_EACH):
            spent = ["spent"] if i >= dice[fruit] else []
            found.append(rect(x + 32 + 18 * i, y - 7, 14, 14, "small", FRUITS[fruit], *spent, rx=4))
    places = [x + 39 + 24 * i for i in range(box.TOKENS)]
    tokens = [
        svg.Circle(class_=["rotten", *(["spent"] if i < rotten else [])], cx=place, cy=165, r=8)
        for i, place in enumerate(places)
    ]
    crosses = [
        svg.Path(class_=["cross"], d=path(SPOILT), transform=[svg.Translate(place, 165), svg.Scale(0.45, 0.45)])
        for place in places[rotten:]
    ]
    return [*found, *tokens, *crosses]
