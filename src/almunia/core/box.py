"""Reads a game's component data: its own, or that of somebody who owns the box."""

import os
import tomllib
from pathlib import Path
from typing import Any

from ..errors import SetupError

FOLDER = "ALMUNIA_COMPONENTS"


def read(components: str) -> dict[str, Any]:
    """The tables of the `components.toml` beside the module `components` (its `__file__`).

    A file `<game>.toml` in the folder that the environment variable ALMUNIA_COMPONENTS names is
    taken instead. SetupError if that file cannot be read.
    """
    own = Path(components).with_name("components.toml")
    corrected = Path(os.environ[FOLDER]) / f"{own.parent.name}.toml" if os.environ.get(FOLDER) else own
    path = corrected if corrected.is_file() else own
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"The component file {path} cannot be read: {error}.") from None
