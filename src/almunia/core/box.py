"""Reads a game's component data: its own, or that of somebody who owns the box."""

import os
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ..errors import SetupError

FOLDER = "ALMUNIA_COMPONENTS"


Data = dict[str, Any]


def read(components: str, faults: Callable[[Data], Iterable[str]]) -> Data:
    """The tables of the `components.toml` beside the module `components` (its `__file__`).

    A file `<package>.toml` in the folder that the environment variable ALMUNIA_COMPONENTS names is
    taken instead: the corrected data of somebody who owns the box. `faults` says, a sentence each,
    what in the data cannot be.

    Raises:
        SetupError: the folder is not there, or the file cannot be read or has faults.
    """
    path = chosen(Path(components).with_name("components.toml"))
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"The component file {path} cannot be read: {error}.") from None
    try:
        found = list(faults(data))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        found = [f"a table or value is missing or of the wrong kind ({type(error).__name__}: {error})"]
    if found:
        raise SetupError(f"The component file {path} cannot be used: {'; '.join(found)}.")
    return data


def chosen(own: Path) -> Path:
    """The corrected file of this game if there is one, or its own."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return own
    if not Path(folder).is_dir():
        raise SetupError(f"{FOLDER} names {folder}, which is no folder.")
    corrected = Path(folder) / f"{own.parent.name}.toml"
    return corrected if corrected.is_file() else own


def corrected(package: str) -> bool:
    """Is the data of this game's package replaced by that of somebody who owns the box?"""
    folder = os.environ.get(FOLDER)
    return bool(folder) and (Path(folder or "") / f"{package.rpartition('.')[2]}.toml").is_file()
