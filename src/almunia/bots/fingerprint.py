"""What the bots of this package are made of, so that results of different ones can be told apart."""

from collections.abc import Iterator
from hashlib import sha256
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

from ..core.code_digest import content, description, digest
from ..core.kernels import policies
from . import builtin, spec
from .levels import LEVELS, meaning
from .search import bot, turn, worker
from .search.kernels import beam, ismcts, tree, turn_beam
from .search.settings import TURN, settings_of

if TYPE_CHECKING:
    from ..core.game import Game

LOOPS = (policies, beam, turn_beam, ismcts, tree)
AROUND = (builtin, bot, turn, worker, spec)  # what calls them


def fingerprint(game: "Game") -> str:
    """A short hash of how bots choose in a game: their code, the game's evaluation, settings, and levels.

    What a program of somebody's own is made of, nobody knows.
    """
    levels = {level: meaning(level, game) for level in LEVELS}
    mark = sha256(repr((settings_of(game, {}), TURN, levels)).encode())
    for module in LOOPS:
        mark.update(digest(game.twins, module.__name__).encode())
    for module in AROUND:
        for part in (*content(vars(module)), *methods(module)):
            mark.update(part)
    return mark.hexdigest()[:12]


def methods(module: ModuleType) -> Iterator[bytes]:
    """The methods of a module's own classes."""
    for thing in vars(module).values():
        if isinstance(thing, type) and thing.__module__ == module.__name__:
            yield from (description(member) for member in vars(thing).values() if isinstance(member, FunctionType))
