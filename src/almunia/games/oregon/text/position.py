"""A position of Oregon in words, and how it ended."""

from ....core.contract import NONE
from ....core.plain import CheckedRecord as State
from ....core.words import count_of, listed
from .. import components as box
from ..components import BUILT, EMPTY, Building, Deck, Sort, Terrain
from ..rules.decks import in_deck
from ..rules.scoring import tiles_left
from .words import BUILDINGS, CARDS, GROUNDS, LETTERS, SHORT, SORTS, kinds_of, values, why


def board(s: State, seat: int) -> str:
    """The board as a grid, a line for each player, the reader's own hand, and what is left."""
    lines = [*grid(s), legend(), ""]
    lines += [player(s, p) for p in range(s.seats)]
    if seat != NONE:
        lines += ["", f"Your hand: {listed(hand_of(s, seat)) or 'empty'}."]
        if sum(s.seat[seat].tiles):
            lines.append(f"Your tiles: {tiles_shown(s, seat)}.")
    stacks = ", ".join(f"{BUILDINGS[b]} {s.stock[b]}" for b in Building)
    lines += ["", f"Stacks: {stacks}; coal {tiles_left(s, Sort.COAL)}, gold {tiles_left(s, Sort.GOLD)}."]
    for deck in Deck:
        gone = [f"{CARDS[kind]} {s.discard[kind]}" for kind in kinds_of(deck) if s.discard[kind]]
        lines.append(f"{deck.name.capitalize()} deck: {in_deck(s, deck)}; discards: {', '.join(gone) or 'none'}.")
    return "\n".join(lines)


def grid(s: State) -> list[str]:
    """The spaces, with the symbols and names of rows and columns along the edges."""
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
    """One space of the grid: its terrain, a farmer's seat, or a building."""
    piece = s.space[cell]
    if piece == EMPTY:
        return GROUNDS[box.TERRAIN[cell]]
    return SHORT[piece - BUILT] if piece >= BUILT else f"F{piece + 1}"


def legend() -> str:
    """What the signs of the grid mean."""
    grounds = ", ".join(f"{GROUNDS[ground]} {ground.name.lower()}" for ground in Terrain)
    return f"{grounds}; F1 a farmer of seat 1; {', '.join(f'{SHORT[b]} {BUILDINGS[b]}' for b in Building)}."


def player(s: State, p: int) -> str:
    """What everybody knows of a player."""
    facts_on = ", ".join(f"{label.lower()} {value}" for label, value in facts(s, p))
    return f"Seat {p + 1}: {count_of(s.seat[p].score, 'point')}, {facts_on}."


def facts(s: State, seat: int) -> list[tuple[str, str]]:
    """Farmers at hand, landscape and building cards in hand, which tokens are active, coal and gold."""
    me = s.seat[seat]
    found = [("Farmers", str(me.farmers))]
    if not s.over:
        found += [
            ("Hand", listed(count_of(me.cards[deck], deck.name.lower()) for deck in Deck if me.cards[deck]) or "none"),
            ("Joker", "ready" if me.joker else "used"),
            ("Extra turn", "ready" if me.extra else "used"),
        ]
    for sort in Sort:
        if me.tiles[sort]:
            value = f" (worth {sum(values(s, seat, sort))})" if s.over else ""
            found.append((sort.name.capitalize(), f"{me.tiles[sort]}{value}"))
    return found


def hand_of(s: State, seat: int) -> list[str]:
    """The cards of a hand by name, one by one."""
    return [CARDS[kind] for kind in range(box.KINDS) for _ in range(s.seat[seat].hand[kind])]


def tiles_shown(s: State, seat: int) -> str:
    """`coal 1 + 3, gold 5`."""
    shown = {sort: values(s, seat, sort) for sort in Sort}
    return ", ".join(f"{SORTS[sort]} {' + '.join(map(str, found))}" for sort, found in shown.items() if found)


def ending(s: State) -> str:
    """Why the play is over."""
    return f"{why(s)} The round has been played out."


def verdict(s: State, seat: int) -> list[str]:
    """The score, and what of it lay face down."""
    me = s.seat[seat]
    hidden = sum(sum(values(s, seat, sort)) for sort in Sort)
    shown = f", and {tiles_shown(s, seat)}" if hidden else ""
    return [
        f"{count_of(me.score, 'point')}: {me.score - hidden} on the track{shown}.",
        f"{count_of(box.FARMERS - me.farmers, 'farmer')} on the board.",
    ]
