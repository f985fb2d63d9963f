"""Which source files a module's machine code depends on: its own, and those of all it imports."""

import ast
import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.util import resolve_name
from pathlib import Path


def closure(module: str, given: Mapping[str, str], roots: Iterable[str]) -> set[str]:
    """The module and all modules it imports at its top level, as far as their top package is in `roots`.

    A name that a module annotates without a value counts as an import of the module that is
    `given` for it.
    """
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found and name in sys.modules and name.partition(".")[0] in roots:
            found.add(name)
            imported, annotated = _needs(name)
            waiting += [*imported, *(given[name] for name in annotated if name in given)]
    return found


def digest(modules: Iterable[str]) -> str:
    """A hash of the source files of these modules."""
    mark = hashlib.sha256()
    for name in sorted(modules):
        mark.update(name.encode() + _source(name))
    return mark.hexdigest()


def _source(module: str) -> bytes:
    file = sys.modules[module].__file__
    return Path(file).read_bytes() if file else b""


@cache
def _needs(module: str) -> tuple[list[str], list[str]]:
    """The modules that a module imports at its top level, and the names it only annotates."""
    body = ast.parse(_source(module)).body
    imported = [name for node in body for name in _imported(module, node)]
    annotated = [
        node.target.id
        for node in body
        if isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name)
    ]
    return imported, annotated


def _imported(module: str, node: ast.stmt) -> Iterator[str]:
    """What one statement imports, by full names; a name may be a module's or a thing's in it."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        package = sys.modules[module].__package__ or ""
        origin = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module or ""
        yield origin
        yield from (f"{origin}.{alias.name}" for alias in node.names)
