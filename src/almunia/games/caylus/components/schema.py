"""Which of Caylus' component data a corrected file may change: what is printed on tiles, and the road's shape [D36]."""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Literal

from pydantic import AfterValidator

from ....core.component_data import Data, shorten
from ....core.corrections import UNIQUE, Corrections, Name, Partial, Whole, between, repeats, rows

ROW_LENGTHS = (2, 7, 7, 6, 6)  # spaces in the rows of the road, between which the picture has its other pieces
SPACES = [*range(1, sum(ROW_LENGTHS) + 1)]
CUBES = {"food", "wood", "stone", "cloth", "gold"}
RESIDENCE_POINTS = 2  # which the rulebook gives [D13]


def some(cubes: dict[str, int]) -> dict[str, int]:
    """Raise ValueError if there is no cube."""
    if not cubes:
        raise ValueError("have at least 1 cube")
    return cubes


Count = Annotated[int, between(1, 5)]  # cubes of a kind
Amount = Annotated[int, between(1, 30)]  # points or deniers
Cubes = Annotated[dict[Literal["food", "wood", "stone", "cloth", "gold"], Count], AfterValidator(some)]
Price = Annotated[dict[Literal["food", "wood", "stone", "cloth", "gold", "any"], Count], AfterValidator(some)]


def serpentine(road: list[list[int]]) -> list[list[int]]:
    """Raise ValueError unless the road has every space once, in rows as long as the picture has room for."""
    if tuple(map(len, road)) != ROW_LENGTHS or sorted(chain(*road)) != SPACES:
        lengths = ", ".join(map(str, ROW_LENGTHS))
        raise ValueError(f"be rows of {lengths} spaces, with each from 1 to {len(SPACES)} once")
    return road


class Road(Partial):
    """The road."""

    layout_rows: Annotated[list[list[int]], AfterValidator(serpentine)]


class Option(Whole):
    """What a worker produces, or pays and gains."""

    food: Count | None = None
    wood: Count | None = None
    stone: Count | None = None
    cloth: Count | None = None
    gold: Count | None = None
    pay_any: Count | None = None
    pay_common: Count | None = None
    gain_common: Count | None = None
    pay_cubes: Cubes | None = None
    gain_cubes: Cubes | None = None
    pay_deniers: Amount | None = None
    gain_deniers: Amount | None = None
    gain_pp: Amount | None = None


class Effect(Partial):
    """What a worker does on a tile."""

    options: Annotated[list[Option], rows(1, 2), UNIQUE] | None = None
    owner_bonus: list[Cubes] | None = None


class Building(Partial):
    """A tile."""

    name: Name
    cost: Price | None = None
    pp: Amount | None = None
    effect: Effect | None = None


class Tables(Corrections):
    """The tables that may change."""

    remarks = ("src", "conf", "sources", "editions", "tie")
    road: Road
    building: list[Building]

    def contradictions(self, data: Data, shipped: Data) -> Iterator[str]:
        """Yield sentences on tiles that players could not tell apart, build or use."""
        rows = data["building"]
        built = {"building": [row if "cost" in row else {} for row in rows]}  # actions name tiles that can be built
        yield from repeats(built, ("building", "name"))
        for number, row in enumerate(rows, 1):
            if row["class"] in ("wood", "stone") and row["class"] not in row["cost"]:  # which a favour takes off [4.4]
                yield f"building {number}, cost is {shorten(row['cost'])} and must be at least 1 {row['class']}"
            if row["class"] == "residential" and row["pp"] != RESIDENCE_POINTS:
                yield f"building {number}, pp is {row['pp']} and must be {RESIDENCE_POINTS}"
            if "options" in row.get("effect", {}):
                yield from option_faults(f"building {number}, effect", row["effect"])


def option_faults(place: str, effect: Data) -> Iterator[str]:
    """Yield sentences on what a worker cannot choose between [2.17-2.22]."""
    options = effect["options"]
    if effect["kind"] == "trade":
        if any(sorted(key.partition("_")[0] for key in option) != ["gain", "pay"] for option in options):
            yield f"{place}, options is {shorten(options)}, and each must be one thing to pay and one to gain"
        return
    kinds = [kind for option in options for kind in option]
    if not all(options) or not {*kinds} <= CUBES:
        yield f"{place}, options is {shorten(options)}, and each must be cubes"
    elif len(options) > 1 and not len({*kinds}) == len(kinds) == len(options):  # the kind is the choice
        yield f"{place}, options is {shorten(options)} and must be of one kind each, all different"
    bonus = [{kind: 1} for kind in kinds]  # an owner takes one cube of a kind produced [2.18]
    if effect.get("owner_bonus", bonus) != bonus:
        yield f"{place}, owner_bonus is {shorten(effect['owner_bonus'])} and must be {shorten(bonus)}"
