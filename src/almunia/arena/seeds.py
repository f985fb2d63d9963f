"""The seed of a run: the given seed, else 0, or a random seed if an external program plays."""

from collections.abc import Iterable

from ..bots.base import Bot
from ..bots.factory import parse_spec
from ..validation import check_seed, random_seed

DEFAULT_SEED = 0


def external_bots(bots: Iterable[str | Bot]) -> list[str]:
    return [bot for bot in bots if isinstance(bot, str) and parse_spec(bot).kind == "external"]


def resolve_seed(seed: int | None, bots: Iterable[str | Bot]) -> int:
    """Return the given seed. Without a seed, return 0, or a random seed if an external program plays.

    A program that knows the seed could compute all hidden information. Raise SetupError if `seed` is invalid.
    """
    if seed is None:
        return random_seed() if external_bots(bots) else DEFAULT_SEED
    return check_seed(seed)
