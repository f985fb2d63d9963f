"""A hash of the code and settings of bots, to distinguish results of different bots."""

from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from pkgutil import iter_modules
from types import FunctionType, ModuleType

from ..core.kernels import policies
from ..core.loaded import LoadedGame
from ..core.weights import AnyWeights, complete_weights
from ..engine.code_hash import describe, described_items, digest
from . import builtin, factory, spec
from .levels import LEVELS, spec_for_level
from .search import bot, kernels, settings, turn_bot, workers
from .search.settings import TURN_DEFAULTS, search_settings

WRAPPERS = (builtin, bot, turn_bot, workers, settings, factory, spec)  # modules between spec and kernels
WRAPPED = ("fget", "fset", "__func__", "func")  # the functions of a property, a class method, a cached property


def fingerprint(game: LoadedGame, weights: AnyWeights | None = None) -> str:
    """Return a hash of the code and numbers by which this game's bots choose, as 12 hexadecimal digits.

    The numbers are settings, levels, the game's weights, and the `weights` that some bots have instead. The hash does
    not cover the code of external programs.
    """
    levels = {level: spec_for_level(level, game) for level in LEVELS}
    all_weights = game.bots.WEIGHTS, None if weights is None else complete_weights(game, weights)
    code_hash = sha256(repr((search_settings(game, {}), TURN_DEFAULTS, levels, all_weights)).encode())
    for name in kernel_names():
        code_hash.update(digest(game.backend, name).encode())
    for module in WRAPPERS:
        for part in (*described_items(vars(module)), *methods(module)):
            code_hash.update(part)
    return code_hash.hexdigest()[:12]


def kernel_names() -> list[str]:
    """Import the kernel modules that bots use, and return their names."""
    names = [policies.__name__, *(module.name for module in iter_modules(kernels.__path__, f"{kernels.__name__}."))]
    for name in names:
        import_module(name)
    return names


def methods(module: ModuleType) -> Iterator[bytes]:
    """Yield a description of each method and property of a module's own classes."""
    for thing in vars(module).values():
        if isinstance(thing, type) and thing.__module__ == module.__name__:
            for member in vars(thing).values():
                functions = (member, *(getattr(member, name, None) for name in WRAPPED))
                yield from (describe(function) for function in functions if isinstance(function, FunctionType))
