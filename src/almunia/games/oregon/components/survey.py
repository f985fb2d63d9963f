"""Checks of a map of Oregon against the documented facts about the printed map [1.1, 1.2, D25]."""

from collections.abc import Iterator
from typing import Any

Cell = tuple[int, int]  # row and column; the top left space is (0, 0)

BESIDE = ((-1, 0), (0, -1), (0, 1), (1, 0))
TOUCHING = tuple((r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0))


class Survey:
    def __init__(self, board: dict[str, Any]) -> None:
        self.width, self.height = board["columns"], board["rows"]
        self.grid: list[str] = board["map"]["grid"]
        self.terrains: dict[str, str] = board["legend"]
        self.tops: list[str] = board["column_symbols"]
        self.lefts: list[str] = board["row_symbols"]
        self.area = board["area_height"], board["area_width"]

    def spaces(self, terrain: str) -> set[Cell]:
        return {
            (row, column)
            for row, line in enumerate(self.grid)
            for column, letter in enumerate(line)
            if self.terrains[letter] == terrain
        }

    def land(self, *symbols: str) -> set[Cell]:
        """Return the land spaces where the row of one of two symbols crosses the column of the other."""
        one, other = symbols
        water = self.spaces("water")
        return {
            (row, column)
            for row in range(self.height)
            for column in range(self.width)
            if self.symbols((row, column)) in ((one, other), (other, one)) and (row, column) not in water
        }

    def symbols(self, cell: Cell) -> tuple[str, str]:
        return self.lefts[cell[0] // self.area[0]], self.tops[cell[1] // self.area[1]]

    def by_water(self) -> set[Cell]:
        """Return the cells that touch water, on the map or beyond its edge."""
        return {step(cell, by) for cell in self.spaces("water") for by in TOUCHING}

    def harbors(self) -> set[Cell]:
        return self.spaces("plain") & self.by_water()

    def on_edge(self, cell: Cell) -> bool:
        return cell[0] in (0, self.height - 1) or cell[1] in (0, self.width - 1)


def step(cell: Cell, by: Cell) -> Cell:
    return cell[0] + by[0], cell[1] + by[1]


def parts(cells: set[Cell], ways: tuple[Cell, ...]) -> list[set[Cell]]:
    """Return the connected parts of a set of spaces, with `ways` as the steps between neighbours."""
    found, left = [], set(cells)
    while left:
        part, waiting = set(), [left.pop()]
        while waiting:
            cell = waiting.pop()
            part.add(cell)
            near = {step(cell, by) for by in ways} & left
            left -= near
            waiting += near
        found.append(part)
    return found


def sites(board: dict[str, Any], building: dict[str, Any]) -> list[int]:
    """Return the numbers of the spaces that suit a building, in ascending order [6.3, 6.5]."""
    survey = Survey(board)
    found = survey.spaces(building["terrain"])
    if building["must_touch_water"]:
        found &= survey.by_water()
    return [row * survey.width + column for row, column in sorted(found)]


def shape_faults(board: dict[str, Any]) -> Iterator[str]:
    width, height, grid = board["columns"], board["rows"], board["map"]["grid"]
    if len(grid) != height or any(len(line) != width for line in grid):
        yield f"board, map, grid must be {height} rows of {width} letters"
    foreign = set("".join(grid)) - set(board["legend"])
    if foreign:
        yield f"board, map, grid has the letters {sorted(foreign)}, which board, legend does not explain"


def map_faults(board: dict[str, Any]) -> Iterator[str]:
    """Yield error messages on documented properties of the printed map that this map lacks."""
    known, survey = board["documented_constraints"], Survey(board)
    lakes, ranges = parts(survey.spaces("water"), TOUCHING), parts(survey.spaces("mountain"), TOUCHING)
    if len(lakes) != known["lakes"]:
        yield f"the map has {len(lakes)} lakes instead of {known['lakes']}"
    if known["lake_on_the_right"] and not any(column > survey.width // 2 for lake in lakes for _, column in lake):
        yield "no lake lies on the right of the map"
    if len(ranges) < known["mountain_ranges_min"]:
        yield f"the map has {len(ranges)} mountain ranges, and should have {known['mountain_ranges_min']}"
    if known["mountain_at_top"] and not any(row == 0 for rock in ranges for row, _ in rock):
        yield "no mountain lies at the top of the map"
    rails = survey.spaces("rail")
    ends = parts({cell for cell in rails if survey.on_edge(cell)}, BESIDE)
    if len(parts(rails, BESIDE)) != 1 or len(ends) != known["rail_arms"]:
        yield f"the railway is not one line that reaches the edge {known['rail_arms']} times"
    if known["mostly_plain"] and 2 * len(survey.spaces("plain")) <= survey.width * survey.height:
        yield "the map is not mostly plain"
    yield from crossing_faults(survey, known)


def crossing_faults(survey: Survey, known: dict[str, Any]) -> Iterator[str]:
    """Yield error messages on documented facts about crossing rows and columns that this map contradicts."""
    symbols = survey.tops
    sizes = {(one, other): len(survey.land(one, other)) for one in symbols for other in symbols}
    wanted = known["a_card_pair_with_land_spaces"]
    if wanted not in sizes.values():
        yield f"no two symbols open {wanted} spaces, as in the rule sheet's first example"
    mountains = [cell for cell in survey.spaces("mountain") if "campfire" in survey.symbols(cell)]
    if len(mountains) < known["campfire_has_mountains_min"]:
        yield "the campfire's row and column have too few mountains for the rule sheet's second example"
    harbors = survey.harbors()
    near = survey.land(*known["harbor_pair_in"])
    if not any(sum(step(cell, by) in harbors for by in TOUCHING) > 1 for cell in near):
        yield f"no space where {' and '.join(known['harbor_pair_in'])} cross lies beside two harbor sites"
