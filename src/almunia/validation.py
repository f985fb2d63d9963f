"""What people and programs give, checked: counts, seeds and the like."""

from collections.abc import Collection
from numbers import Integral, Real
from operator import index
from secrets import randbits
from typing import Any, TypeGuard

from .errors import SetupError

MOST = 2**40  # of anything that is counted
MAX_SEED = 2**63 - 1


def is_whole(number: object) -> TypeGuard[int]:
    """Is this a whole number of Python or NumPy? An array of one is none, and neither are True and False."""
    return isinstance(number, Integral) and not isinstance(number, bool)


def index_of(number: object) -> int | None:
    """Return the whole number that this stands for wherever Python wants an index; None if it stands for none.

    So do whole numbers of NumPy, and arrays and tensors without axes. True and False do not.
    """
    try:
        return None if isinstance(number, bool) else index(number)  # type: ignore[arg-type]  # it may be anything
    except TypeError:
        return None


def is_name(name: object, names: Collection[str]) -> TypeGuard[str]:
    """Is this one of these names? What has no hash, or compares part by part, as arrays do, is none."""
    return isinstance(name, str) and name in names


def is_moderate(number: Any) -> bool:
    """Is this a number that 32 bits hold? True and False are none."""
    real = not isinstance(number, bool) and isinstance(number, Real)
    return real and bool(-MOST <= number <= MOST)


def checked_number(what: str, number: int, least: int, most: int = MOST) -> int:
    """A number of plays, threads or whatever is counted, if it is one."""
    if not is_whole(number) or not least <= number <= most:
        raise SetupError(f"The number of {what} is a whole number from {least} to {most}, not {number!r}.")
    return int(number)


def checked_seed(seed: int) -> int:
    """The seed, if it is one."""
    if not is_whole(seed) or not 0 <= seed <= MAX_SEED:
        raise SetupError(f"A seed is a whole number from 0 to 2**63 - 1, not {seed!r}.")
    return int(seed)


def checked_game(game: Any) -> None:
    """SetupError for a game's name, where the game is wanted."""
    if isinstance(game, str):
        raise SetupError(f"This takes a game, not its name: almunia.game({game!r}).")


def checked_flag(name: str, flag: bool) -> bool:
    """A switch, if it is one."""
    if not isinstance(flag, bool):
        raise SetupError(f"`{name}` is True or False, not {flag!r}.")
    return flag


def fresh_seed() -> int:
    """A seed nobody can guess."""
    return randbits(63)
