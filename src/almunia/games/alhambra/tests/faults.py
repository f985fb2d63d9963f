"""Faults, corrections and fixed values of Alhambra's component data [1.1, 1.2, 10.2]."""

from copy import deepcopy

from almunia.games.alhambra import components as box


def look_alike():
    """Return the tiles, with the same kind, price and walls for two of them."""
    tiles = deepcopy(box.DATA["tile"])
    tiles[15].update(price=6, walls="SW")
    return tiles


FAULTS = [  # the place in the data, its wrong value (None leaves it out), and the error message
    ("components.building_tiles", 55, "components, building_tiles is 55 and must be 54"),
    ("start_tile.walls", "N", "start_tile, walls is 'N' and must be ''"),
    ("money.values", [1, 2, 3], "money, values is [1, 2, 3] and must be [1, 2, 3, 4, 5, 6, 7, 8, 9]"),
    ("money.copies", 0, "money, copies is 0 and must be 3"),
    ("setup.market_size", 5, "setup, market_size is 5 and must be 4"),
    ("setup.piles", 0, "setup, piles is 0 and must be 5"),
    ("setup.scoring2_pile", 9, "setup, scoring2_pile is 9 and must be 4"),
    ("turn.take_money_several_max_sum", 6, "turn, take_money_several_max_sum is 6 and must be 5"),
    ("two_players.dirk_initial_tiles", 12, "two_players, dirk_initial_tiles is 12 and must be 6"),
    ("currency", [], "currency is [] and must have 4 rows"),
    ("currency", box.DATA["currency"][::-1], "currency 1, id is 'ducat' and must be 'florin'"),
    ("currency.0.market_square", 2, "currency 1, market_square is 2 and must be 1"),
    ("building_type.5", None, "and must have 6 rows"),
    ("building_type", box.DATA["building_type"][::-1], "building_type 1, id is 'tower' and must be 'pavilion'"),
    ("building_type.5.count", 0, "building_type 6, count is 0 and must be from 1 to 20"),
    (
        "building_type.5.count",
        12,
        "building_type 1, count to building_type 6, count add up to 55 and must add up to 54",
    ),
    ("building_type.0.round1", [], "building_type 1, round1 is [] and must have 1 row"),
    ("building_type.0.round2", [8], "building_type 1, round2 is [8] and must have 2 rows"),
    ("building_type.0.round3", [16, 8], "building_type 1, round3 is [16, 8] and must have 3 rows"),
    ("building_type.0.round1.0", 0, "building_type 1, round1 1 is 0 and must be from 1 to 40"),
    ("building_type.0.round2.0", 41, "building_type 1, round2 1 is 41 and must be from 1 to 40"),
    ("building_type.0.round3.0", 41, "building_type 1, round3 1 is 41 and must be from 1 to 40"),
    ("building_type.0.round2", [1, 8], "building_type 1, round2 is [1, 8] and must be falling from each number"),
    (
        "building_type.0.round3",
        [16, 16, 1],
        "building_type 1, round3 is [16, 16, 1] and must be falling from each number",
    ),
    (
        "building_type.0.round1.0",
        9,
        "building_type 1 has [9, 8, 16] for first places, which must rise from round to round",
    ),
    ("tile.53", None, "and must have 54 rows"),
    ("tile.0.id", "tower-13-E", "tile 54, id is 'tower-13-E' and must be another one than tile 1, id"),
    ("tile.0.type", "fountain", "tile 1, type is 'fountain' and must be one of pavilion, seraglio"),
    ("tile.0.type", "tower", "building_type 1, count is 7, and tile has 6 of the kind pavilion"),
    ("tile.4.price", 0, "tile 5, price is 0 and must be from 1 to 20"),
    ("tile.4.price", 26, "tile 5, price is 26 and must be from 1 to 20"),
    ("tile.0.walls", "WN", "tile 1, walls is 'WN' and must be at most three of NESW, in this order"),
    ("tile.0.walls", "NESW", "tile 1, walls is 'NESW' and must be at most three of NESW, in this order"),
    ("tile", look_alike(), "tile 17 (arcades-6-SW) has kind, price and walls of tile 16, and must differ from it"),
    (
        "tile",
        [{**tile, "walls": ""} for tile in box.DATA["tile"]],
        "lines, and the grid has 40",
    ),
]


DOCUMENTED = [  # values that no file may change
    "components.starting_tiles",
    "components.money_cards",
    "components.scoring_cards",
    "components.reserve_boards",
    "components.counters",
    "money.copies_two_players",
    "setup.money_display",
    "setup.starting_money_at_least",
    "setup.scoring1_pile",
    "turn.take_money_any_single_card",
    "turn.exact_payment_gives_another_action",
    "turn.max_actions",
    "two_players.dirk",
    "two_players.money_cards",
    "two_players.dirk_after_round1",
    "two_players.dirk_takes_part_in_building_majorities",
    "two_players.dirk_scores_walls",
    "two_players.dirk_gets_leftover_tiles",
    "two_players.may_give_bought_tile_to_dirk",
]


CORRECTIONS = [  # changes that an owner's file may make
    ("tile.4.price", 7),
    ("tile.6.walls", "N"),
    ("building_type.0.round3.0", 15),
    ("building_type.5.round1.0", 7),
    ("tile.0.id", "pavilion-2"),
]
