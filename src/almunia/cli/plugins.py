"""Plug-in packages that are not installed: a game somebody is writing, in a folder."""

import sys
import tomllib
from pathlib import Path

from ..core import registry
from ..errors import SetupError


def announce(folder: Path) -> str:
    """Make the game of a plug-in folder known, as if it were installed; returns its name.

    SetupError if the folder has no `pyproject.toml` that names one game in `almunia.games`.
    """
    points = entry_points(folder / "pyproject.toml")
    if len(points) != 1:
        raise SetupError(
            f'{folder / "pyproject.toml"} should name one game under [project.entry-points."{registry.GROUP}"], '
            f"and names {len(points)}."
        )
    ((name, package),) = points.items()
    source = next((place for place in (folder / "src", folder) if (place / package).is_dir()), None)
    if source is None:
        raise SetupError(f"There is no package {package!r} in {folder} or {folder / 'src'}.")
    sys.path.insert(0, str(source.resolve()))
    registry.add(name, package)
    return name


def entry_points(project: Path) -> dict[str, str]:
    """The games that a project file names, by name."""
    try:
        points = tomllib.loads(project.read_text("utf-8"))["project"]["entry-points"][registry.GROUP]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError):
        return {}
    return {str(name): str(package) for name, package in points.items()}
