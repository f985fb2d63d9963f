"""An orchard seen from above, with the places for the next card and their points."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import svg

from ....core.contract import NONE
from ....core.english import capitalize
from ....core.memoize import memoize
from ....core.rich_text import own_points
from ....core.svg import cached_drawing, canvas, clickable, group_at, label, rect, translate_style
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules import ACTIONS, LAST_DIE, NOWHERE, ROTTEN, bears, carry_out, contested, list_placements, visible
from ..text.actions import effect_text
from ..text.words import FRUITS, contested_trees, decode, placement, trees_of, way_to
from .drawing import U, card, die_face, edge, rotten, shapes, written

MARGIN = 0.3  # around the frame, in trees
NEITHER = 2  # no tree gets the last die yet


class Frame(NamedTuple):
    """The rows and columns that a picture shows, from `top` and `left` on. `bottom` and `right` are not shown."""

    top: int
    left: int
    bottom: int
    right: int

    def joined(self, top: int, left: int, height: int, width: int) -> "Frame":
        """Return a frame that also shows `height` rows and `width` columns from this cell on."""
        ends = max(self.bottom, top + height), max(self.right, left + width)
        return Frame(min(self.top, top), min(self.left, left), *ends)


def orchard(s: State, seat: int, legal: Sequence[int], gains: dict[int, int]) -> svg.SVG:
    """Draw the reader's own orchard: its pieces, the choice, and the places for the next card."""
    elements = [*lying(s, seat)]
    if s.seat[seat].choice != NONE:
        elements.append(pending(s, seat))
    elements += targets(s, legal, gains)
    several = s.seats > 1  # keeps the frame while others choose
    name = f"Orchard {seat + 1}" if several else "The orchard"
    frame = reached(s.seat[seat]) if legal or several else framed(s.seat[seat])
    return canvas(name, shown(frame), elements, "orchard", "plot", clickable=bool(legal))


def far_orchard(s: State, seat: int) -> svg.SVG:
    """Draw the orchard of another player, small, with large dice."""
    frame = framed(s.seat[seat])
    return canvas(f"Orchard {seat + 1}", shown(frame), [*lying(s, seat)], "orchard", "far")


def lying(s: State, seat: int) -> Iterator[svg.Element]:
    """Draw the cards of an orchard, the dice and tokens on them, and the names of its trees."""
    me = s.seat[seat]
    yield shapes(f"o{seat}")
    newest = me.laid - 1
    for i in range(me.laid):
        yield laid_card(seat, me.card[i], me.turned[i], me.cell[i], i == newest > 0)
    for cell, kind in trees_of(me).items():
        if kind == ROTTEN:
            yield token(cell, f"o{seat}-rotten-{cell}")
    for die in range(box.DICE):
        if me.die_cell[die] != NOWHERE:
            yield die_at(seat, die, me.die_cell[die], value_of(s, me, die))
    yield from names(s, me)


def names(s: State, me: State) -> Iterator[svg.Element]:
    """Draw each tree's name for screen readers."""
    dice = {me.die_cell[die]: value_of(s, me, die) for die in range(box.DICE) if me.die_cell[die] != NOWHERE}
    for cell, kind in trees_of(me).items():
        shown = "rotten" if kind == ROTTEN else f"{FRUITS[kind]}, {dice[cell]}" if cell in dice else FRUITS[kind]
        yield name_rect(cell, f"{capitalize(way_to(cell))}: {shown}")


@cached_drawing
def name_rect(cell: int, words: str) -> svg.Rect:
    """Draw an invisible rectangle that names a tree and lets the pointer through."""
    row, column = divmod(cell, box.SIDE)
    return svg.Rect(x=edge(column), y=edge(row), width=U, height=U, fill="none", elements=[svg.Title(text=words)])


def framed(me: State) -> Frame:
    """Return the frame of an orchard's trees."""
    rows, columns = zip(*(divmod(cell, box.SIDE) for cell in trees_of(me)), strict=True)
    return Frame(min(rows), min(columns), max(rows) + 1, max(columns) + 1)


@memoize(lambda me: me.to_bytes())
def reached(me: State) -> Frame:
    """Return the frame of an orchard's trees and of all placements, which stays the same until a card is laid."""
    found, places = framed(me), [0] * ACTIONS
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
    """Draw a laid card, with an id for log lines."""
    row, column = divmod(cell, box.SIDE)
    return svg.G(
        id=f"o{seat}-card-{number}",
        class_=["card", *(["newest"] if newest else [])],
        style=translate_style(edge(column), edge(row)),
        elements=[card(number, turned, f"o{seat}")],
    )


@cached_drawing
def token(cell: int, name: str | None = None) -> svg.G:
    """Draw a rotten-fruit token on a tree; `name` is the id of the token, if it has one."""
    row, column = divmod(cell, box.SIDE)
    return svg.G(
        id=name, class_=["rotten"], style=translate_style(edge(column) + U / 2, edge(row) + U / 2), elements=rotten()
    )


def value_of(s: State, me: State, die: int) -> int:
    """Return the points that a die shows in the edition of the play."""
    return box.LADDER[s.edition, me.die_step[die]]


@cached_drawing
def die_at(seat: int, die: int, cell: int, value: int) -> svg.G:
    """Draw a die on its tree, with the id of the die."""
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


def gains_of(s: State, legal: Sequence[int]) -> dict[int, int]:
    """Return the points that each placement among the legal actions earns, by action."""
    return {action: own_points(effect_text(s, action)) for action in legal if action < LAST_DIE}


def best_by_way(gains: dict[int, int]) -> dict[int, int]:
    """Return the most points that each card of the hand can earn in each orientation, by slot and orientation."""
    most: dict[int, int] = {}
    for action, points in gains.items():
        most[action // box.CELLS] = max(points, most.get(action // box.CELLS, points))
    return most


@cached_drawing
def target(x: float, y: float, action: int, points: int, best: bool) -> svg.G:
    """Draw a place with its points, largest if `best`, and hollow without a gain. A click applies the action."""
    kind = ("best" if best else "good") if points > 0 else "poor"
    half = {"best": 19, "good": 15, "poor": 11}[kind]
    pill = rect(-half - 6, -half, 2 * half + 12, 2 * half, "pill", rx=half)
    group = group_at(
        x, y, svg.Circle(class_=["hit"], r=U / 2 - 1), pill, label(written(points)), classes=["place", kind]
    )
    return clickable(group, action)


@cached_drawing
def spot(x: float, y: float, action: int) -> svg.G:
    """Draw a dot on a tree that may get the last die. A click applies the action."""
    hit, dot = svg.Circle(class_=["hit"], r=U / 2 - 1), svg.Circle(class_=["pill"], r=9)
    return clickable(group_at(x, y, hit, dot, classes=["place", "good"]), action)


def preview(s: State, seat: int, action: int) -> svg.G:
    """Draw the card in its place, with its dice, tokens and points; or the last die on its tree."""
    if action >= LAST_DIE:
        cell = contested_trees(s)[action - LAST_DIE]
        return svg.G(class_=["ghost"], elements=[loose_die(contested_fruit(s), box.LADDER[s.edition, 1], cell)])
    trial = s.copy()
    trial.seat[s.turn].choice = action
    points = own_points(effect_text(s, action))
    _, turned, cell = decode(s, action)
    row, column = divmod(cell, box.SIDE)
    return svg.G(
        class_=["ghost"], elements=[*as_laid(trial, max(seat, 0), s.turn), outline(row, column, turned, points)]
    )


def pending(s: State, seat: int) -> svg.G:
    """Draw the card that a seat has chosen in its place, before all have chosen or the last die is given."""
    trial = s.copy()
    me = trial.seat[seat]
    fruit = contested(me)
    if fruit != NONE:
        me.last_die[fruit] = NEITHER
    _, turned, cell = placement(me.choice)
    edge = card_edge(*divmod(cell, box.SIDE), turned)
    return svg.G(class_=["pending"], elements=[*as_laid(trial, seat, seat), edge])


def as_laid(trial: State, symbols: int, seat: int) -> list[svg.Element]:
    """Draw the chosen card of a seat with its dice and tokens, after carrying the choice out in `trial`.

    `symbols` is the seat whose picture has the tree shapes.
    """
    me = trial.seat[seat]
    slot, turned, cell = placement(me.choice)
    row, column = divmod(cell, box.SIDE)
    face = card_at(me.hand[slot], turned, symbols, cell)
    carry_out(trial, me)
    return [face, *pieces_on(trial, me, row, column, turned)]


def card_at(number: int, turned: int, symbols: int, cell: int) -> svg.G:
    """Draw a card in its place, without an id, by the tree shapes in the picture of seat `symbols`."""
    row, column = divmod(cell, box.SIDE)
    return svg.G(
        class_=["card"], style=translate_style(edge(column), edge(row)), elements=[card(number, turned, f"o{symbols}")]
    )


def contested_fruit(s: State) -> int:
    """Return the fruit of which two trees could get the last die."""
    row, column = divmod(contested_trees(s)[0], box.SIDE)
    return visible(s.seat[s.turn], row, column)


def pieces_on(s: State, me: State, row: int, column: int, turned: int) -> Iterator[svg.Element]:
    """Draw the dice and tokens on the card at this place, without ids."""
    for k in range(box.TREES):
        line, place = row + box.DOWN[turned, k], column + box.RIGHT[turned, k]
        if bears(me, ROTTEN, line, place):
            yield token(line * box.SIDE + place)
    for die in range(box.DICE):
        if me.die_cell[die] != NONE:
            line, place = divmod(me.die_cell[die], box.SIDE)
            if 0 <= line - row < box.HEIGHT[turned] and 0 <= place - column < box.WIDTH[turned]:
                yield loose_die(die // box.DICE_EACH, value_of(s, me, die), me.die_cell[die])


@cached_drawing
def loose_die(fruit: int, value: int, cell: int) -> svg.G:
    """Draw a die on its tree, without an id."""
    row, column = divmod(cell, box.SIDE)
    face = die_face(fruit, value)
    face.style = translate_style(edge(column) + U / 2, edge(row) + U / 2)
    return face


@cached_drawing
def outline(row: int, column: int, turned: int, points: int) -> list[svg.Element]:
    """Draw the edge of a card that may be laid here, and a label with its points."""
    x, y = edge(column) + box.WIDTH[turned] * U / 2, edge(row) + 15
    earned = group_at(x, y, rect(-30, -15, 60, 28, rx=14), label(written(points), y=-1), classes=["gain"])
    return [card_edge(row, column, turned), earned]


def card_edge(row: int, column: int, turned: int) -> svg.Rect:
    """Draw the edge of a card at this place."""
    width, height = box.WIDTH[turned] * U, box.HEIGHT[turned] * U
    return rect(edge(column) + 1.5, edge(row) + 1.5, width - 3, height - 3, "edge", rx=9)
