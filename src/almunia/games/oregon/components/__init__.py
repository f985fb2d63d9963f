"""The components of Oregon as tables.

Kinds of card are numbered: first the symbols of the landscape cards, then the buildings, then the
joker token, which can replace a landscape card.
"""

from enum import IntEnum

import numpy as np

from ....core.component_data import read
from ....core.contract import NONE
from .survey import TOUCHING as AROUND, sites


class Building(IntEnum):
    POST_OFFICE = 0
    HARBOR = 1
    CHURCH = 2
    COAL_MINE = 3
    GOLD_MINE = 4
    WAREHOUSE = 5
    TRAIN_STATION = 6


class Terrain(IntEnum):
    PLAIN = 0
    MOUNTAIN = 1
    RAIL = 2
    WATER = 3


class Deck(IntEnum):
    LANDSCAPE = 0
    BUILDING = 1


class Sort(IntEnum):
    COAL = 0
    GOLD = 1


DATA = read(__file__, f"{__name__}.schema")
TABLES = ("game", "setup", "landscape", "building", "coal", "gold", "board", "end", "scoring")

SYMBOLS = [card["id"] for card in DATA["landscape"]]
NAMES = [building["name_en"] for building in DATA["building"]]

LANDS = len(SYMBOLS)
BUILDINGS = len(Building)
KINDS = LANDS + BUILDINGS  # kinds of card
JOKER = KINDS  # the kind of the joker token
FARMER = BUILDINGS  # placed by two landscape cards; used in place of a building's number
NOWHERE = NONE
DECKS, SORTS = len(Deck), len(Sort)

SEATS = DATA["game"]["players_max"]
FARMERS = DATA["setup"]["farmers_to_place"]
HAND = DATA["setup"]["hand_size"]
DEALT = np.array([DATA["setup"]["hand_landscape"], DATA["setup"]["hand_building"]], np.int8)  # by deck
JOKER_ACTIVE = int(DATA["setup"]["joker_token_starts_active"])
EXTRA_ACTIVE = int(DATA["setup"]["extra_turn_token_starts_active"])

CARDS = np.array([c["count"] for c in DATA["landscape"]] + [b["cards"] for b in DATA["building"]], np.int8)
BEGIN = np.array([0, LANDS, KINDS], np.int8)  # the first kind of each deck, and the end
IN_DECK = np.array([CARDS[:LANDS].sum(), CARDS[LANDS:].sum()], np.int8)

STOCK = np.array([building["tiles"] for building in DATA["building"]], np.int8)
START_TILES = np.array([building["start_tiles"] for building in DATA["building"]], np.int8)
POINTS = np.array([building["points"] for building in DATA["building"]], np.int8)

# The hidden tiles, by sort: their different values, and the number of tiles of each value.
FACES = max(len(DATA["coal"]["values"]), len(DATA["gold"]["values"]))
WORTH = np.zeros((SORTS, FACES), np.int8)
COUNT = np.zeros((SORTS, FACES), np.int8)
for _sort, _name in enumerate(("coal", "gold")):
    for _face, (_worth, _count) in enumerate(sorted((int(w), n) for w, n in DATA[_name]["values"].items())):
        WORTH[_sort, _face], COUNT[_sort, _face] = _worth, _count
TILES = COUNT.sum(axis=1)
AVERAGE = (WORTH * COUNT).sum(axis=1) // TILES  # in whole points

GROUP = DATA["scoring"]["group_min_size"]
GROUP_POINTS = DATA["scoring"]["group_points"]
EXHAUSTED = np.zeros(SEATS + 1, np.int8)  # number of empty stacks that ends the play, by number of players
for _seats, _kinds in DATA["end"]["exhausted_kinds_by_players"].items():
    EXHAUSTED[int(_seats)] = _kinds

# The content of a space: EMPTY, the seat of a farmer, or BUILT + a building.
EMPTY = -1
BUILT = SEATS

# --- the board ---------------------------------------------------------------------------------

COLUMNS, ROWS = DATA["board"]["columns"], DATA["board"]["rows"]
CELLS = COLUMNS * ROWS
TERRAIN = np.array(
    [Terrain[DATA["board"]["legend"][letter].upper()] for line in DATA["board"]["map"]["grid"] for letter in line],
    np.int8,
)
AREA_WIDTH, AREA_HEIGHT = DATA["board"]["area_width"], DATA["board"]["area_height"]
TOP = [SYMBOLS.index(symbol) for symbol in DATA["board"]["column_symbols"]]  # left to right
LEFT = [SYMBOLS.index(symbol) for symbol in DATA["board"]["row_symbols"]]  # from the top down


def _near(steps: tuple[tuple[int, int], ...]) -> np.ndarray:
    """Return for each space the spaces at these steps, NOWHERE off the board, as int16 (CELLS, len(steps))."""
    table = np.full((CELLS, len(steps)), NOWHERE, np.int16)
    for cell in range(CELLS):
        row, column = divmod(cell, COLUMNS)
        for i, (r, c) in enumerate(steps):
            if 0 <= row + r < ROWS and 0 <= column + c < COLUMNS:
                table[cell, i] = (row + r) * COLUMNS + column + c
    return table


BESIDE = _near(((-1, 0), (0, -1), (0, 1), (1, 0)))  # horizontal and vertical neighbours [9.2]
TOUCHING = _near(AROUND)  # all neighbours, including diagonal ones [8.1]
SIDES, TOUCHES = BESIDE.shape[1], TOUCHING.shape[1]


def suits(card: int, symbol: int) -> bool:
    """Return whether a landscape card, or the joker, can be used as this symbol [7.1]."""
    return card in (symbol, JOKER)


def crossing(one: int, other: int) -> list[int]:
    """Return the land spaces that two landscape cards open, each card as the row or the column [5.2, 5.3].

    One of the cards may be the joker.
    """
    found = []
    for cell in range(CELLS):
        row, column = LEFT[cell // COLUMNS // AREA_HEIGHT], TOP[cell % COLUMNS // AREA_WIDTH]
        crossed = (suits(one, row) and suits(other, column)) or (suits(other, row) and suits(one, column))
        if crossed and TERRAIN[cell] != Terrain.WATER:
            found.append(cell)
    return found


def building_sites(building: int, card: int) -> list[int]:
    """Return the spaces for a building in the row or column of a landscape card or the joker [6.2, 6.3, 6.5, 7.1]."""
    return [
        cell
        for cell in sites(DATA["board"], DATA["building"][building])
        if suits(card, LEFT[cell // COLUMNS // AREA_HEIGHT]) or suits(card, TOP[cell % COLUMNS // AREA_WIDTH])
    ]


# For two kinds of card, in either order: the row of OPENED with the spaces that they open, or NONE
# if they cannot be played together [4.2, D4]; for each row, the piece placed and the number of spaces.
ROW = np.full((KINDS + 1, KINDS + 1), NONE, np.int8)
_lists: list[tuple[int, list[int]]] = []
for _one in range(LANDS):
    for _other in [*range(_one, LANDS), JOKER]:
        ROW[_one, _other] = ROW[_other, _one] = len(_lists)
        _lists.append((FARMER, crossing(_one, _other)))
for _building in Building:
    for _other in [*range(LANDS), JOKER]:
        ROW[LANDS + _building, _other] = ROW[_other, LANDS + _building] = len(_lists)
        _lists.append((_building, building_sites(_building, _other)))

PLACED = np.array([what for what, _ in _lists], np.int8)
LENGTH = np.array([len(cells) for _, cells in _lists], np.int16)
OPENED = np.full((len(_lists), LENGTH.max()), NOWHERE, np.int16)
for _row, (_, _cells) in enumerate(_lists):
    OPENED[_row, : len(_cells)] = _cells
