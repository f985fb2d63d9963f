"""The catalog of games: folders under `games/`, and installed packages with an entry point.

Folders under `toy_games/` are games for tests of algorithms. They are found by name, and are in no list of games.
"""

import logging
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import Any

from .core.contract import Meta
from .errors import SetupError, one_of
from .files import package_file
from .validation import is_one_of

GROUP = "almunia.games"

log = logging.getLogger(__name__)


@cache
def game_packages() -> dict[str, str]:
    """Return the package of every game by name: those of this package, installed plug-ins, and those of `register`."""
    found = packages_in(".games")
    for plugin in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        found.setdefault(plugin.name, plugin.value)
    return found


@cache
def toy_packages() -> dict[str, str]:
    """Return the package of every toy game by name."""
    return packages_in(".toy_games")


def all_packages() -> dict[str, str]:
    """Return the package of every game by name, toy games included."""
    return toy_packages() | game_packages()


def packages_in(folder: str) -> dict[str, str]:
    parent = import_module(folder, __package__)
    return {module.name: f"{parent.__name__}.{module.name}" for module in iter_modules(parent.__path__)}


def register(name: str, package: str) -> None:
    """Add a game that is not installed to the catalog, by the import name of its package.

    The new game replaces another game of the same name.
    """
    game_packages()[name] = package


def package_of(name: str, toys: bool = True) -> str:
    """Return the package of the game called `name`, which may be a toy game if `toys`.

    Raise SetupError, with a list of the games, for an unknown name.
    """
    packages = all_packages() if toys else game_packages()
    if not is_one_of(name, packages):
        raise SetupError(f"There is no game called {name!r}. There are: {one_of(game_packages(), str(name))}")
    return packages[name]


def game_file(name: str, file: str) -> Any:
    """Return the path of a file in a game's folder, such as `RULES.md` or `view.css`; the file need not exist.

    Raise SetupError if there is no such game.
    """
    return package_file(package_of(name), file)


def meta(name: str) -> Meta:
    """Return the metadata of one game.

    Raise SetupError if the game is unknown or has no META, and any error of the import of its package.
    """
    module = import_module(package_of(name))
    if not isinstance(getattr(module, "META", None), Meta):
        raise SetupError(f"The package {module.__name__} of the game {name!r} has no META.")
    return module.META


def try_meta(name: str) -> Meta | None:
    """Return the metadata of one game. If the game cannot be loaded, log a warning and return None."""
    try:
        return meta(name)
    except Exception as error:  # noqa: BLE001 - a plug-in may fail in any way
        log.warning("The game %s (%s) cannot be loaded: %s", name, game_packages().get(name, "not installed"), error)
        return None


def all_games(toys: bool = False) -> list[Meta]:
    """Return the metadata of every game, ordered by title. Leave out games that cannot be loaded, with a warning.

    With `toys`, the list also has the toy games, such as Kuhn poker.
    """
    return sorted(filter(None, map(try_meta, all_packages() if toys else game_packages())), key=lambda game: game.title)
