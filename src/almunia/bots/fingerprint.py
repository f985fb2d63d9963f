"""What the bots of this package are made of, so that results of different ones can be told apart."""

from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from pkgutil import iter_modules
from types import FunctionType, ModuleType

from ..core.kernels import policies
from ..core.loaded import LoadedGame
from ..engine.code_hash import content, description, digest
from . import builtin, spec
from .levels import LEVELS, meaning
from .search import bot, kernels, turn_bot, workers
from .search.settings import TURN, settings_of

AROUND = (builtin, bot, turn_bot, workers, spec)  # what calls kernels


def fingerprint(game: LoadedGame) -> str:
    """A short hash of how bots choose in a game: their code, the game's evaluation, settings, and levels.

    What a program of somebody's own is made of, nobody knows.
    """
    levels = {level: meaning(level, game) for level in LEVELS}
    mark = sha256(repr((settings_of(game, {}), TURN, levels)).encode())
    for name in kernel_names():
        mark.update(digest(game.twins, name).encode())
    for module in AROUND:
        for part in (*content(vars(module)), *methods(module)):
            mark.update(part)
    return mark.hexdigest()[:12]


def kernel_names() -> list[str]:
    """Import the kernel source by which bots choose, and return the names of its modules."""
    names = [policies.__name__, *(found.name for found in iter_modules(kernels.__path__, f"{kernels.__name__}."))]
    for name in names:
        import_module(name)
    return names


def methods(module: ModuleType) -> Iterator[bytes]:
    """The methods of a module's own classes."""
    for thing in vars(module).values():
        if isinstance(thing, type) and thing.__module__ == module.__name__:
            yield from (description(member) for member in vars(thing).values() if isinstance(member, FunctionType))
