"""Models of the values that a corrected component file of Oregon may change [1.1, 1.2, D25]."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator

from ....core.component_data import Data
from ....core.corrections import UNIQUE, Corrections, Name, Partial, between, repeats, rows
from .survey import map_faults, shape_faults, sites

Symbol = Literal["settler", "wagon", "campfire", "bison", "eagle"]
Symbols = Annotated[list[Symbol], rows(5), UNIQUE]
Amount = Annotated[int, between(0, 150)]  # a number of things on the map, at most the number of its spaces
TILES = 21  # number of coal tiles, and of gold tiles [1.5]


def add_up(counts: dict[str, int]) -> dict[str, int]:
    """Return the counts. Raise ValueError unless the counts add up to TILES."""
    if sum(counts.values()) != TILES:
        raise ValueError(f"add up to {TILES}, and its numbers add up to {sum(counts.values())}")
    return counts


class Building(Partial):
    name_en: Name
    terrain: Literal["plain", "mountain", "rail"]
    points: Annotated[int, between(0, 20)]


class Hidden(Partial):
    values: Annotated[dict[str, Annotated[int, between(1, 19)]], AfterValidator(add_up)]


class Map(Partial):
    name: str
    grid: list[str]


class Constraints(Partial):
    """Documented facts about the printed map, which a corrected map must meet."""

    lakes: Amount
    rail_arms: Amount
    mountain_ranges_min: Amount
    mountain_at_top: bool
    lake_on_the_right: bool
    harbor_pair_in: Annotated[list[Symbol], rows(2)]
    mostly_plain: bool
    a_card_pair_with_land_spaces: Amount
    campfire_has_mountains_min: Amount


class Board(Partial):
    column_symbols: Symbols
    row_symbols: Symbols
    map: Map
    documented_constraints: Constraints


class Scoring(Partial):
    group_points: Annotated[int, between(1, 20)]


class Tables(Corrections):
    """The tables of Oregon that a corrected file may change."""

    remarks = ("provenance", "name_de", "designers", "publisher", "example")
    building: list[Building]
    coal: Hidden
    gold: Hidden
    board: Board
    scoring: Scoring

    def contradictions(self, data: Data, shipped: Data) -> Iterator[str]:
        yield from repeats(data, ("landscape", "id"), ("building", "name_en"))
        for row, building in enumerate(data["building"], 1):
            if (building["points"] > 0) != (building["scoring"] == "fixed"):
                yield f"building {row}, points is {building['points']}, and it scores {building['scoring']!r}"
        for sort in ("coal", "gold"):
            known, values = (list(table[sort]["values"]) for table in (shipped, data))
            if set(values) != set(known):
                yield f"{sort}, values has {', '.join(values)} and must have {', '.join(known)}"
        yield from board_faults(data)


def board_faults(data: Data) -> Iterator[str]:
    """Yield error messages on faults of the map, and on buildings with too few spaces [1.2, D25]."""
    board, seats = data["board"], data["game"]["players_max"]
    shape = list(shape_faults(board))
    yield from shape
    if not shape:
        yield from (f"board, map: {sentence}" for sentence in map_faults(board))
        for building in data["building"]:
            count = len(sites(board, building))
            if count < seats:
                yield f"board, map: there are {count} spaces for a {building['id']}, and there must be {seats}"
