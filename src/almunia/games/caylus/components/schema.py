"""What Caylus' component data must be: the shape of the board is a fact, numbers on tiles may be corrected."""

from collections.abc import Iterator
from itertools import pairwise

from ....core.component_data import Data
from ....core.schema import Place, among, different, faults as schema_faults, must_be, name, rising, rows, whole

CUBES = ("food", "wood", "stone", "cloth", "gold")
CLASSES = ("neutral", "fixed", "wood", "stone", "prestige", "residential")
SPECIALS = ("gate", "trading_post", "merchants_guild", "joust_field", "stables", "inn")
LINES = ("prestige", "deniers", "resources", "buildings")
NAMED = ("peddler_fixed", "carpenter_fixed", "gold_mine", "residence")  # buildings that the rules know by name
MOST = 30  # points or deniers for anything on a tile

SCHEMA = {
    # --- documented: pieces, places and bounds ---
    "meta.players_min": 2,
    "meta.players_max": 5,
    "stock.workers_per_player": 6,
    "setup.deniers_by_rank": rows(5),
    "setup.deniers_two_players": rows(2),
    "setup.bailiff": 6,
    "setup.provost": 6,
    "road.length": 28,
    "road.neutral": [1, 2, 3, 4, 5, 6],
    "road.fixed": {"7": "peddler_fixed", "8": "carpenter_fixed", "16": "gold_mine"},
    "road.scoring_trigger": {"dungeon": 12, "walls": 18, "towers": 24},
    "road.bailiff_step_provost_ahead": 2,
    "road.bailiff_step_otherwise": 1,
    "bridge.spaces": [1, 2, 3, 4, 5],
    "provost.max_steps_phase4": 3,
    "provost.max_steps_guild": 3,
    "special": rows(6),
    "special.*.id": (among(*SPECIALS), different()),
    "castle.batch_must_contain": "food",
    "castle.batch_kinds": list(CUBES),
    "castle.batch_size": 3,
    "castle.section": rows(3),
    "castle.section.*.spaces": whole(1, 14),
    "favours.columns": 5,
    "favours.open_columns": {"start": 2, "after_dungeon": 4, "after_walls": 5},
    "favours.max_per_player_and_phase": 4,
    "favours.lines": list(LINES),
    "favours.resources": rows(5),
    "favours.buildings": rows(5),
    # --- what is printed on tiles ---
    "building.*.id": name(),
    "building.*.class": among(*CLASSES),
    "building.*.count": whole(1, 8),
    "building.*.pp": whole(1, MOST),
    "building.*.income": whole(1, 5),
    "building.*.favours": whole(1, 4),
    "building.*.cost.*": whole(1, 5),
    "building.*.effect.kind": among("produce", "trade", "build", "convert"),
    "building.*.effect.options": rows(1, 2),
    "building.*.effect.builds": among("wood", "stone", "prestige"),
    "favours.prestige.columns": (rows(5), rising),
    "favours.deniers.columns": (rows(5), rising),
    "final.pp_per_gold": whole(0, MOST),
    "final.common_cubes_per_pp": whole(1, MOST),
    "final.deniers_per_pp": whole(1, MOST),
}


def faults(data: Data) -> Iterator[str]:
    """What cannot be: values outside the schema, classes out of order, or a choice between kinds that is none."""
    return schema_faults(data, SCHEMA, name_faults, class_faults, option_faults)


def name_faults(data: Data) -> Iterator[str]:
    """Some buildings are known by name, and each has a name of its own."""
    found = [building["id"] for building in data["building"]]
    for known in NAMED:
        if found.count(known) != 1:
            yield must_be(Place("building", found), f"rows of which one has the id {known}")


def class_faults(data: Data) -> Iterator[str]:
    """The classes follow one another, for codes name what can be built as one range."""
    order = [CLASSES.index(building["class"]) for building in data["building"]]
    for row, (first, second) in enumerate(pairwise(order), 2):
        if second < first:
            yield must_be(Place(f"building {row}, class", CLASSES[second]), f"{CLASSES[first]} or a later one")


def option_faults(data: Data) -> Iterator[str]:
    """Who may choose what is produced chooses between single kinds, all different: the kind is the choice."""
    for row, building in enumerate(data["building"], 1):
        options = building.get("effect", {}).get("options", [])
        kinds = [kind for option in options for kind in option]
        if building.get("effect", {}).get("kind") == "produce" and len(options) > 1 and len({*kinds}) < len(options):
            yield must_be(Place(f"building {row}, effect, options", options), "of one kind each, all different")
