"""Checks of arguments: integers, names, seeds, flags."""

from collections.abc import Collection
from numbers import Integral, Real
from operator import index
from secrets import randbits
from typing import Any, TypeGuard

from .errors import SetupError, one_of

MAX_COUNT = 2**40  # of plays, seats, threads and other things that are counted
MAX_SEED = 2**63 - 1


def is_int(number: object) -> TypeGuard[int]:
    """Return whether an object is an integer of Python or NumPy, and neither an array nor a boolean."""
    return isinstance(number, Integral) and not isinstance(number, bool)


def as_index(number: object) -> int | None:
    """Return an object that Python accepts as an index as an int; None for other objects, and for booleans.

    Python accepts integers of NumPy, and arrays and tensors without axes that hold an integer.
    """
    try:
        return None if isinstance(number, bool) else index(number)  # type: ignore[arg-type]  # it may be anything
    except TypeError:
        return None


def is_one_of(name: object, names: Collection[str]) -> TypeGuard[str]:
    """Return whether an object, which may be an array or unhashable, is one of these names."""
    return isinstance(name, str) and name in names


def check_one_of(what: str, name: object, names: Collection[str]) -> str:
    """Return a name. Raise SetupError with the known names if `names` lacks the name. `what` is the noun for a name."""
    if not is_one_of(name, names):
        raise SetupError(f"There is no {what} {name!r}. There are: {one_of(names, str(name))}")
    return name


def fits_float32(number: Any) -> bool:
    """Return whether an object is a number, and no boolean, from -MAX_COUNT to MAX_COUNT."""
    real = not isinstance(number, bool) and isinstance(number, Real)
    return real and bool(-MAX_COUNT <= number <= MAX_COUNT)


def check_int(what: str, number: int, minimum: int, maximum: int = MAX_COUNT) -> int:
    """Return a number as an int. Raise SetupError unless the number is an integer from `minimum` to `maximum`.

    `what` is the noun for the message, in the plural.
    """
    if not is_int(number) or not minimum <= number <= maximum:
        raise SetupError(f"The number of {what} is a whole number from {minimum} to {maximum}, not {number!r}.")
    return int(number)


def check_seed(seed: int) -> int:
    """Return a seed as an int. Raise SetupError unless the seed is an integer from 0 to MAX_SEED."""
    if not is_int(seed) or not 0 <= seed <= MAX_SEED:
        raise SetupError(f"A seed is a whole number from 0 to 2**63 - 1, not {seed!r}.")
    return int(seed)


def check_game(game: Any) -> None:
    """Raise SetupError if `game` is a string, such as the name of a game."""
    if isinstance(game, str):
        raise SetupError(f"This takes a game, not its name: almunia.game({game!r}).")


def check_flag(name: str, flag: bool) -> bool:
    """Return a flag. Raise SetupError unless the flag is True or False."""
    if not isinstance(flag, bool):
        raise SetupError(f"`{name}` is True or False, not {flag!r}.")
    return flag


def random_seed() -> int:
    return randbits(63)
