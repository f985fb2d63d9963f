"""A simple, slow implementation of rules of Oregon, as an oracle for tests.

A cell is a pair (row, column). Buildings on the board, with start tiles, are a dict from cell to kind. Farmers on the
board are a dict from cell to seat. Kinds, symbols and terrains are named as in components.toml.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

Cell = tuple[int, int]
Buildings = Mapping[Cell, str]
Farmers = Mapping[Cell, int]

HAND_SIZE = 4
GROUP_SIZE = 3
GROUP_POINTS = 5
FIXED_POINTS = {"post_office": 3, "harbor": 4, "warehouse": 1, "train_station": 1}


@dataclass(frozen=True)
class Board:
    """The printed board. `background` maps each kind of building to its terrain."""

    terrain: Mapping[Cell, str]
    column_symbol: Mapping[int, str]
    row_symbol: Mapping[int, str]
    background: Mapping[str, str]


@dataclass(frozen=True)
class Earnings:
    points: int = 0
    coal_tiles: int = 0
    gold_tiles: int = 0
    joker: bool = False
    extra_turn: bool = False

    def __add__(self, other: "Earnings") -> "Earnings":
        return Earnings(
            self.points + other.points,
            self.coal_tiles + other.coal_tiles,
            self.gold_tiles + other.gold_tiles,
            self.joker or other.joker,
            self.extra_turn or other.extra_turn,
        )


@dataclass(frozen=True)
class Play:
    """One way to play cards. A play without a building card places a farmer."""

    landscape_cards: tuple[str, ...]
    building_card: str | None
    joker: bool
    cell: Cell


def board_of(components: Mapping[str, Any]) -> Board:
    table = components["board"]
    grid = table["map"]["grid"]
    return Board(
        terrain={(r, c): table["legend"][grid[r][c]] for r in range(table["rows"]) for c in range(table["columns"])},
        column_symbol={c: table["column_symbols"][c // table["area_width"]] for c in range(table["columns"])},
        row_symbol={r: table["row_symbols"][r // table["area_height"]] for r in range(table["rows"])},
        background={building["id"]: building["terrain"] for building in components["building"]},
    )


def adjacent(cell: Cell) -> set[Cell]:
    """Return the 8 neighbours of a cell, including diagonal ones, on or off the board."""
    row, column = cell
    return {(row + dr, column + dc) for dr, dc in product((-1, 0, 1), repeat=2) if (dr, dc) != (0, 0)}


def connected(cell: Cell) -> set[Cell]:
    """Return the 4 horizontal and vertical neighbours of a cell, on or off the board."""
    row, column = cell
    return {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}


def empty_cells(board: Board, buildings: Buildings, farmers: Farmers) -> set[Cell]:
    return {cell for cell in board.terrain if cell not in buildings and cell not in farmers}


def area(board: Board, row_card: str, column_card: str) -> set[Cell]:
    rows = {row for row, symbol in board.row_symbol.items() if symbol == row_card}
    columns = {column for column, symbol in board.column_symbol.items() if symbol == column_card}
    return set(product(rows, columns))


def farmer_spaces(board: Board, buildings: Buildings, farmers: Farmers, one: str, other: str) -> set[Cell]:
    """Return the empty land cells of the areas that two landscape cards select, with either card as the row."""
    selected = area(board, one, other) | area(board, other, one)
    return {cell for cell in selected & empty_cells(board, buildings, farmers) if board.terrain[cell] != "water"}


def farmer_spaces_with_joker(board: Board, buildings: Buildings, farmers: Farmers, card: str) -> set[Cell]:
    symbols = set(board.row_symbol.values())
    return {cell for choice in symbols for cell in farmer_spaces(board, buildings, farmers, card, choice)}


def start_sites(board: Board, buildings: Buildings, farmers: Farmers, kind: str) -> set[Cell]:
    """Return the empty cells of the board that suit a building, for a harbor only cells adjacent to water."""
    return {
        cell
        for cell in empty_cells(board, buildings, farmers)
        if board.terrain[cell] == board.background[kind]
        and (kind != "harbor" or any(board.terrain.get(near) == "water" for near in adjacent(cell)))
    }


def building_sites(board: Board, buildings: Buildings, farmers: Farmers, kind: str, card: str) -> set[Cell]:
    return {
        (row, column)
        for row, column in start_sites(board, buildings, farmers, kind)
        if board.row_symbol[row] == card or board.column_symbol[column] == card
    }


def building_sites_with_joker(board: Board, buildings: Buildings, farmers: Farmers, kind: str) -> set[Cell]:
    symbols = set(board.row_symbol.values())
    return {cell for choice in symbols for cell in building_sites(board, buildings, farmers, kind, choice)}


def legal_plays(
    board: Board,
    buildings: Buildings,
    farmers: Farmers,
    landscape_cards: Iterable[str],
    building_cards: Iterable[str],
    joker_active: bool,
    stocks: Mapping[str, int],
    farmers_left: int,
) -> set[Play]:
    hand = sorted(landscape_cards)
    place = (board, buildings, farmers)
    plays: set[Play] = set()
    if farmers_left > 0:
        for pair in combinations(hand, 2):
            plays |= {Play(pair, None, False, cell) for cell in farmer_spaces(*place, *pair)}
        for card in hand if joker_active else []:
            plays |= {Play((card,), None, True, cell) for cell in farmer_spaces_with_joker(*place, card)}
    for kind in [kind for kind in building_cards if stocks[kind] > 0]:
        for card in hand:
            plays |= {Play((card,), kind, False, cell) for cell in building_sites(*place, kind, card)}
        if joker_active:
            plays |= {Play((), kind, True, cell) for cell in building_sites_with_joker(*place, kind)}
    return plays


def may_take_extra_turn(token_active: bool, already_taken: bool, plays: set[Play]) -> bool:
    return token_active and not already_taken and bool(plays)


def building_value(kind: str, crowd: int) -> Earnings:
    """Return the earnings of one farmer from an adjacent building with `crowd` farmers around it."""
    return Earnings(
        points=crowd if kind == "church" else FIXED_POINTS.get(kind, 0),
        coal_tiles=1 if kind == "coal_mine" else 0,
        gold_tiles=1 if kind == "gold_mine" else 0,
        joker=kind == "warehouse",
        extra_turn=kind == "train_station",
    )


def farmers_around(cell: Cell, farmers: Farmers) -> int:
    return len([near for near in adjacent(cell) if near in farmers])


def farmer_earnings(cell: Cell, buildings: Buildings, farmers: Farmers) -> Earnings:
    """Return the earnings of a farmer just placed from all adjacent buildings.

    `farmers` includes this farmer. The points of a new group are not included.
    """
    earned = Earnings()
    for near in adjacent(cell):
        if near in buildings:
            earned += building_value(buildings[near], farmers_around(near, farmers))
    return earned


def building_earnings(cell: Cell, kind: str, farmers: Farmers, seats: Iterable[int]) -> dict[int, Earnings]:
    """Return each player's earnings for the player's farmers adjacent to a building just placed."""
    earned = {seat: Earnings() for seat in seats}
    for near in adjacent(cell):
        if near in farmers:
            earned[farmers[near]] += building_value(kind, farmers_around(cell, farmers))
    return earned


def group(cell: Cell, own: set[Cell]) -> set[Cell]:
    found = {cell}
    while True:
        more = {near for member in found for near in connected(member) if near in own} - found
        if not more:
            return found
        found |= more


def group_points(cell: Cell, seat: int, farmers_before: Farmers) -> int:
    """Return the points for a new group: 5, or 0 if there is none, or if a part was a group before."""
    own = {place for place, owner in farmers_before.items() if owner == seat}
    joined = [group(near, own) for near in connected(cell) if near in own]
    if any(len(part) >= GROUP_SIZE for part in joined):
        return 0
    return GROUP_POINTS if len(group(cell, own | {cell})) >= GROUP_SIZE else 0


def token_after(active: bool, used: bool, earned: bool) -> bool:
    return earned or (active and not used)


def tiles_taken(earned: Mapping[int, int], stock: int, active_seat: int) -> dict[int, int]:
    """Return the number of tiles that each seat takes, the active seat first, then clockwise."""
    taken = {}
    for step in range(len(earned)):
        seat = (active_seat + step) % len(earned)
        taken[seat] = min(earned[seat], stock)
        stock -= taken[seat]
    return taken


def decks_to_draw_from(landscape_cards: int, building_cards: int) -> set[str]:
    draws = HAND_SIZE - landscape_cards - building_cards
    return {
        sequence[0]
        for sequence in product(("landscape", "building"), repeat=draws)
        if draws > 0
        and landscape_cards + sequence.count("landscape") >= 1
        and building_cards + sequence.count("building") >= 1
    }


def useless_building_cards(building_cards: Iterable[str], stocks: Mapping[str, int]) -> set[str]:
    return {kind for kind in building_cards if stocks[kind] == 0}


def building_cards_to_swap(
    building_cards: Iterable[str], stocks: Mapping[str, int], pile_and_discards: Iterable[str]
) -> set[str]:
    """Return the useless cards that may be swapped, or an empty set if pile and discards hold no useful card."""
    useful = any(stocks[kind] > 0 for kind in pile_and_discards)
    return useless_building_cards(building_cards, stocks) if useful else set()


def exhausted_kinds(stocks: Mapping[str, int]) -> set[str]:
    return {kind for kind, tiles in stocks.items() if tiles == 0}


def end_triggered(players: int, stocks: Mapping[str, int], farmers_left: Iterable[int]) -> bool:
    return 0 in farmers_left or len(exhausted_kinds(stocks)) >= players


def game_over(triggered: bool, players: int, start_seat: int, seat_of_last_turn: int) -> bool:
    return triggered and seat_of_last_turn == (start_seat - 1) % players


def final_points(points: int, coal_values: Iterable[int], gold_values: Iterable[int]) -> int:
    return points + sum(coal_values) + sum(gold_values)


def final_ranks(points: Mapping[int, int], farmers_on_board: Mapping[int, int]) -> dict[int, int]:
    results = {seat: (points[seat], farmers_on_board[seat]) for seat in points}
    return {seat: 1 + len([1 for other in results.values() if other > results[seat]]) for seat in results}
