"""The position in the independent implementation of Caylus."""

import tomllib
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BOX = tomllib.loads((Path(__file__).parents[2] / "components" / "components.toml").read_text(encoding="utf-8"))
BUILDING = {building["id"]: building for building in BOX["building"]}
SECTION = {section["id"]: section for section in BOX["castle"]["section"]}
LINES = tuple(BOX["favours"]["lines"])
KINDS = ("food", "wood", "stone", "cloth", "gold")
COMMON = ("food", "wood", "stone", "cloth")
BESIDE_FOOD = ("wood", "stone", "cloth", "gold")
WORK_SPACES = ("neutral", "fixed", "wood", "stone")  # classes of buildings that take workers
CRAFT = ("wood", "stone")
PHASES = ("income", "workers", "special", "provost", "road", "castle", "end")
DECLINE = ("decline",)

Choice = tuple
Flow = Generator["Question", Choice, Any]
Cubes = dict[str, int]


@dataclass(frozen=True)
class Question:
    """A decision of a player: the word of the question, the seat, and the legal choices."""

    word: str
    seat: int
    choices: list[Choice]


@dataclass
class Plot:
    """One space of the road.

    `building` is None on an empty space, and "residence" for a residence. Neutral and fixed buildings have no owner.
    `residence_for` is the seat that has paid for a residence here, which is built when the worker has gone home.
    """

    building: str | None = None
    owner: int | None = None
    worker: int | None = None
    residence_for: int | None = None


class Position:
    """The board and the holdings of all seats."""

    # --- setup -------------------------------------------------------------------------------------

    def __init__(self, seats, neutral_order, turn_order, jeweller=False, simple_favours=False):
        neutral = [name for name in BUILDING if BUILDING[name]["class"] == "neutral"]
        if seats not in (2, 3, 4, 5) or sorted(turn_order) != list(range(seats)):
            raise ValueError("2 to 5 seats, each of them once in the turn order")
        if sorted(neutral_order) != sorted(neutral):
            raise ValueError("each neutral tile once")
        self.seats = seats
        self.simple_favours = simple_favours
        self.tiles = {name: tile for name, tile in BUILDING.items() if jeweller or not tile.get("option", False)}

        self.turn = 0
        self.phase = PHASES[0]
        self.over = False
        self.winners: list[int] = []
        self.turn_order = list(turn_order)
        self.bridge: list[int] = []
        self.bailiff = BOX["setup"]["bailiff"]
        self.provost = BOX["setup"]["provost"]

        self.road = {space: Plot() for space in range(1, BOX["road"]["length"] + 1)}
        for space, name in zip(BOX["setup"]["neutral_spaces"], neutral_order, strict=True):
            self.road[space].building = name
        for space, name in BOX["road"]["fixed"].items():
            self.road[int(space)].building = name
        self.supply = {
            name: tile["count"] for name, tile in self.tiles.items() if tile["class"] in ("wood", "stone", "prestige")
        }

        self.money = [0] * seats
        by_rank = BOX["setup"]["deniers_two_players" if seats == 2 else "deniers_by_rank"]
        for rank, seat in enumerate(turn_order):
            self.money[seat] = by_rank[rank]
        self.cubes = [dict(BOX["setup"]["cubes"]) for _ in range(seats)]
        self.points = [BOX["setup"]["score"]] * seats
        self.home = [BOX["stock"]["workers_per_player"]] * seats
        self.favours = [dict.fromkeys(LINES, BOX["setup"]["favour_level"]) for _ in range(seats)]
        self.lines_used: list[set[str]] = [set() for _ in range(seats)]
        self.houses = {section: [0] * seats for section in SECTION}
        self.scored = dict.fromkeys(SECTION, False)

        self.special: dict[str, int | None] = dict.fromkeys(("gate", "trading_post", "merchants_guild", "joust_field"))
        self.stables: list[int] = []
        self.castle: list[int] = []
        self.inn_left: int | None = None
        self.inn_right: int | None = None

    # --- cubes -------------------------------------------------------------------------------------

    def gain(self, seat: int, cubes: Cubes) -> None:
        for kind, number in cubes.items():
            self.cubes[seat][kind] += number

    def pay(self, seat: int, cubes: Cubes) -> None:
        for kind, number in cubes.items():
            self.cubes[seat][kind] -= number

    def has(self, seat: int, cubes: Cubes) -> bool:
        return all(self.cubes[seat][kind] >= number for kind, number in cubes.items())

    def kinds_held(self, seat: int, kinds: tuple[str, ...]) -> list[str]:
        return [kind for kind in kinds if self.cubes[seat][kind] > 0]

    def number_of(self, seat: int, kinds: tuple[str, ...]) -> int:
        return sum(self.cubes[seat][kind] for kind in kinds)

    # --- tiles, sections and points ----------------------------------------------------------------

    def first_empty_space(self) -> int | None:
        """Return the first empty space, or None if the road is full."""
        return next((space for space, plot in self.road.items() if plot.building is None), None)

    def in_supply(self, sort: str) -> list[str]:
        return [name for name, number in self.supply.items() if number > 0 and self.tiles[name]["class"] == sort]

    def residences(self, seat: int) -> list[int]:
        """Return the spaces of a player's residences, without pending ones."""
        return [s for s, plot in self.road.items() if plot.building == "residence" and plot.owner == seat]

    def class_of(self, plot: Plot) -> str:
        assert plot.building is not None
        return self.tiles[plot.building]["class"]

    def is_full(self, section: str) -> bool:
        return sum(self.houses[section]) == SECTION[section]["spaces"]

    def lose_points(self, seat: int, number: int) -> None:
        self.points[seat] = max(BOX["score"]["floor"], self.points[seat] - number)

    def open_columns(self) -> int:
        """Return the last column that markers may reach."""
        if self.scored["walls"]:
            return BOX["favours"]["open_columns"]["after_walls"]
        if self.scored["dungeon"]:
            return BOX["favours"]["open_columns"]["after_dungeon"]
        return BOX["favours"]["open_columns"]["start"]
