"""The compiled twin: rules run through Numba, without the interpreter's lock, cached on disk.

Numba's own cache looks at one file and not at the tables or helpers it uses, so each module in
each state of all it imports gets a folder of its own, named after a hash of the sources: an
edit to any of them is never ignored, and a second start finds everything ready.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import config
from numba.misc.appdirs import user_cache_dir

from .sources import closure, digest
from .twins import Twins

KEPT = 24  # folders of a game that stay, for whoever goes back and forth between versions
OPTIONS = {"nogil": True, "error_model": "numpy"}


def compiled(name: str, components: str, roots: tuple[str, ...] = ()) -> Twins:
    """A family of twins that Numba compiles on first use.

    Their machine code is kept in folders named after the game's `name` and a hash of the
    sources and the `components`.
    """
    folders: dict[str, Path] = {}

    def folder(module: str) -> Path:
        if module not in folders:
            sources = closure(module, {key: twin.__name__ for key, twin in twins.given.items()}, twins.roots)
            folders[module] = cache_folder(name, digest(sources) + components)
        return folders[module]

    def wrap(function: Any) -> Any:
        twin = numba.njit(**OPTIONS)(function)
        with _caching_in(folder(function.__module__)):
            twin.enable_caching()
        return twin

    twins = Twins(function=wrap, roots=roots)
    return twins


@contextmanager
def _caching_in(folder: Path) -> Iterator[None]:
    """Lend Numba a cache folder while a function settles where its machine code goes."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def cache_root() -> Path:
    """The folder for machine code: `ALMUNIA_CACHE`, or the place the system gives each user."""
    return Path(os.environ.get("ALMUNIA_CACHE") or user_cache_dir("almunia", appauthor=False))


def cache_folder(name: str, state: str) -> Path:
    """The folder for one game's code in the state its sources are in now."""
    mark = sha256(f"{numba.__version__} {np.__version__} {state}".encode()).hexdigest()
    folder = cache_root() / f"{name}-{mark[:16]}"
    if not folder.exists():
        _forget_old(name)
    return folder


def _forget_old(name: str) -> None:
    """Keep the newest few folders of a game and drop the rest."""
    folders = [path for path in cache_root().glob(f"{name}-*") if len(path.name) == len(name) + 17]
    folders.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for folder in folders[KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
