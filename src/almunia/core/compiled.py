"""The compiled twin: rules run through Numba, without the interpreter's lock, cached on disk.

Numba's own cache looks at one file and not at the tables or helpers it uses, so each state of
the sources gets a folder of its own, named after a hash of them: an edit to any file is never
ignored, and a second start finds everything ready.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import config
from numba.misc.appdirs import user_cache_dir

from .twins import Twins

KEPT = 3  # folders of earlier sources that stay, for whoever goes back and forth
OPTIONS = {"nogil": True, "error_model": "numpy"}


def compiled(folder: Path, roots: tuple[str, ...] = ()) -> Twins:
    """A family of twins compiled by Numba on first use, with their machine code kept in `folder`."""

    def wrap(function: Any) -> Any:
        twin = numba.njit(**OPTIONS)(function)
        with _caching_in(folder):
            twin.enable_caching()
        return twin

    return Twins(function=wrap, roots=roots)


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


def cache_folder(name: str, sources: Iterable[Path], extra: str = "") -> Path:
    """The folder for one game in the state its `sources` (files) are in now."""
    mark = hashlib.sha256(f"{numba.__version__} {np.__version__} {extra}".encode())
    for source in sorted(sources):
        mark.update(source.name.encode() + source.read_bytes())
    folder = cache_root() / f"{name}-{mark.hexdigest()[:16]}"
    if not folder.exists():
        _forget_old(name)
    return folder


def _forget_old(name: str) -> None:
    """Keep the newest few folders of a game and drop the rest."""
    folders = [path for path in cache_root().glob(f"{name}-*") if len(path.name) == len(name) + 17]
    folders.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for folder in folders[KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
