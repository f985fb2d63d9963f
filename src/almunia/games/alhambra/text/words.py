"""Names and helpers of Alhambra's text and pictures."""

from collections.abc import Iterator

from ....core.contract import ElementRef
from ....core.english import join_words, pluralize
from ....core.memoize import memoize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import Kind
from ..rules.scoring import competitors, count, longest_wall, points_for_kind
from ..rules.state import EMPTY, Memory, offset

LETTERS = "PSACGT"  # the letters of the kinds, in order
PLURALS = ("pavilions", "seraglios", "arcades", "chambers", "gardens", "towers")
ROUNDS = ("first", "second", "third")
SIDES = ("north", "east", "south", "west")


def members(tiles: int) -> Iterator[int]:
    """Yield the tiles of a bit set in ascending order."""
    while tiles:
        first = tiles & -tiles
        yield first.bit_length() - 1
        tiles ^= first


def lying(s: State, me: State) -> list[tuple[int, int]]:
    """Return the cell and number of each tile of an Alhambra, the fountain first."""
    return [(box.HOME, box.FOUNTAIN), *((s.cell[tile], tile) for tile in members(me.built))]


def tile_name(tile: int) -> str:
    """Return a tile's kind, price and walled sides, such as `garden 8 NE` or `garden 11 open`."""
    return f"{box.KIND_NAMES[box.KIND[tile]]} {box.PRICE[tile]} {walls_of(tile) or 'open'}"


def walls_of(tile: int) -> str:
    return "".join(letter for side, letter in enumerate(box.COMPASS) if box.WALL[tile, side])


def tile_in_words(tile: int) -> str:
    """Return the name of a tile for screen readers, such as `garden 8, walls north and east`."""
    sides = [side for side, walled in zip(SIDES, box.WALL[tile], strict=True) if walled]
    built = f"{'walls' if len(sides) > 1 else 'wall'} {join_words(sides)}" if sides else "no walls"
    return f"{box.KIND_NAMES[box.KIND[tile]]} {box.PRICE[tile]}, {built}"


def tile_ref(tile: int) -> ElementRef:
    return ElementRef(tile_name(tile), f"tile-{tile}")


def cell_ref(seat: int, cell: int) -> ElementRef:
    return ElementRef(spot(cell), f"cell-{seat}-{cell}")


def spot(cell: int) -> str:
    """Return a cell's distance from the fountain, north or south, then east or west: `2N 1E`, or `home` [D16]."""
    row, column = (offset(line) for line in divmod(cell, box.SIDE))
    return " ".join([*line_name(row, "SN"), *line_name(column, "EW")]) or "home"


def line_name(distance: int, letters: str) -> list[str]:
    """Return a distance with its direction in a list, empty for 0."""
    return [f"{abs(distance)}{letters[distance < 0]}"] if distance else []


def cell_at(words: str) -> int:
    """Return the cell with a name such as `2N 1E`. Raise KeyError or ValueError for a word of another form."""
    row = column = 0
    for word in words.split():
        number, letter = int(word[:-1]), word[-1]
        down, right = {"S": (1, 0), "N": (-1, 0), "E": (0, 1), "W": (0, -1)}[letter]
        row, column = row + down * number, column + right * number
    return row % box.SIDE * box.SIDE + column % box.SIDE


def card_name(card: int) -> str:
    """Return the name of a money card, such as `florin 5`."""
    return f"{box.CURRENCY_NAMES[card // box.VALUES]} {card % box.VALUES + 1}"


def money_of(card: int) -> str:
    """Return the value of a money card in words, such as `5 florins`."""
    return amount(card % box.VALUES + 1, card // box.VALUES)


def amount(number: int, currency: int) -> str:
    return pluralize(number, box.CURRENCY_NAMES[currency])


def of_kind(kind: int, number: int) -> str:
    """Return a number of buildings of a kind, such as `3 arcades` or `no arcades`."""
    return pluralize(number, PLURALS[kind].removesuffix("s")) if number else f"no {PLURALS[kind]}"


def cards_of(me: State) -> list[int]:
    return [card for card in range(box.CARDS) for _ in range(me.hand[card])]


def is_known(s: State, seat: int, reader: int) -> bool:
    return seat == reader or s.memory == Memory.PERFECT


def knows_hand(s: State, seat: int) -> bool:
    """Return whether the state contains the money of this seat, and not only the number of its cards."""
    me = s.seat[seat]
    return bool(sum(me.hand) == me.cards)


def exactly(me: State, square: int, most: int, price: int) -> list[int]:
    """Return the values of the fewest cards, each at most `most`, that pay a price exactly, or an empty list."""
    return fewest([me.hand[square * box.VALUES + i] for i in range(box.VALUES)], most, price)


def fewest(held: list[int], most: int, price: int) -> list[int]:
    """Return the values of the fewest cards, each at most `most`, that pay a price exactly, or an empty list.

    `held` has the number of cards of each value.
    """
    best: list[int] = []
    if price > 0:
        for value in range(min(most, price), 0, -1):
            if held[value - 1]:
                held[value - 1] -= 1
                rest = fewest(held, value, price - value)
                held[value - 1] += 1
                if (rest or value == price) and (not best or 1 + len(rest) < len(best)):
                    best = [value, *rest]
    return best


def after_paying(s: State, card: int) -> tuple[State, int]:
    """Return the payer's part of the state without this card, and the money still owed, negative if overpaid."""
    trial = s.copy()
    trial.seat[s.turn].hand[card] -= 1
    return trial.seat[s.turn], s.owing - card % box.VALUES - 1


def cheapest(me: State, square: int, price: int) -> int:
    """Return the smallest sum of a currency that the player can pay and that reaches a price, or 0 if impossible."""
    held = [value for value in range(1, box.VALUES + 1) for _ in range(me.hand[square * box.VALUES + value - 1])]
    sums = {0}
    for value in held:
        sums |= {total + value for total in sums}
    return min((total for total in sums if total >= price), default=0)


def next_round(s: State) -> int:
    """Return the number of the scoring round that is due or comes next, at most ROUNDS."""
    return s.due or min(s.scoring_cards + 1, box.ROUNDS)


def scoring_rule(held: int) -> str:
    return "10.2" if held == 1 else "10.3"


def is_held(s: State, held: int) -> bool:
    """Return whether this scoring round has been held. A first or second round without its card is skipped [D10]."""
    if held == box.ROUNDS:
        return bool(s.over)
    return held <= s.scoring_cards and held != s.due


def built_by_all(s: State) -> tuple[int, ...]:
    """Return the cache key of all majorities: the next round, Dirk's tiles, and all players' built tiles."""
    return (next_round(s), s.dirk, *(s.seat[p].built for p in range(s.seats)))


@memoize(built_by_all)
def rivalry(s: State) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return, for each kind, each competitor's number of buildings and points in the next round, Dirk last."""
    return tuple(majority(s, kind) for kind in Kind)


def built_of_kind(s: State, kind: int) -> tuple[int, ...]:
    held, *sets = built_by_all(s)
    return (kind, held, *(tiles & box.OF_KIND[kind] for tiles in sets))


@memoize(built_of_kind)
def majority(s: State, kind: int) -> tuple[tuple[int, int], ...]:
    """Return each competitor's number of a kind, and its points in the next round."""
    held = next_round(s)
    return tuple((count(s, p, kind), points_for_kind(s, p, kind, held)) for p in range(competitors(s)))


def ground(me: State) -> bytes:
    found: bytes = me.grid.to_bytes()
    return found


@memoize(ground)
def wall(me: State) -> int:
    found: int = longest_wall(me)
    return found


def worth_now(s: State, seat: int) -> tuple[int, int]:
    """Return a seat's points for buildings and for its wall, as if the next round were held now."""
    return sum(line[seat][1] for line in rivalry(s)), wall(s.seat[seat])


def tiles_waiting(s: State, seat: int) -> list[int]:
    return list(members((s.bought if seat == s.turn else 0) | s.seat[seat].leftover))


def on_display(s: State) -> list[int]:
    """Return the open money cards in ascending order."""
    return sorted(card for card in s.display if card != EMPTY)
