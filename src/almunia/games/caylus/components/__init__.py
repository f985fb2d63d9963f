"""The components of Caylus as tables.

A tile is its row number in the data. Spaces of the road are counted from 0.
"""

from enum import IntEnum
from itertools import combinations

import numpy as np

from ....core.component_data import Data, read
from ....core.contract import NONE


class Cube(IntEnum):
    """The kinds of cubes, gold last [1.1]."""

    FOOD = 0
    WOOD = 1
    STONE = 2
    CLOTH = 3
    GOLD = 4


class Class(IntEnum):
    """The classes of buildings, in the order of the data [1.4]."""

    NEUTRAL = 0
    FIXED = 1
    WOOD = 2
    STONE = 3
    PRESTIGE = 4
    RESIDENTIAL = 5


class Effect(IntEnum):
    """The kinds of effects that a building has for a worker."""

    IDLE = 0  # no worker can be placed on it
    PRODUCE = 1
    TRADE = 2
    BUILD = 3
    CONVERT = 4


class Special(IntEnum):
    """The special buildings before the bridge, in the order in which they are used [1.3]."""

    GATE = 0
    TRADING_POST = 1
    MERCHANTS_GUILD = 2
    JOUST_FIELD = 3
    STABLES = 4
    INN = 5


class Line(IntEnum):
    """The lines of the table of favours [4.1]."""

    PRESTIGE = 0
    DENIERS = 1
    RESOURCES = 2
    BUILDINGS = 3


DATA = read(__file__, f"{__name__}.schema")  # as in the 2006 edition [D36]
TABLES = (  # the tables of the data that the rules depend on
    *("stock", "setup", "road", "bridge", "provost", "income", "score", "special"),
    *("building", "castle", "favours", "final", "variant"),
)

CUBES = tuple(cube.name.lower() for cube in Cube)
CLASSES = tuple(kind.name.lower() for kind in Class)
KINDS_OF_CUBE = len(CUBES)
COMMON = KINDS_OF_CUBE - 1  # number of kinds other than gold
SEATS = int(DATA["meta"]["players_max"])
WORKERS = int(DATA["stock"]["workers_per_player"])


def heap(cubes: dict[str, int]) -> list[int]:
    """Return the number of cubes of each kind, in the order of CUBES, from numbers by name."""
    return [int(cubes.get(kind, 0)) for kind in CUBES]


# --- setting up, income, the bridge and the provost ----------------------------------------------------------

START_CUBES = np.array(heap(DATA["setup"]["cubes"]), np.int8)
START_MONEY = np.array(DATA["setup"]["deniers_by_rank"], np.int8)  # by place in the first turn order
START_MONEY_OF_TWO = np.array(DATA["setup"]["deniers_two_players"], np.int8)
START_SPACE = int(DATA["setup"]["bailiff"])  # the space of bailiff and provost
BASE_INCOME = int(DATA["income"]["base"])
FIRST_PASSER = int(DATA["bridge"]["first_passer_bonus"])
OWN_PRICE = int(DATA["bridge"]["own_building_cost"])
INN_PRICE = int(DATA["bridge"]["inn_right_cost"])
PRICE_OF_TWO = int(DATA["bridge"]["two_player_cost_after_pass"])
STEPS = int(DATA["provost"]["max_steps_phase4"])
STEP_PRICE = int(DATA["provost"]["cost_per_step"])
BAILIFF_FAST = int(DATA["road"]["bailiff_step_provost_ahead"])
BAILIFF_SLOW = int(DATA["road"]["bailiff_step_otherwise"])
GUEST_POINTS = int(DATA["score"]["owner_pp_per_foreign_worker"])

# --- special buildings ---------------------------------------------------------------------------------------

_SPECIAL = {row["id"]: row for row in DATA["special"]}
CIRCLES = int(_SPECIAL["stables"]["capacity"])
STABLES_FROM = int(_SPECIAL["stables"]["min_players"])
POST_MONEY = int(_SPECIAL["trading_post"]["effect"]["deniers"])
JOUST_MONEY = int(_SPECIAL["joust_field"]["effect"]["deniers"])
JOUST_CLOTH = int(_SPECIAL["joust_field"]["effect"]["cubes"]["cloth"])

# --- tiles ---------------------------------------------------------------------------------------------------

ROWS = DATA["building"]
TILES = len(ROWS)  # number of different tiles
TILE_IDS = tuple(str(row["id"]) for row in ROWS)
CLASS = np.array([CLASSES.index(row["class"]) for row in ROWS], np.int8)
COUNT = np.array([row["count"] for row in ROWS], np.int8)
OPTIONAL = np.array([row.get("option", False) for row in ROWS])
COST = np.array([heap(row.get("cost", {})) for row in ROWS], np.int8)
COST_ANY = np.array([row.get("cost", {}).get("any", 0) for row in ROWS], np.int8)
POINTS = np.array([row.get("pp", 0) for row in ROWS], np.int8)
FAVOURS = np.array([row.get("favours", 0) for row in ROWS], np.int8)
INCOME = np.array([row.get("income", 0) for row in ROWS], np.int8)
RESIDENCE = TILE_IDS.index("residence")
CONVERT_MONEY = int(ROWS[RESIDENCE]["convert_cost"]["deniers"])
CONVERT_CLOTH = int(ROWS[RESIDENCE]["convert_cost"]["cloth"])
CONVERTS = np.array(  # whether the rules allow the tile to become a residence
    [row["class"] in ("neutral", "wood", "stone") and not row.get("never_converted", False) for row in ROWS]
)
FIRST_BUILT = int(np.flatnonzero(Class.WOOD == CLASS)[0])  # the tiles with a price are one range
BUILT = RESIDENCE - FIRST_BUILT

_EFFECTS = [row.get("effect", {}) for row in ROWS]
EFFECT = np.array([Effect[effect["kind"].upper()] if effect else Effect.IDLE for effect in _EFFECTS], np.int8)
BUILDS = np.array([CLASSES.index(effect["builds"]) if "builds" in effect else NONE for effect in _EFFECTS], np.int8)


def yields(effect: Data, option: int) -> list[int]:
    """Return the cubes of a production option by kind, or zeros if the effect has no such option."""
    options = effect.get("options", []) if effect.get("kind") == "produce" else []
    return heap(options[option]) if option < len(options) else heap({})


# The number of options, by tile; then the cubes produced, by tile and chosen kind. Without a choice all rows are equal.
CHOICES = np.array([len(effect.get("options", [])) for effect in _EFFECTS], np.int8)
YIELD = np.zeros((TILES, KINDS_OF_CUBE, KINDS_OF_CUBE), np.int8)
for _tile, _effect in enumerate(_EFFECTS):
    for _option in range(CHOICES[_tile]):
        _yield = yields(_effect, _option)
        for _kind in range(KINDS_OF_CUBE):
            if CHOICES[_tile] == 1 or _yield[_kind]:
                YIELD[_tile, _kind] = _yield
BONUS = np.zeros((TILES, KINDS_OF_CUBE), np.int8)  # by tile and kind: 1 if the owner may choose it
for _tile, _effect in enumerate(_EFFECTS):
    for _bonus in _effect.get("owner_bonus", []):
        BONUS[_tile] += np.array(heap(_bonus), np.int8)
HAS_BONUS = BONUS.any(axis=1)

# --- trades: a row for each tile, and one more for the exchange of a favour ----------------------------------

EXCHANGE = TILES
_FAVOUR_TRADE = next(row for row in DATA["favours"]["resources"] if row["effect"]["kind"] == "trade")
_TRADES = [effect.get("options", []) if effect.get("kind") == "trade" else [] for effect in _EFFECTS]
_TRADES.append(_FAVOUR_TRADE["effect"]["options"])
OFFERS = max(map(len, _TRADES))


def column(key: str) -> np.ndarray:
    """Return the values of a key in all trades, by row and option, 0 if a trade lacks the key."""
    found = np.zeros((len(_TRADES), OFFERS), np.int8)
    for row, options in enumerate(_TRADES):
        found[row, : len(options)] = [option.get(key, 0) for option in options]
    return found


def cubes_of(key: str) -> np.ndarray:
    """Return the cubes of a key in all trades, by row, option and kind, 0 if a trade lacks the key."""
    found = np.zeros((len(_TRADES), OFFERS, KINDS_OF_CUBE), np.int8)
    for row, options in enumerate(_TRADES):
        for option, trade in enumerate(options):
            found[row, option] = heap(trade.get(key, {}))
    return found


TRADES = np.array([len(options) for options in _TRADES], np.int8)  # number of options by row
PAY_MONEY, PAY_ANY, PAY_COMMON, PAY_CUBES = (
    column("pay_deniers"),
    column("pay_any"),
    column("pay_common"),
    cubes_of("pay_cubes"),
)
GAIN_MONEY, GAIN_COMMON, GAIN_POINTS = column("gain_deniers"), column("gain_common"), column("gain_pp")
GAIN_CUBES = cubes_of("gain_cubes")

# --- the road ------------------------------------------------------------------------------------------------

ROAD = int(DATA["road"]["length"])
NEUTRAL = len(DATA["road"]["neutral"])  # number of neutral tiles, on the first spaces
FIXED = np.full(ROAD, NONE, np.int8)  # by space: the printed tile, or NONE
for _space, _name in DATA["road"]["fixed"].items():
    FIXED[int(_space) - 1] = TILE_IDS.index(_name)

# --- the castle ----------------------------------------------------------------------------------------------

SECTIONS = len(DATA["castle"]["section"])
GAME_SECTIONS = np.array([SECTIONS, 1], np.int8)  # after which a game ends, by the option `reduced`
SECTION_IDS = tuple(str(row["id"]) for row in DATA["castle"]["section"])
SPACES = np.array([row["spaces"] for row in DATA["castle"]["section"]], np.int8)
BATCH_POINTS = np.array([row["pp_per_batch"] for row in DATA["castle"]["section"]], np.int8)
TRIGGER = np.array([row["trigger_space"] for row in DATA["castle"]["section"]], np.int8)
MOST_SPACES = int(SPACES.max())
NO_BATCH = int(DATA["castle"]["no_batch_penalty_pp"])
MOST_BATCHES = int(DATA["castle"]["most_batches_favours"])
PAIRS = np.array(list(combinations(range(1, KINDS_OF_CUBE), 2)), np.int8)  # the two cubes given with food in a batch


def due(section: Data, houses: int, key: str) -> int:
    """Return the favours or points for `houses` houses when a section is scored."""
    return int(max((row for row in section["table"] if row["min"] <= houses), key=lambda row: row["min"])[key])


DUE_FAVOURS, DUE_POINTS = (
    np.array([[due(row, n, key) for n in range(MOST_SPACES + 1)] for row in DATA["castle"]["section"]], np.int8)
    for key in ("favours", "pp")
)

# --- favours -------------------------------------------------------------------------------------------------

COLUMNS = int(DATA["favours"]["columns"])
_OPENED = DATA["favours"]["open_columns"]
# The number of open columns, by sections scored.
OPEN = np.array([_OPENED["start"], _OPENED["after_dungeon"], _OPENED["after_walls"], COLUMNS], np.int8)
FAVOUR_POINTS = np.array(DATA["favours"]["prestige"]["columns"], np.int8)  # by column
FAVOUR_MONEY = np.array(DATA["favours"]["deniers"]["columns"], np.int8)
SIMPLE_POINTS = int(DATA["variant"]["simplified_favour"]["pp_per_favour"])
EXCHANGE_FROM = int(_FAVOUR_TRADE["column"])
NEVER = COLUMNS + 1
CUBE_FROM = np.full(KINDS_OF_CUBE, NEVER, np.int8)  # by kind: the first column that gives it
for _row in DATA["favours"]["resources"]:
    if _row["effect"]["kind"] == "gain":
        for _gain in _row["effect"]["options"]:
            CUBE_FROM[np.flatnonzero(heap(_gain))] = _row["column"]
BUILDS_FROM = np.full(len(CLASSES), NEVER, np.int8)  # by class: the first column that builds it
DISCOUNT = np.zeros((len(CLASSES), KINDS_OF_CUBE), np.int8)
CONVERTS_FROM = NEVER
for _row in DATA["favours"]["buildings"]:
    if _row["effect"]["kind"] == "build":
        _class = CLASSES.index(_row["effect"]["builds"])
        BUILDS_FROM[_class] = _row["column"]
        DISCOUNT[_class] = heap(_row["effect"].get("discount", {}))
    elif _row["effect"]["kind"] == "convert":
        CONVERTS_FROM = int(_row["column"])

# --- the end -------------------------------------------------------------------------------------------------

POINTS_PER_GOLD = int(DATA["final"]["pp_per_gold"])
CUBES_PER_POINT = int(DATA["final"]["common_cubes_per_pp"])
MONEY_PER_POINT = int(DATA["final"]["deniers_per_pp"])
