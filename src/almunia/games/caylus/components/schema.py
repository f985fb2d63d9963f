"""Models of the values that a corrected component file of Caylus may change: tiles, and the road's shape [D36]."""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Literal

from pydantic import AfterValidator

from ....core.component_data import Data, shorten
from ....core.corrections import UNIQUE, Corrections, Name, Partial, Whole, between, repeats, rows

ROW_LENGTHS = (2, 7, 7, 6, 6)  # number of spaces in each row; the picture's other pieces fit between the rows
SPACES = [*range(1, sum(ROW_LENGTHS) + 1)]
CUBES = {"food", "wood", "stone", "cloth", "gold"}
RESIDENCE_POINTS = 2  # from the rulebook [2.21]


def some(cubes: dict[str, int]) -> dict[str, int]:
    """Return the cubes. Raise ValueError if the dictionary is empty."""
    if not cubes:
        raise ValueError("have at least 1 cube")
    return cubes


Count = Annotated[int, between(1, 5)]  # cubes of a kind
Amount = Annotated[int, between(1, 30)]  # points or deniers
Cubes = Annotated[dict[Literal["food", "wood", "stone", "cloth", "gold"], Count], AfterValidator(some)]
Price = Annotated[dict[Literal["food", "wood", "stone", "cloth", "gold", "any"], Count], AfterValidator(some)]


def serpentine(road: list[list[int]]) -> list[list[int]]:
    """Return the rows. Raise ValueError unless they have the required lengths, and each space once."""
    if tuple(map(len, road)) != ROW_LENGTHS or sorted(chain(*road)) != SPACES:
        lengths = ", ".join(map(str, ROW_LENGTHS))
        raise ValueError(f"be rows of {lengths} spaces, with each from 1 to {len(SPACES)} once")
    return road


class Road(Partial):
    """The rows of spaces on the printed board."""

    layout_rows: Annotated[list[list[int]], AfterValidator(serpentine)]


class Option(Whole):
    """One option of a tile: the cubes that it produces, or a price and a gain."""

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
    """The effect of a tile."""

    options: Annotated[list[Option], rows(1, 2), UNIQUE] | None = None
    owner_bonus: list[Cubes] | None = None


class Building(Partial):
    name: Name
    cost: Price | None = None
    pp: Amount | None = None
    effect: Effect | None = None


class Tables(Corrections):
    """The tables that a corrected file may change, with a model for the rows of each."""

    remarks = ("src", "conf", "sources", "editions", "tie")
    road: Road
    building: list[Building]

    def contradictions(self, data: Data, shipped: Data) -> Iterator[str]:
        """Yield error messages on contradictions between tiles, or with the rules."""
        rows = data["building"]
        built = {"building": [row if "cost" in row else {} for row in rows]}  # action names contain these tiles
        yield from repeats(built, ("building", "name"))
        for number, row in enumerate(rows, 1):
            if row["class"] in ("wood", "stone") and row["class"] not in row["cost"]:  # less by favour [4.4]
                yield f"building {number}, cost is {shorten(row['cost'])} and must be at least 1 {row['class']}"
            if row["class"] == "residential" and row["pp"] != RESIDENCE_POINTS:
                yield f"building {number}, pp is {row['pp']} and must be {RESIDENCE_POINTS}"
            if "options" in row.get("effect", {}):
                yield from option_faults(f"building {number}, effect", row["effect"])


def option_faults(place: str, effect: Data) -> Iterator[str]:
    """Yield error messages on faults in the options or the owner's bonus of an effect [2.17-2.22]."""
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
    bonus = [{kind: 1} for kind in kinds]  # the owner's bonus is a cube of a kind produced [2.18]
    if effect.get("owner_bonus", bonus) != bonus:
        yield f"{place}, owner_bonus is {shorten(effect['owner_bonus'])} and must be {shorten(bonus)}"
