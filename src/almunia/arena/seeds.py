"""Which deals are played: those of the seed that was given, of seed 0, or of one that nobody knows."""

from collections.abc import Iterable

from ..bots.base import Bot
from ..bots.factory import parsed
from ..validation import checked_seed, fresh_seed

USUAL = 0


def programs(bots: Iterable[str | Bot]) -> list[str]:
    """Those of the bots that are programs of somebody's own."""
    return [bot for bot in bots if isinstance(bot, str) and parsed(bot).kind == "external"]


def drawn_seed(seed: int | None, bots: Iterable[str | Bot]) -> int:
    """The seed to play by. SetupError for one that is none.

    Whoever knows the seed knows all cards. So where a program plays and no seed was given, a fresh one is drawn, and
    stays in the memory of this process until the plays are over.
    """
    if seed is None:
        return fresh_seed() if programs(bots) else USUAL
    return checked_seed(seed)
