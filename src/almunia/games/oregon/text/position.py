"""Positions and results of Oregon in words."""

from ....core.contract import NONE
from ....core.english import join_words, pluralize
from ....core.optional import Source
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import BUILT, EMPTY, NOWHERE, Building, Deck, Sort, Terrain
from ..rules.decks import in_deck
from ..rules.scoring import tiles_left
from .words import BUILDINGS, CARDS, GROUNDS, LETTERS, PAID, SHORT, SORTS, kinds_of, values, why


def board(s: State, seat: int) -> str:
    """Return the position as text, with the reader's own hand and tiles."""
    lines = [*grid(s), legend(), ""]
    lines += [player(s, p) for p in range(s.seats)]
    if seat != NONE:
        lines += ["", f"Your hand: {join_words(hand_of(s, seat)) or 'empty'}."]
        if sum(s.seat[seat].tiles):
            lines.append(f"Your tiles: {tiles_shown(s, seat)}.")
    stacks = ", ".join(f"{BUILDINGS[b]} {s.stock[b]}" for b in Building)
    lines += ["", f"Stacks: {stacks}; coal {tiles_left(s, Sort.COAL)}, gold {tiles_left(s, Sort.GOLD)}."]
    for deck in Deck:
        gone = [f"{CARDS[kind]} {s.discard[kind]}" for kind in kinds_of(deck) if s.discard[kind]]
        lines.append(f"{deck.name.capitalize()} deck: {in_deck(s, deck)}; discards: {', '.join(gone) or 'none'}.")
    return "\n".join(lines)


def grid(s: State) -> list[str]:
    margin = " " * (max(map(len, box.SYMBOLS)) + 4)
    wide = 3 * box.AREA_WIDTH
    lines = [margin + "".join(f"{box.SYMBOLS[symbol]:<{wide}}" for symbol in box.TOP).rstrip()]
    lines.append(margin + "".join(f"{letter:<3}" for letter in LETTERS[: box.COLUMNS]).rstrip())
    for row in range(box.ROWS):
        symbol = box.SYMBOLS[box.LEFT[row // box.AREA_HEIGHT]] if row % box.AREA_HEIGHT == 0 else ""
        cells = "".join(f"{square(s, row * box.COLUMNS + column):<3}" for column in range(box.COLUMNS))
        lines.append(f"{symbol:<{len(margin) - 4}} {row + 1:>2} {cells}".rstrip())
    return lines


def square(s: State, cell: int) -> str:
    piece = s.space[cell]
    if piece == EMPTY:
        return GROUNDS[box.TERRAIN[cell]]
    return SHORT[piece - BUILT] if piece >= BUILT else f"F{piece + 1}"


def legend() -> str:
    grounds = ", ".join(f"{GROUNDS[ground]} {ground.name.lower()}" for ground in Terrain)
    return f"{grounds}; F1 a farmer of seat 1; {', '.join(f'{SHORT[b]} {BUILDINGS[b]}' for b in Building)}."


def player(s: State, p: int) -> str:
    facts_on = ", ".join(f"{label.lower()} {value}" for label, value in seat_facts(s, p))
    return f"Seat {p + 1}: {pluralize(s.seat[p].score, 'point')}, {facts_on}."


def seat_facts(s: State, seat: int) -> list[tuple[str, str]]:
    """Return the public facts of a seat, with its cards and tokens until the play is over."""
    me = s.seat[seat]
    found = [("Farmers", str(me.farmers))]
    if not s.over:
        found += [(f"{deck.name.capitalize()} cards", str(me.cards[deck])) for deck in Deck]
        found += [("Joker", "ready" if me.joker else "used"), ("Extra turn", "ready" if me.extra else "used")]
    return found + [(sort.name.capitalize(), str(me.tiles[sort])) for sort in Sort]


def hand_of(s: State, seat: int) -> list[str]:
    return [CARDS[kind] for kind in range(box.KINDS) for _ in range(s.seat[seat].hand[kind])]


def tiles_shown(s: State, seat: int) -> str:
    """Return the values of a seat's tiles, such as `coal 1 + 3, gold 5`."""
    shown = {sort: values(s, seat, sort) for sort in Sort}
    return ", ".join(f"{SORTS[sort]} {' + '.join(map(str, found))}" for sort, found in shown.items() if found)


def score_breakdown(s: State) -> list[Source]:
    """Return the points by source, as far as the board shows them, with coal and gold at the end.

    A farmer earns fixed points once from each adjacent building. A church pays by the number of farmers at that time,
    so churches and groups share one source.
    """
    beside = {kind: tuple(worth_beside(s, p, kind) for p in range(s.seats)) for kind in Building if box.POINTS[kind]}
    tiles = {sort: tuple(sum(values(s, p, sort)) if s.over else 0 for p in range(s.seats)) for sort in Sort}
    told = [*beside.values(), *tiles.values()]
    rest = tuple(int(s.seat[p].score) - sum(points[p] for points in told) for p in range(s.seats))
    found = [Source(f"{box.NAMES[kind]}s", points, PAID[kind]) for kind, points in beside.items()]
    found.append(Source("Churches and groups", rest, PAID[Building.CHURCH]))
    return found + [Source(sort.name.capitalize(), points, "13.4") for sort, points in tiles.items()]


def worth_beside(s: State, seat: int, kind: Building) -> int:
    stands = [cell for cell in range(box.CELLS) if s.space[cell] == BUILT + kind]
    near = [s.space[spot] for cell in stands for spot in box.TOUCHING[cell] if spot != NOWHERE]
    return int(box.POINTS[kind]) * near.count(seat)


def end_reason(s: State) -> str:
    return f"{why(s)} The round is finished."


def result_lines(s: State, seat: int) -> list[str]:
    me = s.seat[seat]
    return [f"{pluralize(me.score, 'point')}, with {pluralize(box.FARMERS - me.farmers, 'farmer')} on the board."]
