"""The components of Alhambra as tables."""

from enum import IntEnum

import numpy as np

from ....core.component_data import read


class Kind(IntEnum):
    PAVILION = 0
    SERAGLIO = 1
    ARCADES = 2
    CHAMBERS = 3
    GARDEN = 4
    TOWER = 5


class Currency(IntEnum):
    """The four currencies, in the order of the market's squares."""

    FLORIN = 0
    DIRHAM = 1
    DENAR = 2
    DUCAT = 3


class Side(IntEnum):
    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3


COMPASS = "NESW"  # the letters of the sides, in their order
SIDE = 40  # rows and columns of the joined grid on which an Alhambra lies [D16]

DATA = read(__file__, f"{__name__}.schema")
# tables that the rules depend on
TABLES = ("start_tile", "money", "currency", "building_type", "tile", "setup", "turn", "two_players")

KINDS = len(Kind)
KIND_NAMES = tuple(kind["id"] for kind in DATA["building_type"])
CURRENCIES = len(Currency)
CURRENCY_NAMES = tuple(currency["id"] for currency in DATA["currency"])
VALUES = len(DATA["money"]["values"])  # cards of each currency are worth 1 .. VALUES
CARDS = CURRENCIES * VALUES  # kinds of money card: currency * VALUES + value - 1
COPIES = DATA["money"]["copies"]
COPIES_FOR_TWO = DATA["money"]["copies_two_players"]
MONEY = CARDS * COPIES  # [1.2]

TILES = len(DATA["tile"])  # [1.1]
FOUNTAIN = TILES  # the tile that every Alhambra starts from; it has no wall, no kind and no price
PRICE = np.array([tile["price"] for tile in DATA["tile"]], np.int8)
PRICES = (2 << int(PRICE.max())) - 1  # a bit mask of all sums that could be a price
KIND = np.array([KIND_NAMES.index(tile["type"]) for tile in DATA["tile"]], np.int8)
OF_KIND = np.array([sum(1 << tile for tile in range(TILES) if KIND[tile] == kind) for kind in Kind], np.int64)
SIDES = len(Side)
WALL = np.array([[side in tile["walls"] for side in COMPASS] for tile in [*DATA["tile"], DATA["start_tile"]]], np.int8)

MARKET = DATA["setup"]["market_size"]
DISPLAY = DATA["setup"]["money_display"]
START_MONEY = DATA["setup"]["starting_money_at_least"]
PILES = DATA["setup"]["piles"]
SCORING_PILES = np.array([DATA["setup"]["scoring1_pile"] - 1, DATA["setup"]["scoring2_pile"] - 1], np.int8)
SEVERAL = DATA["turn"]["take_money_several_max_sum"]
DIRK_AT_FIRST = DATA["two_players"]["dirk_initial_tiles"]
DIRK_AFTER_FIRST = DATA["two_players"]["dirk_after_round1"]
DIRK_SHARE = 3  # after the second scoring Dirk gets one of every three tiles in the bag: "dirk_after_round2"

ROUNDS = 3
PLACES = 3
# Points for the most, second most and third most buildings, by round (from 0), kind and place.
POINTS = np.zeros((ROUNDS, KINDS, PLACES), np.int8)
for _kind, _row in enumerate(DATA["building_type"]):
    for _round in range(ROUNDS):
        _points = _row[f"round{_round + 1}"]
        POINTS[_round, _kind, : len(_points)] = _points

# The edges of the grid are joined: rows and columns are counted modulo SIDE from the fountain's.
# No Alhambra is long enough to meet itself by going around, as `schema.longest_reach` makes sure.
CELLS = SIDE * SIDE
HOME = 0  # the fountain's cell

STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
ROUND_STEPS = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))


def _around(steps: tuple[tuple[int, int], ...]) -> np.ndarray:
    """Return the cells at these steps from each cell of the joined grid, as int16 (CELLS, len(steps))."""
    rows, columns = np.divmod(np.arange(CELLS), SIDE)
    cells = [(rows + down) % SIDE * SIDE + (columns + right) % SIDE for down, right in steps]
    return np.stack(cells, axis=1).astype(np.int16)


NEXT = _around(STEPS)  # by Side
RING = _around(ROUND_STEPS)  # the eight cells around, clockwise from north
