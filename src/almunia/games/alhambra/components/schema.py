"""What Alhambra's component data must be: what is printed and documented, and what may be corrected."""

from collections.abc import Iterator

from ....core.component_data import Data
from ....core.schema import entry, falling, faults as schema_faults, name, rows, total, whole

COMPASS = "NESW"  # the letters of the sides, in their order
SIDE = 40  # rows and columns of the joined grid on which an Alhambra lies [D16]
KINDS = ("pavilion", "seraglio", "arcades", "chambers", "garden", "tower")  # the order of the points table
CURRENCIES = ("florin", "dirham", "denar", "ducat")  # the order of the market's squares

SCHEMA = {
    # --- documented: the pieces of the box [1.1, 1.2] ---
    "components.building_tiles": 54,
    "components.starting_tiles": 6,
    "components.money_cards": 108,
    "components.scoring_cards": 2,
    "components.reserve_boards": 6,
    "components.counters": 12,
    "start_tile.walls": "",
    "money.values": [1, 2, 3, 4, 5, 6, 7, 8, 9],
    "money.copies": 3,
    "money.copies_two_players": 2,
    "currency": rows(len(CURRENCIES)),
    # --- documented: setting up, turns and the game for two [2, 4, 12] ---
    "setup.market_size": 4,
    "setup.money_display": 4,
    "setup.starting_money_at_least": 20,
    "setup.piles": 5,
    "setup.scoring1_pile": 2,
    "setup.scoring2_pile": 4,
    "turn.take_money_any_single_card": True,
    "turn.take_money_several_max_sum": 5,
    "turn.exact_payment_gives_another_action": True,
    "turn.max_actions": 5,
    "two_players.dirk": True,
    "two_players.money_cards": 72,
    "two_players.dirk_initial_tiles": 6,
    "two_players.dirk_after_round1": 6,
    "two_players.dirk_takes_part_in_building_majorities": True,
    "two_players.dirk_scores_walls": False,
    "two_players.dirk_gets_leftover_tiles": False,
    "two_players.may_give_bought_tile_to_dirk": True,
    # --- the kinds of building and their points [10.2] ---
    "building_type": rows(len(KINDS)),
    "building_type.*.count": (whole(1, 20), total("components.building_tiles")),
    "building_type.*.round1": rows(1),
    "building_type.*.round2": (rows(2), falling),
    "building_type.*.round3": (rows(3), falling),
    "building_type.*.round1.*": whole(1, 40),
    "building_type.*.round2.*": whole(1, 40),
    "building_type.*.round3.*": whole(1, 40),
    # --- the tiles ---
    "tile": rows(54),
    "tile.*.id": name(),
    "tile.*.type": entry("building_type.*.id"),
    "tile.*.price": whole(1, 20),
}


def faults(data: Data) -> Iterator[str]:
    """What cannot be: values outside the schema, or tiles and kinds that do not go together."""
    return schema_faults(data, SCHEMA, order_faults, kind_faults, tile_faults)


def order_faults(data: Data) -> Iterator[str]:
    """Kinds and currencies in another order than the points table and the market have them."""
    for table, names in (("building_type", KINDS), ("currency", CURRENCIES)):
        for row, (line, known) in enumerate(zip(data[table], names, strict=True), 1):
            if line["id"] != known:
                yield f"{table} {row}, id is {line['id']!r} and must be {known!r}"
            if line.get("market_square", row) != row:
                yield f"{table} {row}, market_square is {line['market_square']} and must be {row}"


def kind_faults(data: Data) -> Iterator[str]:
    """Other numbers of tiles than the kinds say, or a first place that earns no more than one round before."""
    for row, kind in enumerate(data["building_type"], 1):
        count = sum(tile["type"] == kind["id"] for tile in data["tile"])
        if count != kind["count"]:
            yield f"building_type {row}, count is {kind['count']}, and tile has {count} of the kind {kind['id']}"
        firsts = [kind[f"round{number}"][0] for number in (1, 2, 3)]
        if firsts != sorted(set(firsts)):
            yield f"building_type {row} has {firsts} for first places, which must rise from round to round"


def tile_faults(data: Data) -> Iterator[str]:
    """Walls that no tile has, two tiles that look alike, or Alhambras too long for the grid."""
    tiles = data["tile"]
    seen: dict[tuple[str, int, str], int] = {}
    for row, tile in enumerate(tiles, 1):
        walls = tile["walls"]
        if walls != "".join(side for side in COMPASS if side in walls) or walls == COMPASS:
            yield f"tile {row}, walls is {walls!r} and must be at most three of {COMPASS}, in this order"
        other = seen.setdefault((tile["type"], tile["price"], walls), row)
        if other != row:
            yield f"tile {row} ({tile['id']}) has kind, price and walls of tile {other}, and must differ from it"
    for across in ("NS", "EW"):
        reach = longest_reach(tiles, across)
        if reach > SIDE - 2:
            yield f"tile has so few walls that an Alhambra could reach over {reach} lines, and the grid has {SIDE}"


def longest_reach(tiles: list[Data], across: str) -> int:
    """How many rows (or columns) all tiles can reach over at most.

    A row that holds one tile alone, and is neither the first nor the last, is crossed on foot
    through that tile, so the tile is open to north and south, as the fountain is. Every other
    row between the first and the last holds two tiles or more.
    """
    through = sum(not set(across) & set(tile["walls"]) for tile in tiles)
    return 1 + through + 2 + (len(tiles) - through - 2) // 2
