"""The scenario commands of Oregon: changes of a position, questions, and invariants."""

from typing import Any

from ....core.contract import NONE
from .. import components as box
from ..components import BUILT, EMPTY, Deck, Sort, Terrain
from ..rules.decks import deck_of, in_deck
from ..rules.state import Phase
from ..text.words import BUILDINGS, CARDS, LETTERS, SORTS, kinds_of, spot, values

NAMES = {name.replace(" ", "-"): kind for kind, name in enumerate(CARDS)}


def cell_of(words: str) -> int:
    """Return the space with a name such as `g5`."""
    return (int(words[1:]) - 1) * box.COLUMNS + LETTERS.index(words[0])


def put(s: Any, words: str) -> None:
    """Change a position by a command of `PUTS`, such as `turn 0`. Raise ValueError for another command."""
    what, _, rest = words.partition(" ")
    if what not in PUTS:
        raise ValueError(f"{what!r} is nothing that can be put; there are {', '.join(PUTS)}.")
    PUTS[what](s, rest)


def put_turn(s: Any, rest: str) -> None:
    """Make a seat the starting player, and begin its turn after the first round: `turn 0`."""
    s.turn = s.first = int(rest)
    s.phase, s.again = Phase.FIRST, 0


def put_starting(s: Any, rest: str) -> None:
    """Make a seat the starting player and the seat to move: `starting 0`."""
    s.turn = s.first = int(rest)


def put_hand(s: Any, rest: str) -> None:
    """Replace the hand of a seat: `hand 0: wagon bison gold-mine eagle`."""
    seat, _, names = rest.partition(":")
    me = s.seat[int(seat)]
    for kind in range(box.KINDS):
        me.hand[kind] = me.drawn[kind] = 0
    me.cards[0] = me.cards[1] = 0
    for name in names.split():
        kind = NAMES[name]
        me.hand[kind] += 1
        me.drawn[kind] += 1
        me.cards[deck_of(kind)] += 1


def put_piece(s: Any, rest: str, piece: int) -> None:
    s.space[cell_of(rest)] = piece


def put_farmer(s: Any, rest: str) -> None:
    """Place a farmer of a seat: `farmer 1 at g5`."""
    seat, _, place = rest.partition(" at ")
    s.seat[int(seat)].farmers -= 1
    put_piece(s, place, int(seat))


def put_building(s: Any, rest: str) -> None:
    """Place a building from its stack: `building gold-mine at g5`."""
    name, _, place = rest.partition(" at ")
    s.stock[NAMES[name] - box.LANDS] -= 1
    put_piece(s, place, BUILT + NAMES[name] - box.LANDS)


def put_full(s: Any, rest: str) -> None:
    """Put farmers of a seat on all empty spaces that two symbols open: `full eagle bison 1`."""
    one, other, seat = rest.split()
    row = box.ROW[NAMES[one], NAMES[other]]
    for i in range(box.LENGTH[row]):
        if s.space[box.OPENED[row, i]] == EMPTY:
            put_piece(s, spot(box.OPENED[row, i]), int(seat))


def put_discards(s: Any, rest: str) -> None:
    """Replace the discards of a deck: `discards building: church church`."""
    deck, _, names = rest.partition(":")
    for kind in kinds_of(Deck[deck.upper()]):
        s.discard[kind] = names.split().count(next(name for name, number in NAMES.items() if number == kind))


def put_start(s: Any, rest: str) -> None:
    """Set the start tile of a seat: `start 0 harbor`."""
    seat, name = rest.split()
    s.seat[int(seat)].start = NAMES[name] - box.LANDS


def put_stock(s: Any, rest: str) -> None:
    """Set the tiles left in a stack: `stock church 1`."""
    name, left = rest.split()
    s.stock[NAMES[name] - box.LANDS] = int(left)


def put_tile(s: Any, rest: str) -> None:
    """Give a seat a tile of this value: `tile 0 coal 3`."""
    seat, sort, worth = rest.split()
    me, number = s.seat[int(seat)], SORTS.index(sort)
    me.tiles[number] += 1
    me.faces[number, list(box.WORTH[number]).index(int(worth))] += 1


PUTS = {
    "turn": put_turn,
    "starting": put_starting,
    "hand": put_hand,
    "farmer": put_farmer,
    "building": put_building,
    "full": put_full,
    "discards": put_discards,
    "start": put_start,
    "stock": put_stock,
    "tile": put_tile,
}


def look(s: Any, question: str) -> str:
    """Return the answer to a question, such as `space g5` or `phase`."""
    what, _, rest = question.partition(" ")
    return LOOKS[what](s, rest)


def look_space(s: Any, rest: str) -> str:
    """Return the piece on a space, such as `church`, `farmer 1` or `empty`."""
    piece = s.space[cell_of(rest)]
    if piece == EMPTY:
        return "empty"
    return BUILDINGS[piece - BUILT] if piece >= BUILT else f"farmer {piece}"


def look_hand(s: Any, rest: str) -> str:
    hand = s.seat[int(rest)].hand
    return ", ".join(CARDS[kind] for kind in range(box.KINDS) for _ in range(hand[kind])) or "none"


def look_tiles(s: Any, rest: str) -> str:
    return " ".join(str(number) for number in s.seat[int(rest)].tiles)


def look_worth(s: Any, rest: str) -> str:
    return "; ".join(f"{SORTS[sort]} {' '.join(map(str, values(s, int(rest), sort))) or 'none'}" for sort in Sort)


def look_discards(s: Any, rest: str) -> str:
    return str(sum(s.discard[kind] for kind in kinds_of(Deck[rest.upper()])))


LOOKS = {
    "space": look_space,
    "hand": look_hand,
    "tiles": look_tiles,
    "worth": look_worth,
    "discards": look_discards,
    "cards": lambda s, rest: " ".join(str(number) for number in s.seat[int(rest)].cards),
    "deck": lambda s, rest: str(in_deck(s, Deck[rest.upper()])),
    "stock": lambda s, rest: str(s.stock[NAMES[rest] - box.LANDS]),
    "start": lambda s, rest: BUILDINGS[s.seat[int(rest)].start],
    "phase": lambda s, _: Phase(s.phase).name.lower(),
    "chosen": lambda s, _: " ".join(CARDS[kind] for kind in s.chosen if kind != NONE) or "none",
    "final": lambda s, _: "yes" if s.final else "no",
}


# --- invariants ------------------------------------------------------------------------------------


def broken(s: Any) -> str:
    """Return a sentence on the first broken invariant, or an empty string."""
    for law in (broken_cards, broken_memory, broken_tiles, broken_farmers, broken_buildings, broken_turn):
        fault = law(s)
        if fault:
            return fault
    return ""


def broken_cards(s: Any) -> str:
    for kind in range(box.KINDS):
        held = sum(s.seat[p].hand[kind] for p in range(s.seats))
        if not 0 <= held + s.discard[kind] <= box.CARDS[kind]:
            return f"{held} {CARDS[kind]} cards are in hands and {s.discard[kind]} discarded"
    for p in range(s.seats):
        for deck in Deck:
            count = sum(s.seat[p].hand[kind] for kind in kinds_of(deck))
            if count != s.seat[p].cards[deck]:
                return f"seat {p} is said to hold {s.seat[p].cards[deck]} {deck.name} cards, and holds {count}"
    return ""


def broken_memory(s: Any) -> str:
    for kind in range(box.KINDS):
        inside = box.CARDS[kind] - s.discard[kind] - sum(s.seat[p].hand[kind] for p in range(s.seats))
        for p in range(s.seats):
            if s.seat[p].drawn[kind] < 0 or inside > s.shuffled[kind] - s.seat[p].drawn[kind]:
                return f"seat {p} remembers {s.seat[p].drawn[kind]} {CARDS[kind]} cards, but {inside} are in the deck"
    return ""


def broken_tiles(s: Any) -> str:
    for sort in Sort:
        for face in range(box.FACES):
            if sum(s.seat[p].faces[sort, face] for p in range(s.seats)) > box.COUNT[sort, face]:
                return f"there are too many {SORTS[sort]} tiles of value {box.WORTH[sort, face]}"
        for p in range(s.seats):
            if sum(s.seat[p].faces[sort, face] for face in range(box.FACES)) != s.seat[p].tiles[sort]:
                return f"seat {p} has another number of {SORTS[sort]} tiles than is said"
    return ""


def broken_farmers(s: Any) -> str:
    standing = list(s.space)
    for p in range(s.seats):
        if standing.count(p) + s.seat[p].farmers != box.FARMERS:
            return f"seat {p} has {s.seat[p].farmers} farmers at hand and {standing.count(p)} on the board"
    wet = [cell for cell in range(box.CELLS) if box.TERRAIN[cell] == Terrain.WATER and standing[cell] != EMPTY]
    return f"something stands in the water at {spot(wet[0])}" if wet else ""


def broken_buildings(s: Any) -> str:
    begun = [s.seat[(s.first + i) % s.seats].start for i in range(min(s.turns, s.seats))]
    for building in range(box.BUILDINGS):
        cells = [cell for cell in range(box.CELLS) if s.space[cell] == BUILT + building]
        if len(cells) + s.stock[building] != box.STOCK[building] + begun.count(building):
            return f"{len(cells)} of {BUILDINGS[building]} stand on the board, and {s.stock[building]} are left"
        row = box.ROW[box.LANDS + building, box.JOKER]
        sites = {box.OPENED[row, i] for i in range(box.LENGTH[row])}
        if not sites.issuperset(cells):
            return f"a {BUILDINGS[building]} stands where it must not"
    return ""


def broken_turn(s: Any) -> str:
    chosen = sum(kind != NONE for kind in s.chosen)
    if chosen > {Phase.SECOND: 1, Phase.SPACE: 2}.get(s.phase, 0):
        return f"{chosen} cards are chosen in phase {s.phase}"
    if s.phase in (Phase.START, Phase.FIRST) and not s.again and not s.over and sum(s.seat[s.turn].cards) != box.HAND:
        return f"seat {s.turn} begins its turn with {sum(s.seat[s.turn].cards)} cards"
    return ""
