"""Modern board games to play in the browser and to study: one set of rules, many uses.

>>> import almunia
>>> play = almunia.game("orchard").new(seed=7)
>>> play.apply(play.legal_actions[0])
>>> play
<Play of orchard, 1 seat, 1 action, turn 0>
"""

import ast
from importlib import import_module
from importlib.resources import files
from typing import Any

__version__ = "0.1.0"


def _places() -> dict[str, str]:
    """Each public name with its module, as `__init__.pyi` lists them; nothing is loaded before it is asked for."""
    listed = ast.parse(files(__name__).joinpath("__init__.pyi").read_text("utf-8")).body
    imports = [node for node in listed if isinstance(node, ast.ImportFrom)]
    return {name.name: f".{node.module}" for node in imports for name in node.names}


_PLACES = _places()
__all__ = sorted(_PLACES)  # noqa: PLE0605 - a list all the same


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'almunia' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES])
