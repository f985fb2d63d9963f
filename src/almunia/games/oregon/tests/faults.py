"""Faults, corrections and fixed values of Oregon's component data [1.2, D25]."""

from almunia.games.oregon import components as box

GRID, FACTS = "board.map.grid", "board.documented_constraints."


def map_with(*changes):
    """Return the rows of the map with some letters changed: (row, column, letter)."""
    rows = [list(row) for row in box.DATA["board"]["map"]["grid"]]
    for row, column, letter in changes:
        rows[row][column] = letter
    return ["".join(row) for row in rows]


FAULTS = [  # the place in the data, its wrong value (None leaves it out), and the error message
    ("game.players_max", 3, "game, players_max is 3 and must be 4"),
    ("setup.farmers_to_place", 0, "setup, farmers_to_place is 0 and must be 14"),
    ("setup.hand_size", 5, "setup, hand_size is 5 and must be 4"),
    ("tokens.joker", 3, "tokens, joker is 3 and must be 4"),
    ("landscape.0.count", 0, "landscape 1, count is 0 and must be 10"),
    ("landscape.1.id", "x", "landscape 2, id is 'x' and must be one of settler, wagon, campfire, bison, eagle"),
    ("landscape.1.id", "settler", "landscape 2, id is 'settler' and must be another one than landscape 1, id"),
    ("landscape.4", None, "and must have 5 rows"),
    ("building.6", None, "and must have 7 rows"),
    ("building", box.DATA["building"][::-1], "building 1, id is 'train_station' and must be 'post_office'"),
    ("building.0.cards", -10, "building 1, cards is -10 and must be 3"),
    ("building.3.tiles", 0, "building 4, tiles is 0 and must be 4"),
    ("building.3.start_tiles", 2, "building 4, start_tiles is 2 and must be 1"),
    (
        "building.2.name_en",
        "HARBOR",
        "building 3, name_en is 'HARBOR' and must be another one than building 2, name_en",
    ),
    ("building.2.name_en", "Wagon", "building 3, name_en is 'Wagon' and must be another one than landscape 2, id"),
    ("building.2.name_en", "", "building 3, name_en is '' and must be words with single spaces between them"),
    ("building.0.terrain", "water", "building 1, terrain is 'water' and must be one of plain, mountain, rail"),
    ("building.0.points", 21, "building 1, points is 21 and must be from 0 to 20"),
    ("building.0.points", 0, "building 1, points is 0, and it scores 'fixed'"),
    ("building.2.points", 1, "building 3, points is 1, and it scores 'farmers_around'"),
    ("building.3.scoring", "draw_gold", "building 4, scoring is 'draw_gold' and must be 'draw_coal'"),
    ("building.1.must_touch_water", False, "building 2, must_touch_water is False and must be True"),
    ("building.6.activates", "joker", "building 7, activates is 'joker' and must be 'extra_turn'"),
    ("coal.values.1", 0, "coal, values, 1 is 0 and must be from 1 to 19"),
    ("coal.values.1", 8, "the numbers from coal, values, 1 to coal, values, 3 add up to 22 and must add up to 21"),
    ("gold.values.3", 0, "gold, values, 3 is 0 and must be from 1 to 19"),
    ("gold.values.3", 6, "the numbers from gold, values, 3 to gold, values, 5 add up to 20 and must add up to 21"),
    (
        "end.exhausted_kinds_by_players",
        {"2": 2, "3": 3},
        "end, exhausted_kinds_by_players is {'2': 2, '3': 3} and must be",
    ),
    ("end.finish_round", False, "end, finish_round is False and must be True"),
    ("scoring.group_min_size", 4, "scoring, group_min_size is 4 and must be 3"),
    ("scoring.group_points", 0, "scoring, group_points is 0 and must be from 1 to 20"),
    ("board.area_width", 0, "board, area_width is 0 and must be 3"),
    ("board.legend.=", "plain", "board, legend, = is 'plain' and must be another one than board, legend, ."),
    ("board.legend.=", "lava", "board, legend, = is 'lava' and must be one of plain, mountain, rail, water"),
    ("board.row_symbols", ["wagon"] * 5, "and must have no row twice"),
    ("board.row_symbols.0", "x", "board, row_symbols 1 is 'x' and must be one of settler, wagon"),
    ("board.column_symbols", ["eagle"], "board, column_symbols is ['eagle'] and must have 5 rows"),
    ("board.column_symbols.0", "x", "board, column_symbols 1 is 'x' and must be one of settler, wagon"),
    (FACTS + "harbor_pair_in", ["bison"], "harbor_pair_in is ['bison'] and must have 2 rows"),
    (FACTS + "harbor_pair_in.0", "x", "harbor_pair_in 1 is 'x' and must be one of settler, wagon"),
    (FACTS + "a_card_pair_with_land_spaces", 8, "board, map: no two symbols open 8 spaces"),
    (FACTS + "campfire_has_mountains_min", 40, "too few mountains"),
    (GRID, ["..."], "board, map, grid must be 10 rows of 15 letters"),
    (GRID + ".0", "...", "board, map, grid must be 10 rows of 15 letters"),
    (GRID, map_with((0, 0, "?")), "board, map, grid has the letters ['?']"),
    (GRID, map_with((0, 0, "~")), "board, map: the map has 3 lakes instead of 2"),
    (GRID, map_with((0, 0, "=")), "the railway is not one line"),
    (GRID, map_with((6, 0, ".")), "the railway is not one line"),
    (GRID, [row.replace("^", ".") for row in map_with()], "0 mountain ranges"),
    (GRID, [map_with()[0].replace("^", "."), *map_with()[1:]], "no mountain lies at the top"),
    (GRID, [row.replace(".", "^") for row in map_with()], "not mostly plain"),
    (GRID, [row.replace("^", ".") for row in map_with()], "there are 0 spaces for a coal_mine, and there must be 4"),
    (GRID, [row[:9] + row[9:].replace("~", ".") for row in map_with()], "no lake lies on the right"),
    (GRID, [row.replace("~", ".") for row in map_with()], "beside two harbor sites"),
]


DOCUMENTED = [  # values that no file may change
    "game.players_min",
    "setup.farmers_per_player",
    "setup.farmers_on_score_track",
    "setup.hand_landscape",
    "setup.hand_building",
    "setup.extra_turn_token_starts_active",
    "setup.joker_token_starts_active",
    "tokens.extra_turn",
    "end.last_farmer_placed_ends",
    "end.tie_break",
    "scoring.group_adjacency",
    "scoring.building_adjacency",
    "board.columns",
    "board.rows",
    "board.area_height",
]


CORRECTIONS = [  # changes that an owner's file may make
    ("building.5.terrain", "rail"),
    ("building.0.points", 2),
    ("scoring.group_points", 4),
    ("building.0.name_en", "Post station"),
    ("board.row_symbols", ["eagle", "campfire", "settler", "bison", "wagon"]),
    ("coal.values", {"1": 8, "2": 6, "3": 7}),
    (GRID, map_with((2, 2, "^"))),
    (GRID, map_with(*((row, column, "~") for row in (2, 3) for column in (0, 1, 2)))),
]
