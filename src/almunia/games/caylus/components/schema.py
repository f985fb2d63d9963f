"""The schema of Caylus' component data: the rulebook's values are fixed, amounts printed on tiles may be corrected."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from ....core.component_data import Data, shown
from ....core.english import listed
from ....core.schema import Place, Rule, faults as schema_faults, must_be, name, rows, whole
from .documented import BUILDINGS, BUILT, CUBES, DOCUMENTED, EFFECTS, NOTED

NOTES = ("src", "conf")  # keys that any row may have, for its sources
ACROSS = (2, 7, 7, 6, 6)  # spaces in each row of the road; the picture puts its other pieces between them
SPACES = [*range(1, sum(ACROSS) + 1)]
CUBES_MOST, MOST = 5, 30  # limits on a tile: cubes of a kind; points or deniers
MONEY_OR_POINTS = ("pay_deniers", "gain_deniers", "gain_pp")
PRINTED = ("options", "owner_bonus")  # the keys of an effect that may be corrected


def unlike(place: Place, wanted: Any) -> Iterator[str]:
    """Yield a fault for each part of a value, except notes, that differs from the rulebook's."""
    where, value = place
    table_rows = isinstance(wanted, list) and isinstance(wanted[0], dict)
    if isinstance(wanted, dict):
        yield from (f"{where} lacks {key!r}" for key in wanted if key not in value)
        yield from (f"{where} has {key!r}, which it must not have" for key in value if key not in {*wanted, *NOTES})
        for key, part in wanted.items():
            yield from unlike(Place(f"{where}, {key}", value[key]), part) if key in value else ()
    elif table_rows and len(value) == len(wanted):
        for number, row in enumerate(value, 1):
            yield from unlike(Place(f"{where} {number}", row), wanted[number - 1])
    elif table_rows:
        yield from rows(len(wanted))([place], {})
    elif value != wanted:
        yield must_be(place, shown(wanted))


def documented(wanted: Any) -> Rule:
    """Return a rule that allows exactly the rulebook's value."""

    def rule(found: list[Place], _: Data) -> Iterator[str]:
        for place in found:
            yield from unlike(place, wanted)

    return rule


def serpentine(found: list[Place], _: Data) -> Iterator[str]:
    """Yield a fault if the road's rows do not have the lengths of the picture, or not each space once."""
    for place in found:
        if tuple(map(len, place.value)) != ACROSS or sorted(chain(*place.value)) != SPACES:
            across = ", ".join(map(str, ACROSS))
            yield must_be(place, f"rows of {across} spaces, with each from 1 to {len(SPACES)} once")


SCHEMA = {path: documented(value) for path, value in DOCUMENTED.items()} | {
    "road.layout_rows": serpentine,
    "building": rows(len(BUILDINGS)),
    "building.*.pp": whole(1, MOST),
    "building.*.cost.*": whole(1, CUBES_MOST),
}


def faults(data: Data) -> Iterator[str]:
    """Yield the faults of the data: values that differ from the rulebook's, and tiles that cannot be built or used."""
    return schema_faults(data, SCHEMA, tile_faults)


def buildings(data: Data, *classes: str) -> Iterator[tuple[Place, str]]:
    """Yield the rows of the buildings, all or those of some classes, each with its effect."""
    for number, (row, (kind, does)) in enumerate(zip(data["building"], BUILDINGS.values(), strict=True), 1):
        if not classes or kind in classes:
            yield Place(f"building {number}", row), does


def tile_faults(data: Data) -> Iterator[str]:
    """Yield the faults of the buildings; names, costs and effects are checked if the rows are those of the rules."""
    broken = list(building_faults(data))
    yield from broken or chain(name_faults(data), cost_faults(data), effect_faults(data))


def building_faults(data: Data) -> Iterator[str]:
    """Yield a fault for each building that is not the one of the rules at its place, or lacks a key."""
    for (where, row), ident in zip((place for place, _ in buildings(data)), BUILDINGS, strict=True):
        kind, does = BUILDINGS[ident]
        printed = {"name", *(("cost", "pp") if kind in BUILT else ()), *(("effect",) if does else ())}
        yield from (f"{where} lacks {key!r}" for key in sorted(printed - row.keys()))
        known = {key: value for key, value in row.items() if key not in printed}
        yield from unlike(Place(where, known), {"id": ident, "class": kind, "count": 1} | NOTED.get(ident, {}))


def name_faults(data: Data) -> Iterator[str]:
    """Yield a fault for each wrong name, and for equal names of tiles that can be built."""
    built = [inside(place, "name") for place, _ in buildings(data, *BUILT)]
    yield from name()(built, data)
    for place, _ in buildings(data, "neutral", "fixed", "residential"):
        yield from name()([inside(place, "name")], data)


def cost_faults(data: Data) -> Iterator[str]:
    """Yield a fault for a wood or stone building without that cube, which a favour saves [4.4], or a free one."""
    for kind in ("wood", "stone"):
        for building, _ in buildings(data, kind):
            price = inside(building, "cost")
            if kind not in price.value:
                yield must_be(price, f"at least 1 {kind}")
    for building, _ in buildings(data, "prestige"):
        price = inside(building, "cost")
        if not price.value:
            yield must_be(price, "at least 1 cube")


def inside(place: Place, key: str) -> Place:
    """Return the place of a key within a row."""
    return Place(f"{place.name}, {key}", place.value[key])


# --- what workers do -----------------------------------------------------------------------------------------


def effect_faults(data: Data) -> Iterator[str]:
    """Yield the faults of the buildings' effects; their amounts may be corrected [2.17-2.22]."""
    for building, does in buildings(data):
        if does:
            effect = inside(building, "effect")
            known = {key: value for key, value in effect.value.items() if key not in PRINTED}
            yield from unlike(Place(effect.name, known), EFFECTS[does])
            owners = does == "produce" and building.value["class"] == "stone"
            yield from printed_faults(effect, does, owners)


def printed_faults(effect: Place, does: str, owners: bool) -> Iterator[str]:
    """Yield the faults of a tile's printed amounts, and of the owner's bonus."""
    wanted = [key for key, needed in zip(PRINTED, (does in OPTIONS, owners), strict=True) if needed]
    has = [key for key in PRINTED if key in effect.value]
    if has != wanted:
        yield f"{effect.name} has {listed(has) or 'nothing'} and must have {listed(wanted) or 'nothing'} printed on it"
    elif wanted:
        yield from OPTIONS[does](inside(effect, "options"))
        if owners:
            yield from bonus_faults(effect)


def heap_faults(place: Place) -> Iterator[str]:
    """Yield a fault unless the place has at least one cube, of known kinds."""
    if not place.value or not place.value.keys() <= {*CUBES}:
        yield must_be(place, f"at least 1 of {', '.join(CUBES)}")
    yield from whole(1, CUBES_MOST)([inside(place, kind) for kind in place.value], {})


def bonus_faults(effect: Place) -> Iterator[str]:
    """Yield a fault unless the owner's bonus is one cube of a kind produced [2.18]."""
    wanted = [{kind: 1} for option in effect.value["options"] for kind in option]
    if effect.value["owner_bonus"] != wanted:
        yield must_be(inside(effect, "owner_bonus"), shown(wanted))


def produced_faults(options: Place) -> Iterator[str]:
    """Yield the faults of a production. Options are single, different kinds, because the player chooses a kind."""
    yield from rows(1, 2)([options], {})
    for number, option in enumerate(options.value, 1):
        yield from heap_faults(Place(f"{options.name} {number}", option))
    kinds = [kind for option in options.value for kind in option]
    if len(options.value) > 1 and not len({*kinds}) == len(kinds) == len(options.value):
        yield must_be(options, "of one kind each, all different")


def trade_faults(options: Place) -> Iterator[str]:
    """Yield the faults of a building's trades: each pays one thing for another, and no two are equal [2.22]."""
    yield from rows(1, 2, repeats=False)([options], {})
    for number, option in enumerate(options.value, 1):
        place = Place(f"{options.name} {number}", option)
        if [key.partition("_")[0] for key in sorted(option)] != ["gain", "pay"]:
            yield must_be(place, "one thing to pay and one to gain")
        for key, value in option.items():
            most = MOST if key in MONEY_OR_POINTS else CUBES_MOST
            known = inside(place, key)
            yield from heap_faults(known) if isinstance(value, dict) else whole(1, most)([known], {})


OPTIONS = {"produce": produced_faults, "trade": trade_faults}
