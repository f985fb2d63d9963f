"""The pictures of orchards, and of the places for the next card."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import svg

from ....core.contract import NONE, Overlay
from ....core.english import capitalize
from ....core.memoize import memoize
from ....core.rich_text import own_points
from ....core.svg import cached_drawing, canvas, clickable, group_at, label, rect, translate_style
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..bots import unpack_count
from ..rules import ACTIONS, LAST_DIE, NOWHERE, ROTTEN, bears, carry_out, contested, list_placements, visible
from ..text.actions import effect_text, meetings, noted, notes_below
from ..text.words import FRUITS, contested_trees, decode, placement, trees_of, way_to
from .drawing import U, card, die_face, edge, rotten, shapes, written

MARGIN = 0.3  # around the frame, in trees
NEITHER = 2  # no tree gets the last die yet


class Frame(NamedTuple):
    """The rows and columns that a picture shows, with `bottom` and `right` exclusive."""

    top: int
    left: int
    bottom: int
    right: int

    def joined(self, top: int, left: int, height: int, width: int) -> "Frame":
        """Return a frame that also shows `height` rows and `width` columns from this cell on."""
        ends = max(self.bottom, top + height), max(self.right, left + width)
        return Frame(min(self.top, top), min(self.left, left), *ends)


class Pieces(NamedTuple):
    cards: tuple[tuple[int, int, int], ...]  # number, quarter turns and cell, in the order in which they were laid
    trees: tuple[tuple[int, int], ...]  # cell and visible fruit, or ROTTEN, row by row
    dice: tuple[tuple[int, int, int], ...]  # number, cell and value


class LaidCard(NamedTuple):
    """A card that would be laid, with the tokens and dice on it."""

    number: int
    turned: int
    cell: int
    tokens: tuple[int, ...]  # cells
    dice: tuple[tuple[int, int, int], ...]  # fruit, value and cell


@memoize(lambda s, me: (me.to_bytes(), s.edition))
def pieces_of(s: State, me: State) -> Pieces:
    cards = tuple((me.card[i], me.turned[i], me.cell[i]) for i in range(me.laid))
    lying = (die for die in range(box.DICE) if me.die_cell[die] != NOWHERE)
    return Pieces(
        cards, tuple(trees_of(me).items()), tuple((die, me.die_cell[die], value_of(s, me, die)) for die in lying)
    )


def orchard(seat: int, name: str, pieces: Pieces, chosen: LaidCard | None, frame: Frame) -> svg.SVG:
    elements = [*lying(seat, pieces)]
    if chosen:
        elements.append(pending(chosen, seat))
    return canvas(name, shown(frame), elements, "orchard", "plot")


def far_orchard(seat: int, pieces: Pieces) -> svg.SVG:
    return canvas(f"Orchard {seat + 1}", shown(framed(pieces.trees)), [*lying(seat, pieces)], "orchard", "far")


def lying(seat: int, pieces: Pieces) -> Iterator[svg.Element]:
    """Draw the cards of an orchard, the dice and tokens on them, and the names of its trees."""
    yield shapes(f"o{seat}")
    newest = len(pieces.cards) - 1
    for i, (number, turned, cell) in enumerate(pieces.cards):
        yield laid_card(seat, number, turned, cell, i == newest > 0)
    for cell, kind in pieces.trees:
        if kind == ROTTEN:
            yield token(cell, f"o{seat}-rotten-{cell}")
    for die, cell, value in pieces.dice:
        yield die_at(seat, die, cell, value)
    yield from names(pieces)


def names(pieces: Pieces) -> Iterator[svg.Element]:
    dice = {cell: value for _, cell, value in pieces.dice}
    for cell, kind in pieces.trees:
        shown = "rotten" if kind == ROTTEN else f"{FRUITS[kind]}, {dice[cell]}" if cell in dice else FRUITS[kind]
        yield name_rect(cell, f"{capitalize(way_to(cell))}: {shown}")


@cached_drawing
def name_rect(cell: int, words: str) -> svg.Rect:
    row, column = divmod(cell, box.SIDE)
    return svg.Rect(x=edge(column), y=edge(row), width=U, height=U, fill="none", elements=[svg.Title(text=words)])


def frame_of(s: State, me: State) -> Frame:
    return reached(me) if s.seats > 1 else framed(pieces_of(s, me).trees)


def framed(trees: tuple[tuple[int, int], ...]) -> Frame:
    rows, columns = zip(*(divmod(cell, box.SIDE) for cell, _ in trees), strict=True)
    return Frame(min(rows), min(columns), max(rows) + 1, max(columns) + 1)


@memoize(lambda me: (me.trees.to_bytes(), me.hand.to_bytes(), me.rotten, me.stuck))
def reached(me: State) -> Frame:
    """Return the frame of an orchard's trees and of all placements of its player."""
    found, places = framed(tuple(trees_of(me).items())), [0] * ACTIONS
    if me.stuck:
        return found
    for i in range(list_placements(me, places)):
        _, turned, cell = placement(places[i])
        found = found.joined(*divmod(cell, box.SIDE), int(box.HEIGHT[turned]), int(box.WIDTH[turned]))
    return found


def shown(frame: Frame) -> svg.ViewBoxSpec:
    """Return a frame with its margin, in the units of the picture."""
    x, y = edge(frame.left - MARGIN), edge(frame.top - MARGIN)
    width, height = (
        last - first + 2 * MARGIN for first, last in ((frame.left, frame.right), (frame.top, frame.bottom))
    )
    return svg.ViewBoxSpec(x, y, width * U, height * U)


@cached_drawing
def laid_card(seat: int, number: int, turned: int, cell: int, newest: bool) -> svg.G:
    row, column = divmod(cell, box.SIDE)
    return svg.G(
        id=f"o{seat}-card-{number}",
        class_=["card", *(["newest"] if newest else [])],
        style=translate_style(edge(column), edge(row)),
        elements=[card(number, turned, f"o{seat}")],
    )


@cached_drawing
def token(cell: int, name: str | None = None) -> svg.G:
    row, column = divmod(cell, box.SIDE)
    return svg.G(
        id=name, class_=["rotten"], style=translate_style(edge(column) + U / 2, edge(row) + U / 2), elements=rotten()
    )


def value_of(s: State, me: State, die: int) -> int:
    return box.LADDER[s.edition, me.die_step[die]]


@cached_drawing
def die_at(seat: int, die: int, cell: int, value: int) -> svg.G:
    row, column = divmod(cell, box.SIDE)
    group = die_face(die // box.DICE_EACH, value)
    group.id, group.style = f"o{seat}-die-{die}", translate_style(edge(column) + U / 2, edge(row) + U / 2)
    return group


# --- choices -----------------------------------------------------------------------------------------


def targets(s: State, legal: Sequence[int], gains: dict[int, int]) -> Iterator[svg.Element]:
    """Draw each placement's points in the middle of its place, or a spot on each of two contested trees."""
    most = best_by_way(gains)
    for action, points in gains.items():
        _, turned, cell = placement(action)
        row, column = divmod(cell, box.SIDE)
        x, y = edge(column) + box.WIDTH[turned] * U / 2, edge(row) + box.HEIGHT[turned] * U / 2
        yield target(x, y, action, points, points == most[action // box.CELLS])
    for action in legal:
        if action >= LAST_DIE:
            row, column = divmod(contested_trees(s)[action - LAST_DIE], box.SIDE)
            yield spot(edge(column) + U / 2, edge(row) + U / 2, action)


def over_orchard(s: State, legal: Sequence[int], gains: dict[int, int]) -> list[Overlay]:
    """Return the overlays of the orchard of the seat to move.

    With one player, the first overlay makes room for all placements.
    """
    room = [Overlay("orchard", view_box=shown(reached(s.seat[s.turn])))] if s.seats == 1 else []
    return room + [Overlay("orchard", drawing=drawing) for drawing in targets(s, legal, gains)]


def gains_of(s: State, legal: Sequence[int]) -> dict[int, int]:
    """Return the points that each legal placement earns, by action."""
    return {action: own_points(effect_text(s, action)) for action in legal if action < LAST_DIE}


def best_by_way(gains: dict[int, int]) -> dict[int, int]:
    """Return the most points of each way to lay a card, by slot and orientation: `slot * QUARTERS + turned`."""
    most: dict[int, int] = {}
    for action, points in gains.items():
        most[action // box.CELLS] = max(points, most.get(action // box.CELLS, points))
    return most


@cached_drawing
def target(x: float, y: float, action: int, points: int, best: bool) -> svg.G:
    kind = ("best" if best else "good") if points > 0 else "poor"
    return clickable(group_at(x, y, pill(points, kind), classes=["place", kind]), action)


@cached_drawing
def pill(points: int, kind: str) -> list[svg.Element]:
    half = {"best": 19, "good": 15, "poor": 11}[kind]
    ground = rect(-half - 6, -half, 2 * half + 12, 2 * half, "pill", rx=half)
    return [svg.Circle(class_=["hit"], r=U / 2 - 1), ground, label(written(points))]


@cached_drawing
def spot(x: float, y: float, action: int) -> svg.G:
    hit, dot = svg.Circle(class_=["hit"], r=U / 2 - 1), svg.Circle(class_=["pill"], r=9)
    return clickable(group_at(x, y, hit, dot, classes=["place", "good"]), action)


# --- cards that would be laid ------------------------------------------------------------------------


def preview(s: State, seat: int, action: int) -> svg.G:
    """Draw the card as the action would lay it, or the last die on its tree."""
    if action >= LAST_DIE:
        cell = contested_trees(s)[action - LAST_DIE]
        return svg.G(class_=["ghost"], elements=[loose_die(contested_fruit(s), box.LADDER[s.edition, 1], cell)])
    points = own_points(effect_text(s, action))
    number, turned, cell = decode(s, action)
    row, column = divmod(cell, box.SIDE)
    me = s.seat[s.turn]
    laid = foreseen(number, turned, cell, notes_below(me, turned, cell), noted(me)[1], s.edition)
    return svg.G(class_=["ghost"], elements=[*laid_pieces(laid, max(seat, 0)), outline(row, column, turned, points)])


def foreseen(number: int, turned: int, cell: int, under: int, stock: int, edition: int) -> LaidCard:
    """Return a card as it would lie on cells with the packed notes `under`, with `stock` in the supply.

    Carrying out a choice, as `as_laid` does, takes 30 times as long, and a page has up to 32 previews.
    """
    ladder, tokens, dice = box.LADDER[edition], [], []
    found = [*meetings(number, turned, under)]
    left = [unpack_count(stock, fruit) for fruit in range(box.FRUITS)]
    for tree in found:
        if tree.fruit != tree.below:
            tokens.append(cell + box.OFFSET[turned, tree.number])
            left[tree.below] += tree.step > 0
    for tree in found:
        if tree.fruit == tree.below and (tree.step or left[tree.fruit]):
            left[tree.fruit] -= not tree.step
            value = ladder[min(tree.step + 1, box.TOP[edition])]
            dice.append((tree.fruit, value, cell + box.OFFSET[turned, tree.number]))
    return LaidCard(number, turned, cell, tuple(tokens), tuple(dice))


def chosen_card(s: State, seat: int) -> LaidCard | None:
    """Return the card that a seat has chosen in this round, or None."""
    if s.seat[seat].choice == NONE:
        return None
    trial = s.copy()
    me = trial.seat[seat]
    fruit = contested(me)
    if fruit != NONE:
        me.last_die[fruit] = NEITHER
    return as_laid(trial, seat)


def pending(laid: LaidCard, seat: int) -> svg.G:
    edge = card_edge(*divmod(laid.cell, box.SIDE), laid.turned)
    return svg.G(class_=["pending"], elements=[*laid_pieces(laid, seat), edge])


def as_laid(trial: State, seat: int) -> LaidCard:
    """Carry out a seat's choice in `trial`, and return the card with its dice and tokens."""
    me = trial.seat[seat]
    slot, turned, cell = placement(me.choice)
    number = me.hand[slot]
    carry_out(trial, me)
    return LaidCard(number, turned, cell, *pieces_on(trial, me, *divmod(cell, box.SIDE), turned))


def laid_pieces(laid: LaidCard, symbols: int) -> list[svg.Element]:
    face = card_at(laid.number, laid.turned, symbols, laid.cell)
    return [face, *(token(cell) for cell in laid.tokens), *(loose_die(*die) for die in laid.dice)]


def card_at(number: int, turned: int, symbols: int, cell: int) -> svg.G:
    row, column = divmod(cell, box.SIDE)
    return svg.G(
        class_=["card"], style=translate_style(edge(column), edge(row)), elements=[card(number, turned, f"o{symbols}")]
    )


def contested_fruit(s: State) -> int:
    row, column = divmod(contested_trees(s)[0], box.SIDE)
    return visible(s.seat[s.turn], row, column)


def pieces_on(
    s: State, me: State, row: int, column: int, turned: int
) -> tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]:
    """Return the cells of the tokens on the card at this place, and fruit, value and cell of the dice on it."""
    tokens, dice = [], []
    for k in range(box.TREES):
        line, place = row + box.DOWN[turned, k], column + box.RIGHT[turned, k]
        if bears(me, ROTTEN, line, place):
            tokens.append(line * box.SIDE + place)
    for die in range(box.DICE):
        if me.die_cell[die] != NONE:
            line, place = divmod(me.die_cell[die], box.SIDE)
            if 0 <= line - row < box.HEIGHT[turned] and 0 <= place - column < box.WIDTH[turned]:
                dice.append((die // box.DICE_EACH, value_of(s, me, die), me.die_cell[die]))
    return tuple(tokens), tuple(dice)


@cached_drawing
def loose_die(fruit: int, value: int, cell: int) -> svg.G:
    row, column = divmod(cell, box.SIDE)
    face = die_face(fruit, value)
    face.style = translate_style(edge(column) + U / 2, edge(row) + U / 2)
    return face


@cached_drawing
def outline(row: int, column: int, turned: int, points: int) -> list[svg.Element]:
    x, y = edge(column) + box.WIDTH[turned] * U / 2, edge(row) + 15
    earned = group_at(x, y, rect(-30, -15, 60, 28, rx=14), label(written(points), y=-1), classes=["gain"])
    return [card_edge(row, column, turned), earned]


def card_edge(row: int, column: int, turned: int) -> svg.Rect:
    width, height = box.WIDTH[turned] * U, box.HEIGHT[turned] * U
    return rect(edge(column) + 1.5, edge(row) + 1.5, width - 3, height - 3, "edge", rx=9)
