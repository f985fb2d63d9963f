"""The values that the rulebook of Caylus states in words, with marks as in RULES.md. Corrected files must keep them."""

from typing import Any

CUBES = ("food", "wood", "stone", "cloth", "gold")
LINES = ("prestige", "deniers", "resources", "buildings")


def table(*rows: tuple[int, int, int]) -> list[dict[str, int]]:
    """Return the rows of a section's scoring table, each from (houses at least, favours, points)."""
    return [dict(zip(("min", "favours", "pp"), row, strict=True)) for row in rows]


def columns(*effects: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the columns of a line of favours, numbered from 1."""
    return [{"column": number, "effect": effect} for number, effect in enumerate(effects, 1)]


DOCUMENTED: dict[str, Any] = {  # values by their paths in the file
    "meta.players_min": 2,
    "meta.players_max": 5,
    # --- setting up [1.1-1.6, 5.1] ---
    "stock.cubes_limited": False,
    "stock.deniers_limited": False,
    "stock.houses_limited": False,
    "stock.workers_per_player": 6,
    "setup.cubes": {"food": 2, "wood": 1, "stone": 0, "cloth": 0, "gold": 0},
    "setup.deniers_by_rank": [5, 6, 6, 7, 7],
    "setup.deniers_two_players": [5, 5],
    "setup.score": 0,
    "setup.favour_level": 0,
    "setup.bailiff": 6,
    "setup.provost": 6,
    "setup.neutral_spaces": [1, 2, 3, 4, 5, 6],
    "road.length": 28,
    "road.neutral": [1, 2, 3, 4, 5, 6],
    "road.fixed": {"7": "peddler_fixed", "8": "carpenter_fixed", "16": "gold_mine"},
    "road.free": [*range(9, 16), *range(17, 29)],
    # --- the turn [2.1-2.15, 2.27, 5.2] ---
    "income.base": 2,
    "income.per_residence": 1,
    "income.library": 1,
    "income.hotel": 2,
    "bridge.spaces": [1, 2, 3, 4, 5],
    "bridge.first_passer_bonus": 1,
    "bridge.own_building_cost": 1,
    "bridge.inn_right_cost": 1,
    "bridge.two_player_cost_after_pass": 3,
    "score.floor": 0,
    "score.owner_pp_per_foreign_worker": 1,
    "special": [
        {"id": "gate", "order": 1, "capacity": 1, "effect": {"kind": "gate"}},
        {"id": "trading_post", "order": 2, "capacity": 1, "effect": {"kind": "gain", "deniers": 3}},
        {
            "id": "merchants_guild",
            "order": 3,
            "capacity": 1,
            "effect": {"kind": "move_provost", "max_steps": 3, "cost": 0},
        },
        {
            "id": "joust_field",
            "order": 4,
            "capacity": 1,
            "effect": {"kind": "buy_favour", "deniers": 1, "cubes": {"cloth": 1}, "favours": 1, "times": 1},
        },
        {
            "id": "stables",
            "order": 5,
            "capacity": 3,
            "max_per_player": 1,
            "min_players": 3,
            "effect": {"kind": "turn_order"},
        },
        {"id": "inn", "order": 6, "capacity": 2, "effect": {"kind": "inn"}},
    ],
    "provost.max_steps_phase4": 3,
    "provost.max_steps_guild": 3,
    "provost.cost_per_step": 1,
    "provost.guild_cost": 0,
    "road.provost_min": 1,
    "road.provost_max": 28,
    "road.bailiff_step_provost_ahead": 2,
    "road.bailiff_step_otherwise": 1,
    # --- the castle [2.23-2.29] ---
    "road.scoring_trigger": {"dungeon": 12, "walls": 18, "towers": 24},
    "castle.worker_spaces": 5,
    "castle.batch_must_contain": "food",
    "castle.batch_kinds": list(CUBES),
    "castle.batch_size": 3,
    "castle.no_batch_penalty_pp": 2,
    "castle.most_batches_favours": 1,
    "castle.section": [
        {
            "id": "dungeon",
            "spaces": 6,
            "pp_per_batch": 5,
            "trigger_space": 12,
            "table": table((0, 0, -2), (1, 0, 0), (2, 1, 0)),
        },
        {
            "id": "walls",
            "spaces": 10,
            "pp_per_batch": 4,
            "trigger_space": 18,
            "table": table((0, 0, -3), (1, 0, 0), (2, 1, 0), (3, 2, 0), (5, 3, 0)),
        },
        {
            "id": "towers",
            "spaces": 14,
            "pp_per_batch": 3,
            "trigger_space": 24,
            "table": table((0, 0, -4), (1, 0, 0), (2, 1, 0), (4, 2, 0), (6, 3, 0)),
        },
    ],
    # --- favours, and the end [3.1, 4.1-4.6] ---
    "favours.columns": 5,
    "favours.open_columns": {"start": 2, "after_dungeon": 4, "after_walls": 5},
    "favours.max_per_player_and_phase": 4,
    "favours.lines": list(LINES),
    "favours.prestige.columns": [1, 2, 3, 4, 5],
    "favours.deniers.columns": [3, 4, 5, 6, 7],
    "favours.resources": columns(
        {"kind": "gain", "options": [{"food": 1}]},
        {"kind": "gain", "options": [{"wood": 1}, {"stone": 1}]},
        {"kind": "gain", "options": [{"cloth": 1}]},
        {"kind": "trade", "options": [{"pay_any": 1, "gain_common": 2}]},
        {"kind": "gain", "options": [{"gold": 1}]},
    ),
    "favours.buildings": columns(
        {"kind": "none"},
        {"kind": "build", "builds": "wood", "discount": {"wood": 1}},
        {"kind": "build", "builds": "stone", "discount": {"stone": 1}},
        {"kind": "convert", "deniers": 0, "cubes": {"cloth": 1}},
        {"kind": "build", "builds": "prestige"},
    ),
    "final.pp_per_gold": 3,
    "final.common_cubes_per_pp": 3,
    "final.deniers_per_pp": 4,
    "variant.simplified_favour.pp_per_favour": 3,
}

# Buildings in the order of the file, with their class and effect. The order matters: codes of actions name the tiles
# that can be built as one range, and the neutral tiles come first on the road [1.2, 1.4, 2.17-2.22].
BUILDINGS = {
    "farm_neutral": ("neutral", "produce"),
    "forest": ("neutral", "produce"),
    "sawmill_neutral": ("neutral", "produce"),
    "quarry_neutral": ("neutral", "produce"),
    "marketplace_neutral": ("neutral", "trade"),
    "carpenter_neutral": ("neutral", "build wood"),
    "peddler_fixed": ("fixed", "trade"),
    "carpenter_fixed": ("fixed", "build wood"),
    "gold_mine": ("fixed", "produce"),
    "farm_food": ("wood", "produce"),
    "farm_cloth": ("wood", "produce"),
    "quarry_wood": ("wood", "produce"),
    "sawmill_wood": ("wood", "produce"),
    "marketplace_wood": ("wood", "trade"),
    "peddler_wood": ("wood", "trade"),
    "mason": ("wood", "build stone"),
    "lawyer": ("wood", "convert"),
    "farm_stone": ("stone", "produce"),
    "park": ("stone", "produce"),
    "workshop": ("stone", "produce"),
    "church": ("stone", "trade"),
    "tailor": ("stone", "trade"),
    "bank": ("stone", "trade"),
    "alchemist": ("stone", "trade"),
    "architect": ("stone", "build prestige"),
    "jeweller": ("stone", "trade"),
    "statue": ("prestige", ""),
    "granary": ("prestige", ""),
    "library": ("prestige", ""),
    "weaver": ("prestige", ""),
    "theater": ("prestige", ""),
    "college": ("prestige", ""),
    "monument": ("prestige", ""),
    "hotel": ("prestige", ""),
    "cathedral": ("prestige", ""),
    "residence": ("residential", ""),
}
BUILT = ("wood", "stone", "prestige")  # the classes with a price and points
NOTED: dict[str, dict[str, Any]] = {  # further values of some buildings [2.1, 2.19-2.21, D13, D35]
    "lawyer": {"never_converted": True},
    "church": {"favours": 1},
    "architect": {"count": 2},
    "jeweller": {"option": True},
    "statue": {"favours": 1},
    "library": {"income": 1},
    "theater": {"favours": 1},
    "college": {"favours": 1},
    "monument": {"favours": 2},
    "hotel": {"income": 2},
    "residence": {
        "count": 8,
        "unlimited": True,
        "convert_cost": {"deniers": 1, "cloth": 1},
        "pp": 2,
        "income": 1,
    },
}
EFFECTS: dict[str, dict[str, Any]] = {  # the effects as the file has them, without printed amounts
    "produce": {"kind": "produce", "mandatory": True},
    "trade": {"kind": "trade"},
    "build wood": {"kind": "build", "builds": "wood"},
    "build stone": {"kind": "build", "builds": "stone"},
    "build prestige": {"kind": "build", "builds": "prestige"},
    "convert": {"kind": "convert", "deniers": 1, "cubes": {"cloth": 1}},
}
