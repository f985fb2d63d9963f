"""Models of the values that a corrected component file of Alhambra may change [1.1, 10.2]."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator

from ....core.component_data import Data
from ....core.corrections import FALLING, Corrections, Name, Partial, between, repeats, rows
from . import COMPASS, SIDE

Points = Annotated[int, between(1, 40)]


def sides(walls: str) -> str:
    """Return the walls. Raise ValueError unless the walls are at most three letters of COMPASS, in its order."""
    if walls != "".join(side for side in COMPASS if side in walls) or walls == COMPASS:
        raise ValueError(f"be at most three of {COMPASS}, in this order")
    return walls


class Kind(Partial):
    count: Annotated[int, between(1, 20)]
    round1: Annotated[list[Points], rows(1)]
    round2: Annotated[list[Points], rows(2), FALLING]
    round3: Annotated[list[Points], rows(3), FALLING]


class Tile(Partial):
    id: Name
    type: Literal["pavilion", "seraglio", "arcades", "chambers", "garden", "tower"]
    price: Annotated[int, between(1, 20)]
    walls: Annotated[str, AfterValidator(sides)]


class Tables(Corrections):
    """The tables of Alhambra that a corrected file may change."""

    remarks = ("meta", "player_colours", "colour", "german", "aliases", "symbol")
    building_type: list[Kind]
    tile: list[Tile]

    def contradictions(self, data: Data, shipped: Data) -> Iterator[str]:
        yield from repeats(data, ("tile", "id"))
        yield from kind_faults(data)
        yield from tile_faults(data["tile"])


def kind_faults(data: Data) -> Iterator[str]:
    for row, kind in enumerate(data["building_type"], 1):
        count = sum(tile["type"] == kind["id"] for tile in data["tile"])
        if count != kind["count"]:
            yield f"building_type {row}, count is {kind['count']}, and tile has {count} of the kind {kind['id']}"
        firsts = [kind[f"round{number}"][0] for number in (1, 2, 3)]
        if firsts != sorted(set(firsts)):
            yield f"building_type {row} has {firsts} for first places, which must rise from round to round"


def tile_faults(tiles: list[Data]) -> Iterator[str]:
    seen: dict[tuple[str, int, str], int] = {}
    for row, tile in enumerate(tiles, 1):
        other = seen.setdefault((tile["type"], tile["price"], tile["walls"]), row)
        if other != row:
            yield f"tile {row} ({tile['id']}) has kind, price and walls of tile {other}, and must differ from it"
    for across in ("NS", "EW"):
        reach = longest_reach(tiles, across)
        if reach > SIDE - 2:
            yield f"tile has so few walls that an Alhambra could reach over {reach} lines, and the grid has {SIDE}"


def longest_reach(tiles: list[Data], across: str) -> int:
    """Return an upper bound of the number of rows ("NS") or columns ("EW") of an Alhambra of all tiles.

    Consider a row that holds a single tile and is neither the first nor the last. That row is crossed on foot through
    its tile, so the tile is open to north and south, as the fountain is. Each other row between the first and the last
    holds at least two tiles. For columns, read east and west.
    """
    through = sum(not set(across) & set(tile["walls"]) for tile in tiles)
    return 1 + through + 2 + (len(tiles) - through - 2) // 2
