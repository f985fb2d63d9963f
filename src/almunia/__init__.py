"""Modern board games to play in the browser and to study.

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


def _public_names() -> dict[str, tuple[str, str]]:
    body = ast.parse(files(__name__).joinpath("__init__.pyi").read_text("utf-8")).body
    imports = [node for node in body if isinstance(node, ast.ImportFrom)]
    return {name.asname or name.name: (f".{node.module}", name.name) for node in imports for name in node.names}


_PUBLIC_NAMES = _public_names()
__all__ = sorted(_PUBLIC_NAMES)  # noqa: PLE0605 - sorted returns a list


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import almunia` loads neither NumPy nor Numba."""
    if name not in _PUBLIC_NAMES:
        raise AttributeError(f"module 'almunia' has no attribute {name!r}")
    module, name_there = _PUBLIC_NAMES[name]
    return getattr(import_module(module, __name__), name_there)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC_NAMES])
