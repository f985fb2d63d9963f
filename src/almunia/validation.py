"""Checks of arguments: integers, names, seeds, flags."""

from collections.abc import Collection
from numbers import Integral, Real
from operator import index
from secrets import randbits
from typing import Any, TypeGuard

from .errors import SetupError

MAX_COUNT = 2**40  # of plays, threads and the like
MAX_SEED = 2**63 - 1


def is_int(number: object) -> TypeGuard[int]:
    """Return whether this is an integer of Python or NumPy. Arrays, True and False are none."""
    return isinstance(number, Integral) and not isinstance(number, bool)


def as_index(number: object) -> int | None:
    """Return the integer for which Python takes this as an index; None if it takes it for none.

    Integers of NumPy, and arrays and tensors without axes are integers. True and False are none.
    """
    try:
        return None if isinstance(number, bool) else index(number)  # type: ignore[arg-type]  # it may be anything
    except TypeError:
        return None


def is_one_of(name: object, names: Collection[str]) -> TypeGuard[str]:
    """Return whether this is one of these names; also for arrays and things without a hash."""
    return isinstance(name, str) and name in names


def fits_float32(number: Any) -> bool:
    """Return whether this is a number that a float32 represents well. True and False are none."""
    real = not isinstance(number, bool) and isinstance(number, Real)
    return real and bool(-MAX_COUNT <= number <= MAX_COUNT)


def check_int(what: str, number: int, minimum: int, maximum: int = MAX_COUNT) -> int:
    """Return a number of things; SetupError if it is no integer from `minimum` to `maximum`."""
    if not is_int(number) or not minimum <= number <= maximum:
        raise SetupError(f"The number of {what} is a whole number from {minimum} to {maximum}, not {number!r}.")
    return int(number)


def check_seed(seed: int) -> int:
    """Return a seed; SetupError if it is no integer from 0 to MAX_SEED."""
    if not is_int(seed) or not 0 <= seed <= MAX_SEED:
        raise SetupError(f"A seed is a whole number from 0 to 2**63 - 1, not {seed!r}.")
    return int(seed)


def check_game(game: Any) -> None:
    """Raise SetupError for a game's name in place of the game."""
    if isinstance(game, str):
        raise SetupError(f"This takes a game, not its name: almunia.game({game!r}).")


def check_flag(name: str, flag: bool) -> bool:
    """Return a flag; SetupError if it is not True or False."""
    if not isinstance(flag, bool):
        raise SetupError(f"`{name}` is True or False, not {flag!r}.")
    return flag


def random_seed() -> int:
    """Return a seed that cannot be guessed."""
    return randbits(63)
