"""Models for a game's `schema.py`, which describes the values that a corrected component file may change.

    class Tile(Partial):
        price: Annotated[int, between(1, 20)]

    class Tables(Corrections):
        remarks = ("colour",)
        tile: list[Tile]

Here the prices of tiles may change. Everything else must stay as it is in the shipped file, the number and order of
tiles included; only keys that begin with "colour" may say anything. Rules for several values at once are a method
`contradictions`. Needs pydantic (the extra [components], and part of [web]): import this for corrected files only.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from .component_data import Data, differences, shorten


class Partial(BaseModel):
    """Keys of a table that may change. Its other keys stay as they are shipped, and so does the number of rows."""

    model_config = ConfigDict(strict=True, extra="ignore")


class Whole(BaseModel):
    """All keys of a table. A list of such tables may have other rows than the shipped one."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Corrections(Partial):
    """The tables of a component file that may change: a game's `schema.py` calls its subclass `Tables`."""

    remarks: ClassVar[tuple[str, ...]] = ()  # prefixes of keys on which nothing depends

    @classmethod
    def faults(cls, data: Data, shipped: Data) -> Iterator[str]:
        """Yield a sentence on each value of a corrected file that cannot be; contradictions only if there is none."""
        found = list(differences(shipped, data, "", cls, cls.remarks))
        try:
            tables = cls.model_validate(data)
        except ValidationError as error:
            found += map(sentence, error.errors(include_url=False))
        yield from dict.fromkeys(found) or tables.contradictions(data, shipped)

    def contradictions(self, data: Data, shipped: Data) -> Iterable[str]:
        """Return sentences on values that do not go together, though each is one that the models allow."""
        return ()


# --- sentences -------------------------------------------------------------------------------------------


def sentence(error: Any) -> str:
    """Return an error of pydantic as a sentence: "tile 5, price is 0 and must be from 1 to 20"."""
    *way, last = error["loc"]
    place, value = named(error["loc"]), shorten(error["input"])
    match error["type"]:
        case "missing":
            return f"{named(way) or 'the file'} lacks {last!r}"
        case "extra_forbidden":
            return f"{named(way)} has {shorten(last)}, which is not known here"
        case "value_error":
            return f"{place} is {value} and must {error['ctx']['error']}"
        case "model_type":
            return f"{place} is {value} and must be a table"
    return f"{place} is {value} and must be {error['msg'].removeprefix('Input should be ')}"


def named(way: Iterable[str | int]) -> str:
    """Return a location for a sentence, with rows counted from 1: `tile 5, price`."""
    parts = (f" {part + 1}" if isinstance(part, int) else f", {part}" for part in way if part != "[key]")
    return "".join(parts).removeprefix(", ")


# --- rules for one value ---------------------------------------------------------------------------------


def between(low: int, high: int) -> AfterValidator:
    """Return the rule for a number from `low` to `high`; pydantic's own names only the bound that is broken."""

    def check(number: int) -> int:
        if not low <= number <= high:
            raise ValueError(f"be from {low} to {high}")
        return number

    return AfterValidator(check)


def rows(low: int, high: int | None = None) -> AfterValidator:
    """Return the rule for a list with this many rows, exactly `low` without `high`."""
    wanted = f"from {low} to {high} rows" if high else f"{low} {'row' if low == 1 else 'rows'}"

    def check(values: list[Any]) -> list[Any]:
        if not low <= len(values) <= (high or low):
            raise ValueError(f"have {wanted}")
        return values

    return AfterValidator(check)


def words(name: str) -> str:
    """Raise ValueError unless a name is words on one line, by which records can tell rows apart."""
    if not name or not name.isprintable() or name != " ".join(name.split()):
        raise ValueError("be words with single spaces between them")
    return name


def rise(numbers: list[int]) -> list[int]:
    """Raise ValueError unless each number is higher than the one before."""
    if any(first >= second for first, second in pairwise(numbers)):
        raise ValueError("rise from each number to the next")
    return numbers


def fall(numbers: list[int]) -> list[int]:
    """Raise ValueError unless each number is lower than the one before."""
    if any(first <= second for first, second in pairwise(numbers)):
        raise ValueError("fall from each number to the next")
    return numbers


def differ(values: list[Any]) -> list[Any]:
    """Raise ValueError if a list has a value twice."""
    if any(value in values[:number] for number, value in enumerate(values)):
        raise ValueError("have no row twice")
    return values


Name = Annotated[str, AfterValidator(words)]
RISING, FALLING, UNIQUE = AfterValidator(rise), AfterValidator(fall), AfterValidator(differ)


# --- rules for several values ----------------------------------------------------------------------------


def repeats(data: Data, *columns: tuple[str, str]) -> Iterator[str]:
    """Yield a sentence on each value that columns (a table and a key) have twice, whatever its capitals."""
    seen: dict[str, str] = {}
    for table, key in columns:
        for number, row in enumerate(data[table], 1):
            place = f"{table} {number}, {key}"
            first = seen.setdefault(repr(row[key]).casefold(), place) if key in row else place
            if first != place:
                yield f"{place} is {shorten(row[key])} and must be another one than {first}"
