"""Reads a game's component data: its own, or that of somebody who owns the box."""

import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import SetupError
from ..files import read_text

FOLDER = "ALMUNIA_COMPONENTS"
LARGEST = 256 * 1024  # bytes of a component file
MOST = 5  # faults that are told at a time

Data = dict[str, Any]


def read(components: str, faults: Callable[[Data], Iterable[str]]) -> Data:
    """The tables of the `components.toml` beside the module `components` (its `__file__`).

    A file `<package>.toml` in the folder that the environment variable ALMUNIA_COMPONENTS names is
    taken instead: the corrected data of somebody who owns the box. `faults` says, a sentence each,
    what in the data cannot be.

    Raises:
        SetupError: the folder is not there, or the file cannot be read or has faults.
    """
    own = Path(components).with_name("components.toml")
    path = chosen(own)
    data = parsed(path)
    found = list(islice(unlike([parsed(own)], data, ""), MOST)) if path != own else []
    try:
        found = found or list(islice(faults(data), MOST))
    except SetupError:  # which is a ValueError, too
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        found = [f"a table or value is missing or of the wrong kind ({type(error).__name__}: {error})"]
    if found:
        raise SetupError(f"The component file {path} cannot be used: {'; '.join(found)}.")
    return data


def parsed(path: Path) -> Data:
    """What a component file says; SetupError if it cannot be read."""
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise SetupError(f"The component file {path} has {size} bytes, and such a file has at most {LARGEST}.")
        return tomllib.loads(read_text(path))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"The component file {path} cannot be read: {error}.") from None
    except RecursionError:
        raise SetupError(f"The component file {path} cannot be read: it is nested too deeply.") from None


def folder_given() -> Path | None:
    """The folder of corrected files, if there is one; SetupError if what is named is no folder."""
    folder = os.environ.get(FOLDER)
    if folder and not Path(folder).is_dir():
        raise SetupError(f"{FOLDER} names {folder}, which is no folder.")
    return Path(folder) if folder else None


def chosen(own: Path) -> Path:
    """The corrected file of this game if there is one, or its own."""
    folder = folder_given()
    if folder is None:
        return own
    game = own.parent.parent if own.parent.name == own.stem else own.parent  # as `components` is a package or a file
    corrected = folder / f"{game.name}.toml"
    return corrected if corrected.is_file() else own


def corrected(package: str) -> bool:
    """Is the data of this game's package replaced by that of somebody who owns the box?"""
    folder = os.environ.get(FOLDER)
    return bool(folder) and (Path(folder or "") / f"{package.rpartition('.')[2]}.toml").is_file()


# --- the kinds of values, as the game's own data has them ---------------------------------------------


def unlike(own: Sequence[Any], given: Any, place: str) -> Iterator[str]:
    """How a value differs in kind from the game's own ones at its place, a sentence each.

    A table has the same keys as those, a number the same sign and not many times their size. What a number
    must be beyond that the game's own `faults` know.
    """
    if all(isinstance(one, dict) for one in own):
        yield from unlike_table(own, given, place)
    elif all(isinstance(one, list) for one in own):
        if not isinstance(given, list):
            yield f"{place} is {shown(given)} and must be a list"
            return
        parts = [part for one in own for part in one]
        for number, part in enumerate(given, 1):
            yield from unlike(parts, part, f"{place} {number}")
    elif type(given) not in {type(one) for one in own} | ({int} if float in map(type, own) else set()):
        yield f"{place} is {shown(given)} and must be {' or '.join(sorted({kind(one) for one in own}))}"
    elif isinstance(given, int | float) and not isinstance(given, bool):
        numbers = [one for one in own if isinstance(one, int | float)]
        low, high = 2 * min(0, *numbers), 2 * max(5, *numbers)
        if not low <= given <= high:
            yield f"{place} is {shown(given)} and must be from {low} to {high}"


def unlike_table(own: Sequence[Data], given: Any, place: str) -> Iterator[str]:
    """The same of a table: its keys, and what they stand for."""
    if not isinstance(given, dict):
        yield f"{place} is {shown(given)} and must be a table"
        return
    name = place or "the file"
    known = set().union(*own)
    yield from (f"{name} lacks {key!r}" for key in sorted(set(own[0]).intersection(*own) - set(given)))
    yield from (f"{name} has {shown(key)}, which is not known" for key in given if key not in known)
    for key, value in given.items():
        if key in known:
            yield from unlike([one[key] for one in own if key in one], value, f"{place}, {key}" if place else key)


def kind(value: Any) -> str:
    """What kind of value this is."""
    kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", list: "a list"}
    return kinds.get(type(value), "a table")


def shown(value: Any) -> str:
    """A value as a sentence quotes it."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
