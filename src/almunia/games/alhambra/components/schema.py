"""Which of Alhambra's component data a corrected file may change: tiles, and the points of their kinds [1.1, 10.2]."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator

from ....core.component_data import Data
from ....core.corrections import FALLING, Corrections, Name, Partial, between, repeats, rows
from . import COMPASS, SIDE

Points = Annotated[int, between(1, 40)]


def sides(walls: str) -> str:
    """Raise ValueError unless these are the walls of a tile."""
    if walls != "".join(side for side in COMPASS if side in walls) or walls == COMPASS:
        raise ValueError(f"be at most three of {COMPASS}, in this order")
    return walls


class Kind(Partial):
    """A kind of building."""

    count: Annotated[int, between(1, 20)]
    round1: Annotated[list[Points], rows(1)]
    round2: Annotated[list[Points], rows(2), FALLING]
    round3: Annotated[list[Points], rows(3), FALLING]


class Tile(Partial):
    """A building tile."""

    id: Name
    type: Literal["pavilion", "seraglio", "arcades", "chambers", "garden", "tower"]
    price: Annotated[int, between(1, 20)]
    walls: Annotated[str, AfterValidator(sides)]


class Tables(Corrections):
    """The tables that may change."""

    remarks = ("meta", "player_colours", "colour", "german", "aliases", "symbol")
    building_type: list[Kind]
    tile: list[Tile]

    def contradictions(self, data: Data, shipped: Data) -> Iterator[str]:
        """Yield sentences on tiles and kinds that do not go together."""
        yield from repeats(data, ("tile", "id"))
        yield from kind_faults(data)
        yield from tile_faults(data["tile"])


def kind_faults(data: Data) -> Iterator[str]:
    """Yield sentences on counts that the tiles do not have, and on first places that do not rise."""
    for row, kind in enumerate(data["building_type"], 1):
        count = sum(tile["type"] == kind["id"] for tile in data["tile"])
        if count != kind["count"]:
            yield f"building_type {row}, count is {kind['count']}, and tile has {count} of the kind {kind['id']}"
        firsts = [kind[f"round{number}"][0] for number in (1, 2, 3)]
        if firsts != sorted(set(firsts)):
            yield f"building_type {row} has {firsts} for first places, which must rise from round to round"


def tile_faults(tiles: list[Data]) -> Iterator[str]:
    """Yield sentences on tiles that look alike, and on Alhambras too long for the grid."""
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
    """Return how many rows (or columns) all tiles can reach over at most.

    A row that holds one tile alone, and is neither the first nor the last, is crossed on foot
    through that tile, so the tile is open to north and south, as the fountain is. Every other
    row between the first and the last holds two tiles or more.
    """
    through = sum(not set(across) & set(tile["walls"]) for tile in tiles)
    return 1 + through + 2 + (len(tiles) - through - 2) // 2
