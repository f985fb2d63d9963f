"""What component data must be: a table of rules, each for the values at one place of the file.

    SCHEMA = {
        "money.copies": 3,  # a documented number: exactly this
        "tile.*.price": whole(1, 20),  # `*` stands for every row of a list, and for every key of a table
        "tile.*.type": entry("building_type.*.id"),
    }

`faults(data, SCHEMA)` says of every value that breaks its rule where it stands and what it must be. What no such rule
can say is a check of the game's own, a function that may rely on the rules: `faults(data, SCHEMA, tile_faults)`. Kinds
of values and missing keys have been looked at before (`component_data.unlike`); a key that a row does not have is
passed over here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from .component_data import Data, shown

ANY = "*"
LONGEST = 90  # letters of a list of choices in a sentence


class Place(NamedTuple):
    """A value, and how a sentence names the place where it stands: `tile 5, price`."""

    name: str
    value: Any


Rule = Callable[[list[Place], Data], Iterator[str]]
Check = Callable[[Data], Iterable[str]]  # what no rule for single values can say
Schema = Mapping[str, Any]  # a path, and what holds there: a Rule, a tuple of them, or the documented value itself


def faults(data: Data, schema: Schema, *checks: Check) -> Iterator[str]:
    """What breaks the rules of a schema, a sentence each; only where nothing does, what further checks find."""
    broken = list(broken_rules(data, schema))
    yield from broken
    if not broken:
        for check in checks:
            yield from check(data)


def broken_rules(data: Data, schema: Schema) -> Iterator[str]:
    """What breaks the rules of a schema alone."""
    for path, wanted in schema.items():
        found = list(places(data, path))
        for rule in wanted if isinstance(wanted, tuple) else (wanted,):
            yield from (rule if callable(rule) else fact(rule))(found, data)


def places(data: Data, path: str) -> Iterator[Place]:
    """All values at a path such as `tile.*.price`."""
    found = [Place("", data)]
    for key in path.split("."):
        found = [below for place in found for below in steps(place, key)]
    yield from found


def steps(place: Place, key: str) -> Iterator[Place]:
    """What stands under a key of a table, or in every row of a list."""
    name, value = place
    if isinstance(value, list):
        yield from (Place(f"{name} {row}", part) for row, part in enumerate(value, 1))
    elif isinstance(value, dict):
        for known in value if key == ANY else (key,):
            if known in value:
                yield Place(f"{name}, {known}" if name else known, value[known])


def must_be(place: Place, wanted: str) -> str:
    """The sentence about a value that is another one than it must be."""
    return f"{place.name} is {shown(place.value)} and must be {wanted}"


def choices(known: Iterable[Any]) -> str:
    """A list of possible values, as a sentence gives it."""
    text = ", ".join(map(str, known))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


# --- rules for each value ------------------------------------------------------------------------------


def fact(value: Any) -> Rule:
    """Documented, so exactly this."""

    def rule(found: list[Place], _: Data) -> Iterator[str]:
        yield from (must_be(place, shown(value)) for place in found if place.value != value)

    return rule


def whole(low: int, high: int) -> Rule:
    """A number from `low` to `high`."""

    def rule(found: list[Place], _: Data) -> Iterator[str]:
        yield from (must_be(place, f"from {low} to {high}") for place in found if not low <= place.value <= high)

    return rule


def among(*known: Any) -> Rule:
    """One of these values."""

    def rule(found: list[Place], _: Data) -> Iterator[str]:
        yield from (must_be(place, f"one of {choices(known)}") for place in found if place.value not in known)

    return rule


def entry(*paths: str) -> Rule:
    """One of the values that stand at other places of the file."""

    def rule(found: list[Place], data: Data) -> Iterator[str]:
        yield from among(*(place.value for path in paths for place in places(data, path)))(found, data)

    return rule


def rows(low: int, high: int | None = None, repeats: bool = True) -> Rule:
    """A list with this many rows (exactly `low` without `high`), perhaps all different."""
    most = low if high is None else high
    wanted = f"{low} {'row' if low == 1 else 'rows'}" if most == low else f"from {low} to {most} rows"

    def rule(found: list[Place], _: Data) -> Iterator[str]:
        for place in found:
            if not low <= len(place.value) <= most:
                yield f"{place.name} is {shown(place.value)} and must have {wanted}"
            elif not repeats and any(row in place.value[:i] for i, row in enumerate(place.value)):
                yield f"{place.name} is {shown(place.value)} and must have no row twice"

    return rule


def falling(found: list[Place], _: Data) -> Iterator[str]:
    """A list of numbers, each lower than the one before."""
    for place in found:
        if any(first <= second for first, second in pairwise(place.value)):
            yield must_be(place, "falling from each number to the next")


def rising(found: list[Place], _: Data) -> Iterator[str]:
    """A list of numbers, each higher than the one before."""
    for place in found:
        if any(first >= second for first, second in pairwise(place.value)):
            yield must_be(place, "rising from each number to the next")


# --- rules for all values of a path together ----------------------------------------------------------------


def different(*others: str) -> Rule:
    """Each value another one than those before it, and than those at other places; capitals make no difference."""

    def rule(found: list[Place], data: Data) -> Iterator[str]:
        seen = {folded(place.value): place.name for path in others for place in places(data, path)}
        for place in found:
            first = seen.setdefault(folded(place.value), place.name)
            if first != place.name:
                yield must_be(place, f"another one than {first}")

    return rule


def folded(value: Any) -> str:
    """A value by which two are compared."""
    return repr(value).casefold()


def name(*others: str) -> Rule:
    """Words on one line by which rows are told apart in records: no two alike, here and at other places."""

    def rule(found: list[Place], data: Data) -> Iterator[str]:
        for place in found:
            if not place.value.isprintable() or not place.value or place.value != " ".join(place.value.split()):
                yield must_be(place, "words with single spaces between them")
        yield from different(*others)(found, data)

    return rule


def total(amount: int | str) -> Rule:
    """Numbers that add up to an amount, or to the number at another place."""

    def rule(found: list[Place], data: Data) -> Iterator[str]:
        wanted = amount if isinstance(amount, int) else sum(place.value for place in places(data, amount))
        added = sum(place.value for place in found)
        if found and added != wanted:
            yield f"the numbers from {found[0].name} to {found[-1].name} add up to {added} and must add up to {wanted}"

    return rule
