"""Models for a game's `schema.py`, which describes the values that a corrected component file may change.

    class Tile(Partial):
        price: Annotated[int, between(1, 20)]

    class Tables(Corrections):
        remarks = ("colour",)
        tile: list[Tile]

Here the prices of tiles may change. Everything else must stay as it is in the shipped file, also the number and order
of tiles. Only keys that begin with "colour" may have any value. The method `contradictions` checks several values
against each other. This module needs pydantic (in the extras [components] and [web]), so only schemas import it.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from .component_data import Data, differences, shorten


class Partial(BaseModel):
    """A table in which only the described values may change. A list of such tables keeps its number of rows."""

    model_config = ConfigDict(strict=True, extra="ignore")


class Whole(BaseModel):
    """A table whose described values may all change, and which has no other values.

    A list of such tables may have another number of rows than shipped.
    """

    model_config = ConfigDict(strict=True, extra="forbid")


class Corrections(Partial):
    """The tables of a component file that may change: a game's `schema.py` calls its subclass `Tables`."""

    remarks: ClassVar[tuple[str, ...]] = ()  # prefixes of keys that may have any value, since nothing depends on them

    @classmethod
    def faults(cls, data: Data, shipped: Data) -> Iterator[str]:
        """Yield a sentence on each invalid value and each forbidden change.

        If there are no such faults, yield a sentence on each contradiction.
        """
        found = list(differences(data, shipped, "", cls, cls.remarks))
        try:
            tables = cls.model_validate(data)
        except ValidationError as error:
            found += map(error_sentence, error.errors(include_url=False))
        yield from dict.fromkeys(found) or tables.contradictions(data, shipped)

    def contradictions(self, data: Data, shipped: Data) -> Iterable[str]:
        """Return a sentence on each contradiction between values that the models allow. Default: empty."""
        return ()


# --- sentences -------------------------------------------------------------------------------------------


def error_sentence(error: Any) -> str:
    """Return an entry of pydantic's `errors()` as a sentence, such as "tile 5, price is 0 and must be from 1 to 20"."""
    *way, last = error["loc"]
    place, value = place_name(error["loc"]), shorten(error["input"])
    match error["type"]:
        case "missing":
            return f"{place_name(way) or 'the file'} lacks {last!r}"
        case "extra_forbidden":
            return f"{place_name(way)} has {shorten(last)}, which is not known here"
        case "value_error":
            return f"{place} is {value} and must {error['ctx']['error']}"
        case "model_type":
            return f"{place} is {value} and must be a table"
    return f"{place} is {value} and must be {error['msg'].removeprefix('Input should be ')}"


def place_name(way: Iterable[str | int]) -> str:
    parts = (f" {part + 1}" if isinstance(part, int) else f", {part}" for part in way if part != "[key]")
    return "".join(parts).removeprefix(", ")


# --- rules for one value ---------------------------------------------------------------------------------


def rule(sentence: str, holds: Callable[[Any], bool]) -> AfterValidator:
    """Return a validator that accepts values for which `holds` is true. `sentence` follows "must" in messages."""

    def check(value: Any) -> Any:
        if not holds(value):
            raise ValueError(sentence)
        return value

    return AfterValidator(check)


def between(low: int, high: int) -> AfterValidator:
    """Return a validator for a number from `low` to `high`, whose message names both bounds, unlike pydantic's."""
    return rule(f"be from {low} to {high}", lambda number: low <= number <= high)


def rows(low: int, high: int | None = None) -> AfterValidator:
    """Return a validator for a list of `low` to `high` rows, or of exactly `low` rows without `high`."""
    wanted = f"from {low} to {high} rows" if high else f"{low} {'row' if low == 1 else 'rows'}"
    return rule(f"have {wanted}", lambda values: low <= len(values) <= (high or low))


def is_words(name: str) -> bool:
    return name != "" and name.isprintable() and name == " ".join(name.split())


Name = Annotated[str, rule("be words with single spaces between them", is_words)]
RISING = rule("rise from each number to the next", lambda numbers: all(a < b for a, b in pairwise(numbers)))
FALLING = rule("fall from each number to the next", lambda numbers: all(a > b for a, b in pairwise(numbers)))
UNIQUE = rule("have no row twice", lambda rows: all(row not in rows[:number] for number, row in enumerate(rows)))


# --- rules for several values ----------------------------------------------------------------------------


def repeats(data: Data, *columns: tuple[str, str]) -> Iterator[str]:
    """Yield a sentence on each value in these columns (table, key) that repeats an earlier value, ignoring case."""
    seen: dict[str, str] = {}
    for table, key in columns:
        for number, row in enumerate(data[table], 1):
            place = f"{table} {number}, {key}"
            first = seen.setdefault(repr(row[key]).casefold(), place) if key in row else place
            if first != place:
                yield f"{place} is {shorten(row[key])} and must be another one than {first}"
