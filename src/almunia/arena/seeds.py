"""Choose the seed of a run: the given one, else 0, or a secret one if an external program plays."""

from collections.abc import Iterable

from ..bots.base import Bot
from ..bots.factory import parse_spec
from ..validation import check_seed, random_seed

DEFAULT_SEED = 0


def external_bots(bots: Iterable[str | Bot]) -> list[str]:
    """Return the specs of external programs among these bots."""
    return [bot for bot in bots if isinstance(bot, str) and parse_spec(bot).kind == "external"]


def resolve_seed(seed: int | None, bots: Iterable[str | Bot]) -> int:
    """Return the seed of a run. Raise SetupError if `seed` is invalid.

    A program that knows the seed knows all cards. So if an external program plays, the default is a random seed,
    which stays in the memory of this process until the plays are over.
    """
    if seed is None:
        return random_seed() if external_bots(bots) else DEFAULT_SEED
    return check_seed(seed)
