"""Registration of games in plug-in packages that are not installed, such as a game in development."""

import sys
import tomllib
from pathlib import Path

from .. import catalog
from ..errors import SetupError
from ..files import read_text


def register_plugin(folder: Path) -> str:
    """Register the game of a plug-in folder as if it were installed, and return its name.

    Raise SetupError if the folder has no `pyproject.toml` that names exactly one game in `almunia.games`.
    """
    project = folder / "pyproject.toml"
    points = read_entry_points(project)
    if len(points) != 1:
        raise SetupError(
            f'{project} should name one game under [project.entry-points."{catalog.GROUP}"], '
            f"and names {len(points) or 'none'}."
        )
    ((name, package),) = points.items()
    source = next((place for place in (folder / "src", folder) if (place / package).is_dir()), None)
    if source is None:
        raise SetupError(f"There is no package {package!r} in {folder} or {folder / 'src'}.")
    sys.path.insert(0, str(source.resolve()))
    catalog.register(name, package)
    return name


def read_entry_points(project: Path) -> dict[str, str]:
    """Return the package of each game that a project file names. Raise SetupError if the file is unreadable."""
    try:
        points = tomllib.loads(read_text(project))["project"]["entry-points"][catalog.GROUP]
    except FileNotFoundError:
        raise SetupError(f"{project.parent} is not a plug-in package: it has no pyproject.toml.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"{project} cannot be read: {error}.") from None
    except (KeyError, TypeError):
        return {}
    return {str(name): str(package) for name, package in points.items()}
