"""What Oregon's component data must be: what the rule sheet documents, and what may be corrected."""

from collections.abc import Iterator

from ....core.component_data import Data
from ....core.schema import among, different, entry, faults as schema_faults, name, rows, total, whole
from .survey import map_faults, shape_faults, sites

SYMBOLS = ("settler", "wagon", "campfire", "bison", "eagle")
BUILDINGS = ["post_office", "harbor", "church", "coal_mine", "gold_mine", "warehouse", "train_station"]
SCORING = {"church": "farmers_around", "coal_mine": "draw_coal", "gold_mine": "draw_gold"}  # others: "fixed"
ACTIVATES = {"warehouse": "joker", "train_station": "extra_turn"}

SCHEMA = {
    # --- documented: pieces, hands and the end [1.3-1.6, 2.2, 2.4, 13.2] ---
    "game.players_min": 2,
    "game.players_max": 4,
    "setup.farmers_per_player": 15,
    "setup.farmers_on_score_track": 1,
    "setup.farmers_to_place": 14,
    "setup.hand_landscape": 3,
    "setup.hand_building": 1,
    "setup.hand_size": 4,
    "setup.extra_turn_token_starts_active": True,
    "setup.joker_token_starts_active": True,
    "tokens.extra_turn": 4,
    "tokens.joker": 4,
    "landscape": rows(5),
    "landscape.*.id": (among(*SYMBOLS), different()),
    "landscape.*.count": 10,
    "building": rows(7),
    "building.*.cards": 3,
    "building.*.tiles": 4,
    "building.*.start_tiles": 1,
    "end.exhausted_kinds_by_players": {"2": 2, "3": 3, "4": 4},
    "end.last_farmer_placed_ends": True,
    "end.finish_round": True,
    "end.tie_break": ["farmers_on_board"],
    "scoring.group_min_size": 3,
    "scoring.group_adjacency": "orthogonal",
    "scoring.building_adjacency": "king",
    # --- points and terrain ---
    "scoring.group_points": whole(1, 20),
    "building.*.name_en": name("landscape.*.id"),
    "building.*.terrain": among("plain", "mountain", "rail"),
    "building.*.points": whole(0, 20),
    "coal.values.*": (whole(1, 19), total(21)),  # how many tiles there are of each value: 21 together [1.5]
    "gold.values.*": (whole(1, 19), total(21)),
    # --- the board [1.1, 1.2] ---
    "board.columns": 15,
    "board.rows": 10,
    "board.area_width": 3,
    "board.area_height": 2,
    "board.legend.*": (among("plain", "mountain", "rail", "water"), different()),
    "board.column_symbols": rows(5, repeats=False),
    "board.column_symbols.*": entry("landscape.*.id"),
    "board.row_symbols": rows(5, repeats=False),
    "board.row_symbols.*": entry("landscape.*.id"),
    "board.documented_constraints.harbor_pair_in": rows(2),
    "board.documented_constraints.harbor_pair_in.*": entry("landscape.*.id"),
}


def faults(data: Data) -> Iterator[str]:
    """What cannot be: values outside the schema, other buildings, or a map unlike the printed one."""
    return schema_faults(data, SCHEMA, building_faults, board_faults)


def building_faults(data: Data) -> Iterator[str]:
    """The seven buildings in order, each of which earns what the rules say of it."""
    for row, (building, known) in enumerate(zip(data["building"], BUILDINGS, strict=True), 1):
        wanted = {
            "id": known,
            "scoring": SCORING.get(known, "fixed"),
            "must_touch_water": known == "harbor",
            "activates": ACTIVATES.get(known),
        }
        for key, value in wanted.items():
            if building.get(key) != value:
                yield f"building {row}, {key} is {building.get(key)!r} and must be {value!r}"
        if (building["points"] > 0) != (wanted["scoring"] == "fixed"):
            yield f"building {row}, points is {building['points']}, and it scores {wanted['scoring']!r}"


def board_faults(data: Data) -> Iterator[str]:
    """A map of another shape, against what is documented, or without enough spaces for the start tiles [1.2, D25]."""
    board, seats = data["board"], data["game"]["players_max"]
    shape = list(shape_faults(board))
    yield from shape
    if not shape:
        yield from (f"board, map: {sentence}" for sentence in map_faults(board))
        for building in data["building"]:
            count = len(sites(board, building))
            if count < seats:
                yield f"board, map: there are {count} spaces for a {building['id']}, and there must be {seats}"
