"""Plug-in packages that are not installed: a game somebody is writing, in a folder."""

import sys
import tomllib
from pathlib import Path

from ..core import registry
from ..errors import SetupError
from ..files import read_text


def announce(folder: Path) -> str:
    """Make the game of a plug-in folder known, as if it were installed; returns its name.

    SetupError if the folder has no `pyproject.toml` that names one game in `almunia.games`.
    """
    project = folder / "pyproject.toml"
    points = entry_points(project)
    if len(points) != 1:
        raise SetupError(
            f'{project} should name one game under [project.entry-points."{registry.GROUP}"], '
            f"and names {len(points) or 'none'}."
        )
    ((name, package),) = points.items()
    source = next((place for place in (folder / "src", folder) if (place / package).is_dir()), None)
    if source is None:
        raise SetupError(f"There is no package {package!r} in {folder} or {folder / 'src'}.")
    sys.path.insert(0, str(source.resolve()))
    registry.add(name, package)
    return name


def entry_points(project: Path) -> dict[str, str]:
    """The games that a project file names, by name; SetupError if it cannot be read."""
    try:
        points = tomllib.loads(read_text(project))["project"]["entry-points"][registry.GROUP]
    except FileNotFoundError:
        raise SetupError(f"{project.parent} is no plug-in package: it has no pyproject.toml.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"{project} cannot be read: {error}.") from None
    except (KeyError, TypeError):
        return {}
    return {str(name): str(package) for name, package in points.items()}
