"""The components of Alpujarras as tables. Farmlands are numbered as in the data, and fruits like their farmlands."""

from collections.abc import Iterator

import numpy as np

from ....core.component_data import Data, read
from ....core.contract import NONE

BLUE, GREEN = 0, 1  # the sides of the track segments
SIDES = ("blue", "green")
DIRHEM = "dirhem"
KINDS = ("go", "market", "harvest", "end")  # kinds of segments
START, STANDARD, MARKET_SPOT, HARVEST_SPOT, END_SPOT = range(5)  # kinds of places on the track
SPOTS = {"market": MARKET_SPOT, "harvest": HARVEST_SPOT}

# The actions that a space, an award or a purchase may owe. Dirhems are paid at once and never owed.
ADD, MOVE, DIG, NORIAS, FRUIT, GOAL, MARKET, HARVEST = range(8)
ITEM_NAMES = ("add a farmer", "move a farmer", "dig", "norias", "fruit", "goal", "market", "harvest")
ITEMS = len(ITEM_NAMES)
ICONS = {  # by the word of the data: the item owed, and its number
    "add_farmer": (ADD, 1),
    "add_two_farmers": (ADD, 2),
    "move_farmer": (MOVE, 1),
    "irrigate": (DIG, 1),
    "noria": (NORIAS, 1),
    "fruit": (FRUIT, 1),
    "goal": (GOAL, 1),
}
IN_HAND, IN_FARMLANDS, IN_VILLAGES, OF_TOKENS = range(4)  # the pieces that a goal counts
# By kind of requirement: the pieces that a goal counts, the number at each place, and the number of places. A string is
# the key of such a number in the data.
REQUIREMENTS = {
    "different_fruit": (IN_HAND, 1, "n"),
    "fruit_pairs": (IN_HAND, 2, "n"),
    "farmers_in_farmlands": (IN_FARMLANDS, "each", "farmlands"),
    "farmers_in_villages": (IN_VILLAGES, "each", "villages"),
    "delivery_token_types": (OF_TOKENS, 1, "n"),
    "delivery_tokens_same": (OF_TOKENS, "n", 1),
}


DATA = read(__file__, f"{__name__}.schema")
TABLES = (  # the tables of the data that the rules depend on
    *("counts", "limits", "die", "setup", "noria_spending", "farmland", "channel_start", "channel_space"),
    *("market_card", "delivery_tokens", "delivery_card", "goal", "award_token", "segment"),
)

# --- fruits, farmlands and villages -----------------------------------------------------------------

LANDS = len(DATA["farmland"])  # number of farmlands, of villages, and of fruits
COLOURS = tuple(land["color"] for land in DATA["farmland"])
FRUITS = tuple(land["primary"] for land in DATA["farmland"])  # the primary fruit of each farmland
FARMERS = DATA["counts"]["farmers_per_player"]
FRUIT_EACH = DATA["counts"]["fruits_per_type"]
MOST_FRUIT = DATA["limits"]["max_fruit_per_type"]
MOST_NORIAS = DATA["limits"]["max_norias"]
SEATS = range(2, 5)


def by_seats(name: str) -> np.ndarray:
    """Return the values of a key of the table `setup`, indexed by the number of seats."""
    return np.array([0, 0, *(int(DATA["setup"][name][str(seats)]) for seats in SEATS)], np.int8)


FRUIT_PER_FIELD = by_seats("fruit_per_field")
TOKENS_PER_VILLAGE = by_seats("delivery_tokens_per_village")
A_TWO_LESS = by_seats("remove_one_2_token_per_fruit")
WITH_ZARA = by_seats("zara")
ODD_COVERED = by_seats("cover_odd_coin_goal_spaces")
LEAST_KINDS = DATA["setup"]["min_fruit_types_per_village"]
FACES_UP = DATA["setup"]["face_up_delivery_cards"]
PIPS = np.array(DATA["die"]["faces"], np.int8)

FIELDS = np.zeros((LANDS, LANDS), np.int8)  # by farmland and fruit: the number of printed fields
for _land in DATA["farmland"]:
    for _field in _land["fields"]:
        FIELDS[COLOURS.index(_land["color"]), FRUITS.index(_field)] += 1

# --- water ------------------------------------------------------------------------------------------

CHANNELS = len(DATA["channel_space"])
CHANNEL_IDS = tuple(space["id"] for space in DATA["channel_space"])
_STARTS = {start["id"] for start in DATA["channel_start"]}
AT_START = np.array([bool(_STARTS & set(space["adjacent"])) for space in DATA["channel_space"]])
ADJACENT = np.array([[other in space["adjacent"] for other in CHANNEL_IDS] for space in DATA["channel_space"]])
ADJACENT |= ADJACENT.T
for _start in DATA["channel_start"]:
    for _other in _start["adjacent"]:
        AT_START[CHANNEL_IDS.index(_other)] = True
_IDS = tuple(land["id"] for land in DATA["farmland"])
# By channel space: the farmland of the new field, or NONE for a straight space.
LEADS_TO = np.array(
    [_IDS.index(s["leads_to"].partition(":")[0]) if s["shape"] == "t" else NONE for s in DATA["channel_space"]], np.int8
)
ICON_NORIAS = np.array([space["icons"]["noria"] for space in DATA["channel_space"]], np.int8)
ICON_DIRHEMS = np.array([space["icons"]["dirhem"] for space in DATA["channel_space"]], np.int8)
CROP_TOKENS = DATA["counts"]["crop_tokens_per_type"]
CROP_FRUIT = 2  # fruits on a new crop token, as the sheet says in words

# --- norias -----------------------------------------------------------------------------------------

SWAP = MOVE + 1  # the third thing that norias buy, after ADD and MOVE
_BUYS = {"add_farmer": ADD, "move_farmer": MOVE, "swap_fruit": SWAP}
BUYS = np.zeros(MOST_NORIAS + 1, np.int8)  # by price: ADD, MOVE or SWAP
BUYS_DIRHEMS = np.zeros(MOST_NORIAS + 1, np.int8)
for _price in range(1, MOST_NORIAS + 1):
    for _icon in DATA["noria_spending"][str(_price)]:
        if _icon["a"] == DIRHEM:
            BUYS_DIRHEMS[_price] = _icon["n"]
        else:
            BUYS[_price] = _BUYS[_icon["a"]]

# --- deliveries -------------------------------------------------------------------------------------

BONUS = np.array(DATA["market_card"]["bonus"], np.int8)
NUMBERS = np.array(sorted(set(DATA["delivery_tokens"]["numbers"])), np.int8)  # the numbers on delivery tokens
SIZES = len(NUMBERS)
TOKENS_EACH = np.array([DATA["delivery_tokens"]["numbers"].count(n) for n in NUMBERS], np.int8)  # of one fruit
TWO = list(NUMBERS).index(2)  # the index of the 2 in NUMBERS
TOKENS = LANDS * len(DATA["delivery_tokens"]["numbers"])
REWARD = np.array(NUMBERS + DATA["delivery_tokens"]["reward_minus_number"], np.int8)
CARDS = len(DATA["delivery_card"])
CARD_IDS = tuple(card["id"] for card in DATA["delivery_card"])
ASKS = np.array([[fruit in card["fruits"] for fruit in FRUITS] for card in DATA["delivery_card"]], np.int8)
WORTH = np.array([card["value"] for card in DATA["delivery_card"]], np.int8)
BACKS = 2 * LANDS  # a back is 2 * fruit, plus 1 if its arrow points up
BACK = np.array(
    [2 * FRUITS.index(card["back_fruit"]) + (card["back_arrow"] == "up") for card in DATA["delivery_card"]], np.int8
)

# --- goals and awards ---------------------------------------------------------------------------------

GOAL_CARDS = DATA["counts"]["goal_cards"]
GOALS = len(DATA["goal"])  # two for each card
GOAL_SPACES = len(DATA["goal"][0]["rewards"])
GOAL_TOKENS = DATA["counts"]["goal_tokens"]
GOAL_DIRHEMS = np.array([[r.get(DIRHEM, 0) for r in goal["rewards"]] for goal in DATA["goal"]], np.int8)
GOAL_NORIAS = np.array([[r.get("noria", 0) for r in goal["rewards"]] for goal in DATA["goal"]], np.int8)


def requirement(goal: Data) -> tuple[int, int, int]:
    """Return the pieces that a goal counts, the number that it needs at each place, and the number of places."""
    asked = goal["requirement"]
    where, each, places = REQUIREMENTS[asked["kind"]]
    return where, asked.get(each, each), asked.get(places, places)


GOAL_WHERE, GOAL_EACH, GOAL_PLACES = np.array([requirement(goal) for goal in DATA["goal"]], np.int8).T.copy()

AWARDS = len(DATA["award_token"])
AWARD_SIDES = ("green", "red")


def owed_by(icons: list[Data]) -> list[int]:
    """Return the number of times that these icons owe each item, followed by the dirhems that they pay."""
    found = [0] * (ITEMS + 1)
    for icon in icons:
        item, times = ICONS.get(icon["a"], (ITEMS, 1))
        found[item] += times * icon.get("n", 1)
    return found


# A row for each side of each award token.
_AWARD = np.array([owed_by(award[side]) for award in DATA["award_token"] for side in AWARD_SIDES], np.int8)
AWARD_OWES, AWARD_PAYS = _AWARD[:, :ITEMS].copy(), _AWARD[:, ITEMS].copy()

# --- the track: every place of every segment, both sides ----------------------------------------------

SEGMENTS = len(DATA["segment"])
SEGMENT_IDS = tuple(segment["id"] for segment in DATA["segment"])
SEGMENT_KINDS = tuple(segment["kind"] for segment in DATA["segment"])
ORDER = np.array([KINDS.index(kind) for kind in DATA["setup"]["segment_order"]], np.int8)
SEGMENT_KIND = np.array([KINDS.index(kind) for kind in SEGMENT_KINDS], np.int8)
SIDE = np.array([0, 0, *(SIDES.index(DATA["setup"]["track_side"][str(seats)]) for seats in SEATS)], np.int8)


def places_of(segment: Data, side: str) -> Iterator[tuple[int, list[Data], int]]:
    """Yield the kind, icons and end value of each place on a side of a segment, in travel order."""
    face = segment[side]
    yield from ((START, [], 0) for _ in range(face.get("start_spots", 0)))
    yield from ((STANDARD, icons, 0) for icons in face["standard"])
    yield from ((SPOTS[segment["kind"]], icons, 0) for icons in face.get("spots", ()))
    yield from ((END_SPOT, [{"a": "goal"}, {"a": DIRHEM, "n": n}], n) for n in face.get("end_dirhems", ()))


_PLACES = [
    (side, number, *place)
    for side, name in enumerate(SIDES)
    for number, segment in enumerate(DATA["segment"])
    for place in places_of(segment, name)
]
PLACES = len(_PLACES)
PLACE_SEGMENT = np.array([place[1] for place in _PLACES], np.int8)
PLACE_KIND = np.array([place[2] for place in _PLACES], np.int8)
PLACE_WORTH = np.array([place[4] for place in _PLACES], np.int8)  # the value of an end spot
_OWED = np.array([owed_by(place[3]) for place in _PLACES], np.int8)
PLACE_OWES, PLACE_PAYS = _OWED[:, :ITEMS].copy(), _OWED[:, ITEMS].copy()
PLACE_OWES[(PLACE_KIND == MARKET_SPOT) | (PLACE_KIND == END_SPOT), MARKET] = 1
PLACE_OWES[PLACE_KIND == HARVEST_SPOT, HARVEST] = 1
SHIELD = np.full(PLACES, NONE, np.int8)  # by place: the only farmland where a farmer may be added
for _place, _described in enumerate(_PLACES):
    for _icon in _described[3]:
        if "farmland" in _icon:
            SHIELD[_place] = COLOURS.index(_icon["farmland"])
# The observation of each place: items owed / 2, dirhems / 4, then shield and kind, one-hot.
PLACE_SHOWS = np.hstack(
    [
        PLACE_OWES / 2,
        PLACE_PAYS[:, None] / 4,
        SHIELD[:, None] == range(LANDS),
        PLACE_KIND[:, None] == range(END_SPOT + 1),
    ]
).astype(np.float32)
FIRST_PLACE = np.array(  # the first place of a segment, by side
    [[next(i for i, p in enumerate(_PLACES) if p[:2] == (side, n)) for n in range(SEGMENTS)] for side in (BLUE, GREEN)],
    np.int16,
)
LENGTH = np.array(
    [[sum(p[:2] == (side, n) for p in _PLACES) for n in range(SEGMENTS)] for side in (BLUE, GREEN)], np.int8
)
POSITIONS = int(LENGTH.sum(axis=1).max())  # number of positions on the longer track
