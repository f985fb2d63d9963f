"""Positions and results of Alhambra in words."""

from ....core.english import capitalize, join_words, pluralize
from ....core.optional import Source
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import Kind
from ..rules.state import EMPTY, TURN_LIMIT, EndReason, offset
from .words import (
    LETTERS,
    PLURALS,
    ROUNDS,
    card_name,
    cards_of,
    is_held,
    is_known,
    lying,
    members,
    next_round,
    on_display,
    rivalry,
    scoring_rule,
    spot,
    tile_name,
    tiles_waiting,
    worth_now,
)


def board(s: State, seat: int) -> str:
    """Return the position as text, with the reader's own Alhambra before the others."""
    order = [seat, *(p for p in range(s.seats) if p != seat)] if seat >= 0 else range(s.seats)
    rooms = [alhambra(s, p, seat) for p in order]
    return "\n\n".join([market(s), *rooms, *dirk(s), majorities(s)])


def market(s: State) -> str:
    lines = ["Market"]
    for square, tile in enumerate(s.market):
        lines.append(f"  {box.CURRENCY_NAMES[square]}: {tile_name(tile) if tile != EMPTY else 'empty'}")
    money = ", ".join(map(card_name, on_display(s))) or "none"
    left = f"{pluralize(s.deck_size, 'card')} in the deck, {pluralize(sum(s.discard), 'card')} discarded"
    return "\n".join([*lines, f"Open money: {money}", f"Left: {left}, {pluralize(s.bag_size, 'tile')} in the bag"])


def alhambra(s: State, seat: int, reader: int) -> str:
    """Return a seat's Alhambra and possessions as text.

    Of money that the reader does not know, the text has only the number of cards.
    """
    me = s.seat[seat]
    money = ", ".join(map(card_name, cards_of(me))) if is_known(s, seat, reader) else ""
    buildings, wall = worth_now(s, seat)
    more = "" if s.over else f", {buildings + wall} more if scored now"
    lines = [
        f"Alhambra {seat + 1}: {pluralize(points(s, seat), 'point')}{more}",
        *grid(s, me),
        f"Longest wall: {wall}",
        f"Reserve: {', '.join(map(tile_name, members(me.reserve))) or 'none'}",
        f"Money: {pluralize(me.cards, 'card')}{': ' + money if money else ''}",
    ]
    waiting = tiles_waiting(s, seat)
    return "\n".join([*lines, *([f"To place: {', '.join(map(tile_name, waiting))}"] if waiting else [])])


def grid(s: State, me: State) -> list[str]:
    cells = {(offset(cell // box.SIDE), offset(cell % box.SIDE)): tile for cell, tile in lying(s, me)}
    rows = range(min(row for row, _ in cells), max(row for row, _ in cells) + 1)
    columns = range(min(column for _, column in cells), max(column for _, column in cells) + 1)
    heads = "".join(f"{spot(column % box.SIDE) if column else '0':^6}" for column in columns)
    lines = ["     " + heads.rstrip()]
    for row in rows:
        lines.append("     " + "".join(line_across(cells, row, column) for column in columns).rstrip())
        name = spot(row % box.SIDE * box.SIDE) if row else "0"
        lines.append(f"{name:>4} " + "".join(line_within(cells, row, column) for column in columns).rstrip())
    last = rows[-1]
    return [*lines, "     " + "".join(line_across(cells, last + 1, column) for column in columns).rstrip()]


def line_across(cells: dict[tuple[int, int], int], row: int, column: int) -> str:
    """Return the edge between a cell and its northern neighbour as text, or spaces if both are empty."""
    above, below = cells.get((row - 1, column)), cells.get((row, column))
    walled = (above is not None and box.WALL[above, 2]) or (below is not None and box.WALL[below, 0])
    return "+----+" if walled else "+    +" if above is not None or below is not None else "      "


def line_within(cells: dict[tuple[int, int], int], row: int, column: int) -> str:
    """Return the tile of a cell with its west and east walls as text, or spaces for an empty cell."""
    tile = cells.get((row, column))
    if tile is None:
        return "      "
    name = "FF" if tile == box.FOUNTAIN else f"{LETTERS[box.KIND[tile]]}{box.PRICE[tile]}"
    west, east = ("|" if box.WALL[tile, side] else " " for side in (3, 1))
    return f"{west}{name:^4}{east}"


def dirk(s: State) -> list[str]:
    if s.seats != 2:
        return []
    return [
        f"Dirk: {pluralize(sum(s.dirk_earned), 'point')}\n  {', '.join(map(tile_name, members(s.dirk))) or 'no tiles'}"
    ]


def majorities(s: State) -> str:
    held = next_round(s)
    columns = [f"{p + 1}" for p in range(s.seats)] + ["Dirk"] * (s.seats == 2)
    lines = [f"Buildings, with points {'in' if s.over else 'as in'} the {ROUNDS[held - 1]} round"]
    lines.append(f"{'':10}" + "".join(f"{name:>8}" for name in columns))
    for kind in Kind:
        cells = [f"{number}{f' +{gain}' if gain else ''}" for number, gain in rivalry(s)[kind]]
        lines.append(f"{PLURALS[kind]:10}" + "".join(f"{cell:>8}" for cell in cells))
    return "\n".join(lines)


def points(s: State, seat: int) -> int:
    return sum(s.seat[seat].earned[held, i] for held in range(box.ROUNDS) for i in range(2))


def seat_facts(s: State, seat: int) -> list[tuple[str, str]]:
    """Return a seat's wall and number of cards, and before the end the points of a round held now."""
    buildings, wall = worth_now(s, seat)
    found = [("Wall", str(wall)), ("Cards", str(s.seat[seat].cards))]
    return found if s.over else [*found, ("Scored now", f"+{buildings + wall}")]


def score_breakdown(s: State) -> list[Source]:
    """Return the points of every scoring round held so far, for buildings and for walls [10]."""
    return [
        Source(
            f"{capitalize(ROUNDS[held - 1])} scoring: {name}",
            tuple(int(s.seat[p].earned[held - 1, i]) for p in range(s.seats)),
            rule,
        )
        for held in range(1, box.ROUNDS + 1)
        if is_held(s, held)
        for i, (name, rule) in enumerate((("buildings", scoring_rule(held)), ("wall", "10.6")))
    ]


def end_reason(s: State) -> str:
    if s.over == EndReason.TURN_LIMIT:
        return f"The turn limit of {TURN_LIMIT} turns each was reached."
    return "The market couldn't be filled any more."


def result_lines(s: State, seat: int) -> list[str]:
    """Return sentences on a seat's result, on skipped scoring rounds, and on Dirk."""
    built = pluralize(len(list(members(s.seat[seat].built))), "building")
    length = worth_now(s, seat)[1]
    wall = f"a wall of {length}" if length else "no wall"
    found = [f"{pluralize(points(s, seat), 'point')}, with {built} and {wall}."]
    skipped = [ROUNDS[held - 1] for held in range(1, box.ROUNDS) if not is_held(s, held)]
    if skipped:
        found.append(f"The {join_words(skipped)} scoring round didn't take place.")
    if s.seats == 2:
        found.append(f"Dirk has {pluralize(sum(s.dirk_earned), 'point')} but can't win.")
    return found
